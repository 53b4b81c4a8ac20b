import type { Agent } from '../agents/agent.js';
import { REDACTED, withoutSecrets } from '../agents/secret.js';
import type { JsonValue } from '../canonical-json.js';
import { canonicalJson } from '../canonical-json.js';
import type { Answer, CallInput, CallOutcome } from './call.types.js';
import type { CallSurroundings, OutputLookup, Perform } from './team.types.js';

/*
 * What must not be written down is taken out of an answer before charts, facts and journals see it. The answer itself is
 * kept in memory, beside the run, for the steps that need it; a process that takes the run up later has what is written.
 */

/** Takes out of a text what must not be written down. */
export type RedactText = (text: string) => string;

/** A text that cannot be redacted is not written at all. */
export const safely =
  (redact: RedactText): RedactText =>
  (text) => {
    try {
      const redacted: unknown = redact(text);
      return typeof redacted === 'string' ? redacted : REDACTED;
    } catch {
      return REDACTED;
    }
  };

/** A way to make calls whose outcomes hold nothing that must not be written down. */
export const redactingPerform = (
  perform: Perform,
  agents: ReadonlyMap<string, Agent>,
  redactText: RedactText | undefined,
  maxBytes: number,
): Perform => {
  const text = redactText ?? ((same: string): string => same);
  /** One run has one lookup: what it leads to is gone when the run is. */
  const realOutputs = new WeakMap<OutputLookup, Map<string, JsonValue>>();
  return async (input, surroundings) => {
    const { outputs } = surroundings;
    const real = realOutputs.get(outputs) ?? new Map<string, JsonValue>();
    realOutputs.set(outputs, real);
    const outcome = await perform(input, new RealSurroundings(surroundings, real));
    const redacted = redactedOutcome(outcome, input, agents, text, maxBytes);
    if (outcome.kind === 'answered' && redacted.kind === 'answered') {
      if (outcome.output !== redacted.output) real.set(input.key, outcome.output);
    }
    return redacted;
  };
};

class RealSurroundings implements CallSurroundings {
  readonly outputs: OutputLookup;
  readonly #surroundings: CallSurroundings;

  constructor(surroundings: CallSurroundings, real: ReadonlyMap<string, JsonValue>) {
    this.#surroundings = surroundings;
    this.outputs = (key) => real.get(key) ?? surroundings.outputs(key);
  }

  /** Made when somebody asks for it: most agents never do. */
  get signal(): AbortSignal {
    return this.#surroundings.signal;
  }
}

const redactedOutcome = (
  outcome: CallOutcome,
  { request }: CallInput,
  agents: ReadonlyMap<string, Agent>,
  text: RedactText,
  maxBytes: number,
): CallOutcome => {
  if (outcome.kind === 'failed') return { ...outcome, reason: text(outcome.reason) };
  const agent = request.role === 'worker' ? agents.get(request.agent) : undefined;
  const output = redactedTexts(redactedOutput(agent, outcome.output, maxBytes), text);
  return { ...outcome, answer: redactedAnswer(outcome.answer, text), output };
};

const redactedOutput = (
  agent: Agent | undefined,
  output: JsonValue,
  maxBytes: number,
): JsonValue => {
  if (agent === undefined || output === null) return output;
  const marked = agent.output === undefined ? output : withoutSecrets(agent.output, output);
  if (agent.redact === undefined) return marked;
  try {
    const given = canonicalJson(agent.redact(marked), { maxBytes });
    return given.ok ? given.value : REDACTED;
  } catch {
    return REDACTED;
  }
};

/** Every text in a value; the same value when nothing in it changes. */
const redactedTexts = (value: JsonValue, text: RedactText): JsonValue => {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const before: readonly JsonValue[] = value;
    const items = before.map((item) => redactedTexts(item, text));
    return items.some((item, index) => item !== before[index]) ? items : before;
  }
  const members = Object.entries(value).map(
    ([name, member]) => [name, redactedTexts(member, text)] as const,
  );
  const before = Object.values(value);
  const isChanged = members.some(([, member], index) => member !== before[index]);
  return isChanged ? Object.fromEntries(members) : value;
};

/** Names, ids and numbers are what charts decide by; everything else that is said is text. */
const redactedAnswer = (answer: Answer, text: RedactText): Answer => {
  switch (answer.role) {
    case 'worker':
      return redactedReport(answer, text);
    case 'planner':
      return {
        ...answer,
        plan: answer.plan && {
          ...answer.plan,
          analysis: text(answer.plan.analysis),
          steps: answer.plan.steps.map((step) => ({ ...step, task: text(step.task) })),
        },
        issues: answer.issues.map((issue) => ({ ...issue, message: text(issue.message) })),
      };
    case 'supervisor':
      return { ...answer, issues: answer.issues.map(text), feedback: text(answer.feedback) };
    case 'tester':
    case 'summarizer':
      return answer;
  }
};

const redactedReport = (answer: Extract<Answer, { role: 'worker' }>, text: RedactText): Answer => {
  switch (answer.report) {
    case 'done':
      return answer;
    case 'needsContext':
      return { ...answer, suggestion: text(answer.suggestion) };
    case 'handOff':
      return { ...answer, task: text(answer.task) };
    case 'requestReplan':
    case 'blocked':
      return { ...answer, reason: text(answer.reason) };
    case 'askHuman':
      return {
        ...answer,
        question: text(answer.question),
        payload: redactedTexts(answer.payload, text),
      };
  }
};
