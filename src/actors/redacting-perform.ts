import type { Agent } from '../agents/agent.js';
import { REDACTED } from '../agents/secret.js';
import { withoutNamedSecrets, withoutSecrets } from '../agents/without-secrets.js';
import type { JsonValue } from '../canonical-json.js';
import { canonicalJson, stableStringify } from '../canonical-json.js';
import type { ProposedPlan } from '../model/plan.js';
import type { Answer, CallFailure, CallInput, CallOutcome } from '../model/calls.js';
import { mappedError } from './outcome.js';
import { cutOutcome } from './perform-call.js';
import type { CallSurroundings, OutputLookup, Perform, RedactText } from './team.types.js';

/*
 * Redacts an answer before charts, facts and journals see it. The original answer stays in memory, for the steps that
 * depend on it; a process that resumes the run later has only the redacted one.
 */

/** `vote-2`: the answer equals that of the second vote. */
const VOTE_LABEL = 'vote-';

/**
 * Returns a `Perform` whose outcomes are redacted. The wrapped function returns uncut reasons: they are redacted first
 * and cut afterwards.
 */
export const redactingPerform = (
  perform: Perform,
  agents: ReadonlyMap<string, Agent>,
  redactText: RedactText | undefined,
  maxBytes: number,
): Perform => {
  const text = redactText ?? ((same: string): string => same);
  /** One lookup per run: its answers are collected together with the run. */
  const memories = new WeakMap<OutputLookup, RealAnswers>();
  return async (input, surroundings) => {
    const { outputs } = surroundings;
    const real = memories.get(outputs) ?? new RealAnswers();
    memories.set(outputs, real);
    const outcome = await perform(input, new RealSurroundings(surroundings, real.outputs));
    const redacted = redactedOutcome(outcome, input, agents, text, maxBytes);
    if (outcome.kind !== 'answered' || redacted.kind !== 'answered') return cutOutcome(redacted);
    if (outcome.output === redacted.output) return redacted;
    real.outputs.set(input.key, outcome.output);
    return { ...redacted, answer: real.labelled(redacted.answer, input, outcome.output) };
  };
};

/** The unredacted answers of one run, in memory only. */
class RealAnswers {
  readonly outputs = new Map<string, JsonValue>();
  readonly #voteOf = new Map<string, string>();

  /**
   * Redacted outputs of a vote are identified by the number of the first vote with the same output. A hash would let a
   * reader find a short output by trying candidates.
   */
  labelled(answer: Answer, { request }: CallInput, output: JsonValue): Answer {
    if (request.role !== 'worker' || request.vote === null) return answer;
    if (answer.role !== 'worker' || answer.report !== 'done') return answer;
    const { number } = request.vote;
    const firstKey = number > 1 ? request.key.slice(0, -`.v${number}`.length) : request.key;
    const asked = `${firstKey} ${stableStringify(output)}`;
    const digest = this.#voteOf.get(asked) ?? `${VOTE_LABEL}${number}`;
    this.#voteOf.set(asked, digest);
    return { ...answer, digest };
  }
}

class RealSurroundings implements CallSurroundings {
  readonly outputs: OutputLookup;
  readonly #surroundings: CallSurroundings;

  constructor(surroundings: CallSurroundings, real: ReadonlyMap<string, JsonValue>) {
    this.#surroundings = surroundings;
    const { outputs } = surroundings;
    const lookup = (key: string): JsonValue | undefined => real.get(key) ?? outputs(key);
    this.outputs = Object.assign(lookup, { isPartial: outputs.isPartial });
  }

  get run(): CallSurroundings['run'] {
    return this.#surroundings.run;
  }

  get confirm(): CallSurroundings['confirm'] {
    return this.#surroundings.confirm;
  }

  get threw(): CallSurroundings['threw'] {
    return this.#surroundings.threw;
  }

  /** Created on first access: most agents never read it. */
  get signal(): AbortSignal {
    return this.#surroundings.signal;
  }
}

const redactedFailure = (failure: CallFailure, text: RedactText): CallFailure => ({
  ...failure,
  reason: text(failure.reason),
  ...(failure.error === undefined ? {} : { error: mappedError(failure.error, text) }),
});

const redactedOutcome = (
  outcome: CallOutcome,
  { request }: CallInput,
  agents: ReadonlyMap<string, Agent>,
  text: RedactText,
  maxBytes: number,
): CallOutcome => {
  if (outcome.kind === 'failed') return redactedFailure(outcome, text);
  const agent = request.role === 'worker' ? agents.get(request.agent) : undefined;
  const { answer } = outcome;
  const isFinished = answer.role === 'worker' && answer.report === 'done';
  const written = (value: JsonValue): JsonValue =>
    redactedTexts(redactedValue(agent, value, isFinished, maxBytes), text);
  return {
    ...outcome,
    answer: redactedAnswer(answer, { text, written, isAgent: (name) => agents.has(name) }),
    output: written(outcome.output),
  };
};

/** Redacts an output, a partial output or an approval payload, by the agent's schema and its `redact`. */
const redactedValue = (
  agent: Agent | undefined,
  value: JsonValue,
  isFinished: boolean,
  maxBytes: number,
): JsonValue => {
  if (agent === undefined || value === null) return value;
  const marked =
    agent.output === undefined
      ? value
      : (isFinished ? withoutSecrets : withoutNamedSecrets)(agent.output, value);
  if (agent.redact === undefined) return marked;
  try {
    const given = canonicalJson(agent.redact(marked), { maxBytes });
    return given.ok ? given.value : REDACTED;
  } catch {
    return REDACTED;
  }
};

/** Redacts every text in a value. Returns the same value when nothing changes. */
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

interface Redaction {
  readonly text: RedactText;
  readonly written: (value: JsonValue) => JsonValue;
  readonly isAgent: (name: string) => boolean;
}

/** Charts decide by names, ids and numbers, so those stay; all other text is redacted. */
const redactedAnswer = (answer: Answer, redaction: Redaction): Answer => {
  const { text } = redaction;
  switch (answer.role) {
    case 'worker':
      return redactedReport(answer, redaction);
    case 'planner':
      return {
        ...answer,
        plan: answer.plan && redactedPlan(answer.plan, text),
        issues: answer.issues.map((issue) => ({ ...issue, message: text(issue.message) })),
      };
    case 'supervisor':
      return { ...answer, issues: answer.issues.map(text), feedback: text(answer.feedback) };
    case 'tester':
    case 'summarizer':
      return answer;
  }
};

const redactedPlan = (plan: ProposedPlan, text: RedactText): ProposedPlan => ({
  ...plan,
  analysis: text(plan.analysis),
  ...(plan.successCriteria === undefined ? {} : { successCriteria: text(plan.successCriteria) }),
  steps: plan.steps.map((step) => ({
    ...step,
    task: text(step.task),
    ...(step.reason === undefined ? {} : { reason: text(step.reason) }),
  })),
});

const redactedReport = (
  answer: Extract<Answer, { role: 'worker' }>,
  { text, written, isAgent }: Redaction,
): Answer => {
  /** A name that is not in the team is redacted like any other text. */
  const agentName = (name: string): string => (isAgent(name) ? name : text(name));
  switch (answer.report) {
    case 'done':
      return answer;
    case 'needsContext':
      return { ...answer, suggestion: text(answer.suggestion) };
    case 'handOff':
      return { ...answer, agent: agentName(answer.agent), task: text(answer.task) };
    case 'requestReplan':
      return { ...answer, reason: text(answer.reason), agents: answer.agents.map(agentName) };
    case 'blocked':
      return { ...answer, reason: text(answer.reason) };
    case 'askHuman':
      return { ...answer, question: text(answer.question), payload: written(answer.payload) };
  }
};
