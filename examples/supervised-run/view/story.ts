// The log: one line for every fact that matters to a reader.
import type { Fact, FactType, JsonValue } from '../../../src/index.js';
import type { Tone } from './style.js';
import { oneLine } from './text.js';

export interface StoryLine {
  readonly at: number;
  /** The step, or a part of the run. */
  readonly about: string;
  /** Safe text of any length. */
  readonly text: string;
  readonly tone: Tone | null;
}

type Told = Omit<StoryLine, 'at'>;

/** Values of earlier facts that later ones refer to. */
export interface Memory {
  /** The output behind a key. */
  readonly outputOf: (key: string) => JsonValue | undefined;
  /** Whether the agent of a step has asked for another plan. */
  readonly hasAskedForPlan: (stepId: string) => boolean;
}

/** The lines of one fact; most facts have no line. */
export const tell = (fact: Fact, memory: Memory): StoryLine[] => {
  const teller = TELLERS[fact.type] as ((told: Fact, memory: Memory) => Told[]) | undefined;
  return (teller?.(fact, memory) ?? []).map((told) => ({
    at: fact.at,
    about: oneLine(told.about),
    text: oneLine(told.text),
    tone: told.tone,
  }));
};

const line = (about: string, text: string, tone: Tone | null = null): Told[] => [
  { about, text, tone },
];

/** People count plans from 1. */
const planName = (revision: number): string => `plan ${revision + 1}`;

const TELLERS: {
  readonly [Type in FactType]?: (fact: Fact<Type>, memory: Memory) => Told[];
} = {
  'phase.entered': ({ phase, parentStepId }) => {
    if (parentStepId !== null) return [];
    if (phase === 'planning') return line('plan', 'the planner makes a plan');
    if (phase === 'verifying') return line('goal', 'the supervisor verifies the goal');
    return phase === 'summarizing' ? line('run', 'the summary is written') : [];
  },
  'plan.adopted': ({ revision, steps, replaced }) => {
    const ids = steps.map(({ id }) => id).join(', ');
    const instead = replaced.length === 0 ? '' : ` in place of ${replaced.join(', ')}`;
    return line(planName(revision), `adopted: ${ids}${instead}`, 'cyan');
  },
  'plan.rejected': ({ revision, by, reason }) =>
    line(planName(revision), `rejected by ${by}: ${reason}`, 'yellow'),
  'step.started': ({ stepId, agent }) => line(stepId, `${agent} starts`),
  'step.retried': ({ stepId, attempt, reason }) =>
    line(stepId, `attempt ${attempt}, because: ${reason}`, 'yellow'),
  'step.completed': ({ stepId }, memory) =>
    memory.hasAskedForPlan(stepId)
      ? line(stepId, 'completed; it asked for another plan', 'yellow')
      : line(stepId, 'completed', 'green'),
  'step.failed': ({ stepId, reason }) => line(stepId, `failed: ${reason}`, 'red'),
  // The line of the new plan has named the replaced steps.
  'step.skipped': ({ stepId, reason }) =>
    reason === 'replaced' ? [] : line(stepId, `skipped: ${reason}`, 'dim'),
  'step.cancelled': ({ stepId, reason }) => line(stepId, `cancelled: ${reason}`, 'dim'),
  'agent.answered': ({ role, agent, stepId, report, output }) =>
    role === 'worker' && report === 'done'
      ? line(stepId ?? agent, `${agent}: ${wordsIn(output)}`)
      : [],
  'agent.failed': ({ agent, stepId, code, reason }) =>
    line(stepId ?? agent, `${agent} gave no answer (${code}): ${reason}`, 'red'),
  'tests.reported': ({ stepId, passed, failures, key }, { outputOf }) => {
    if (passed) return line(stepId, 'the tests pass', 'green');
    const { first, fixPlan } = testWords(outputOf(key));
    const count = failures === 1 ? '1 test fails' : `${failures} tests fail`;
    const failed = line(stepId, first === '' ? count : `${count}: ${first}`, 'red');
    return fixPlan === '' ? failed : [...failed, ...line(stepId, `fix plan: ${fixPlan}`, 'yellow')];
  },
  'fix.started': ({ stepId, cycle }) => line(stepId, `fix ${cycle} starts`, 'yellow'),
  'verdict.given': ({ subject, stepId, score, issues, passed }) => {
    const [issue] = issues;
    const verdict = `${subject} scored ${score}, ${passed ? 'accepted' : 'not accepted'}`;
    const text = issue === undefined ? verdict : `${verdict}: ${issue}`;
    return line(stepId ?? subject, text, verdictTone(passed, issue !== undefined));
  },
  'escalation.changed': ({ from, to }) =>
    line('oversight', `escalation ${from} -> ${to}`, to === 'none' ? 'green' : 'yellow'),
  'replan.requested': ({ stepId, agent, reason }) =>
    line(stepId ?? 'goal', `${agent ?? 'supervisor'} asks for another plan: ${reason}`, 'yellow'),
  'replan.started': ({ replans, maxReplans }) =>
    line('plan', `replan ${replans} of at most ${maxReplans}`, 'yellow'),
  'request.refused': ({ stepId, what, bound }) =>
    line(stepId ?? 'plan', `${what} is refused: ${bound}`, 'red'),
  'subplan.started': ({ stepId, reason }) => line(stepId, `gets a sub-plan: ${reason}`, 'yellow'),
  'subplan.ended': ({ stepId, status }) => line(stepId, `sub-plan ${status}`),
  'approval.requested': ({ stepId, question }) =>
    line(stepId ?? 'plan', `waits for a person: ${question}`, 'yellow'),
  'approval.expired': ({ stepId, outcome }) =>
    line(stepId ?? 'plan', `no answer in time: ${outcome}`, 'yellow'),
  'breaker.opened': ({ agent }) => line(agent, 'failed too often; its breaker is open', 'red'),
  'budget.exhausted': ({ limit }) => line('run', `${limit} is used up`, 'red'),
  'time.executionClosed': () =>
    line('run', 'no more steps start: the time is almost over', 'yellow'),
  'time.expired': ({ scope }) => line('run', `the time is over (${scope})`, 'red'),
  'run.ended': ({ status, reason }) =>
    line('run', `${status}: ${reason}`, status === 'completed' ? 'green' : 'red'),
};

const verdictTone = (passed: boolean, hasIssue: boolean): Tone => {
  if (!passed) return 'red';
  return hasIssue ? 'yellow' : 'green';
};

/** An output as text: its summary where it has one. */
const wordsIn = (output: JsonValue): string => {
  if (typeof output === 'string') return output;
  if (output === null) return 'done';
  const summary = memberOf(output, 'summary');
  return typeof summary === 'string' ? summary : JSON.stringify(output);
};

const testWords = (output: JsonValue | undefined): { first: string; fixPlan: string } => {
  const failures = memberOf(output, 'failures');
  const first: unknown = Array.isArray(failures) ? failures[0] : undefined;
  const summary = memberOf(memberOf(output, 'fixPlan'), 'summary');
  return {
    first: typeof first === 'string' ? first : '',
    fixPlan: typeof summary === 'string' ? summary : '',
  };
};

const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, JsonValue>>)[name]
    : undefined;
