import type { AnyMachineSnapshot } from 'xstate';

import type { Answer } from '../../src/model/calls.js';
import type { AgentCallInput } from '../../src/machines/agent-call/chart.js';
import type {
  OrchestratorContext,
  OrchestratorInput,
} from '../../src/machines/orchestrator/context.js';
import type { Settings } from '../../src/model/settings.js';
import type { StepOutcome } from '../../src/model/step-outcome.js';
import { itemsOf } from '../../src/plan/chunked-list.js';
import type { ProposedPlan } from '../../src/model/plan.js';
import { planSchema } from '../../src/model/plan.js';
import type { OpenCall } from '../../src/proof/paths/model.js';
import type { Configuration, Outcome, Told } from './configuration.js';
import { CRASH } from './configuration.js';
import { approvalOutcomes, resultsOf, verdictAnswers, verdictsScoring } from './outcomes.js';

/* The events of an orchestrator whose steps, agents and breakers the test controls. */

/** Which of them happen in a configuration; all of them would be too many. */
export interface Alphabet {
  readonly plans?: readonly PlanName[];
  readonly steps?: readonly StepName[];
  readonly commands?: boolean;
  /** Pause, unpause, extend the time, abort. */
  readonly controls?: boolean;
  readonly permits?: boolean;
  readonly questions?: boolean;
  readonly verdicts?: boolean;
  /** The messages of a parent to a sub-plan. */
  readonly fromAbove?: boolean;
  /** The scores of verdicts, without issues, instead of one for every level. */
  readonly scores?: readonly number[];
  /** How often the run may have been taken over from processes that died. */
  readonly takeovers?: readonly number[];
  /** Further events. */
  readonly told?: readonly Told[];
}

/* Plans. */

const plan = (analysis: string, ids: readonly string[], more: object = {}): ProposedPlan =>
  planSchema.parse({
    analysis,
    steps: ids.map((id) => ({ id, agent: 'coder', task: `Do ${id}` })),
    ...more,
  });

const twoInARow = planSchema.parse({
  analysis: 'Two in a row',
  steps: [
    { id: 'a', agent: 'coder', task: 'Do a' },
    { id: 'b', agent: 'reviewer', task: 'Do b', dependsOn: ['a'] },
  ],
});

const threeInARow = planSchema.parse({
  analysis: 'Three in a row',
  steps: [
    { id: 'a', agent: 'coder', task: 'Do a' },
    { id: 'b', agent: 'coder', task: 'Do b', dependsOn: ['a'] },
    { id: 'c', agent: 'coder', task: 'Do c', dependsOn: ['b'] },
  ],
});

const PLANS = {
  'one step': plan('One', ['a']),
  'two steps': plan('Two', ['a', 'b']),
  'two steps in a row': twoInARow,
  'three steps in a row': threeInARow,
  'six steps': plan('Six', ['a', 'b', 'c', 'd', 'e', 'f']),
  'seven steps': plan('Seven', ['a', 'b', 'c', 'd', 'e', 'f', 'g']),
  'a trivial step': plan('Trivial', ['t'], { scope: 'trivial' }),
  'no steps': plan('None', []),
} as const;

type PlanName = keyof typeof PLANS | 'an invalid plan';

const ISSUE = { code: 'unknown-agent', path: 'steps[0].agent', message: 'There is no such agent' };

const planAnswer = (name: PlanName): readonly [string, Answer] => [
  `proposes ${name}`,
  name === 'an invalid plan'
    ? { role: 'planner', plan: null, issues: [ISSUE] }
    : { role: 'planner', plan: PLANS[name], issues: [] },
];

/* Steps. */

const outcome = (changes: Partial<StepOutcome>): StepOutcome => ({
  status: 'completed',
  code: '',
  reason: '',
  attempts: 1,
  outputKeys: [],
  confidence: null,
  request: null,
  handOff: null,
  verdict: null,
  ...changes,
});

const failedWith = (code: string): StepOutcome => outcome({ status: 'failed', code, reason: 'So' });

const STEPS = {
  completes: outcome({ outputKeys: ['run/a/1/worker'], confidence: 0.9 }),
  fails: failedWith('threw'),
  'runs out of time': failedWith('step-timeout'),
  'is rejected': failedWith('rejected'),
  'times out unanswered': failedWith('approval-expired'),
  'has a rejection in its sub-plan': outcome({
    status: 'failed',
    code: 'subplan-rejected',
    reason: 'a/b (coder)',
  }),
  'is cut short': failedWith('run-ended'),
  'is skipped': outcome({ status: 'skipped', code: 'skipped', reason: 'Not needed' }),
  'needs context': outcome({
    request: {
      kind: 'needsContext',
      stepId: 'a',
      agent: 'coder',
      reason: 'Look there',
      agents: [],
      confidence: 0.5,
    },
  }),
  'hands off': outcome({ handOff: { agent: 'reviewer', task: 'Go on' } }),
  'hands off to a stranger': outcome({ handOff: { agent: 'stranger', task: 'Go on' } }),
  'is confirmed': outcome({
    verdict: { subject: 'step', score: 100, hasPassed: true, hasIssues: false, feedback: 'Good' },
  }),
  'is confirmed with an issue': outcome({
    verdict: { subject: 'step', score: 90, hasPassed: true, hasIssues: true, feedback: 'Better' },
  }),
} as const;

type StepName = keyof typeof STEPS;

/** Verdicts move the ladder; only configurations that name them have them. */
const ALL_STEPS = (Object.keys(STEPS) as StepName[]).filter((name) => !name.includes('confirmed'));

const stepOutcomes = (names: readonly StepName[] = ALL_STEPS): Outcome[] => [
  ...names.map((name) => ({ says: name, output: STEPS[name] })),
  { says: 'ends with an invalid output', output: 42 },
  CRASH,
];

/* Calls. */

const callOutcomes = (call: OpenCall, alphabet: Alphabet): Outcome[] => {
  switch (call.actor) {
    case 'step':
      return stepOutcomes(alphabet.steps);
    case 'approval':
      return [...approvalOutcomes];
    case 'agentCall':
      return agentOutcomes(call.input, alphabet);
    default:
      return [];
  }
};

const agentOutcomes = (input: unknown, { plans = ['one step'], scores }: Alphabet): Outcome[] => {
  const { role } = (input as AgentCallInput).request;
  if (role === 'planner') return resultsOf(input, plans.map(planAnswer));
  if (role === 'supervisor') {
    return resultsOf(input, scores === undefined ? verdictAnswers : verdictsScoring(scores));
  }
  return resultsOf(input, [['sums up', { role: 'summarizer' }]]);
};

/* Events. */

const say = (says: string, type: string, more: object = {}): Told => ({
  says,
  event: { type, ...more },
});

const controls: readonly Told[] = [
  say('a person pauses', 'run.pause'),
  say('a person unpauses', 'run.unpause'),
  say('a person extends the time', 'time.extend', { extraMs: 200 }),
];

const commands: readonly Told[] = [
  ...controls,
  say('a person aborts', 'run.abort', { reason: 'Enough' }),
  say('a person says something', 'conversation.say', { text: 'Hello' }),
  say('a person skips a', 'plan.skip', { stepIds: ['a'], reason: 'Not needed' }),
  say('a person skips an unknown step', 'plan.skip', { stepIds: ['x'] }),
  say('a person skips to b', 'plan.skipTo', { stepId: 'b' }),
  say('a person skips to an unknown step', 'plan.skipTo', { stepId: 'x' }),
  say('a person extends the time by NaN', 'time.extend', { extraMs: Number.NaN }),
  say('a person says a number', 'conversation.say', { text: 42 }),
  say('a person aborts with a number as the reason', 'run.abort', { reason: 42 }),
];

const answersOf = ({ questions, depth }: OrchestratorContext): Told[] => {
  const [open] = questions;
  const requestId = open?.requestId ?? 'x:0.0';
  // A parent has added the path to the step of its sub-plan; at the root only the question is named.
  const route = depth > 0 ? (open?.route ?? []).slice() : [];
  return [
    say('a person approves', 'approval.grant', { requestId, answer: 'Yes', route }),
    say('a person rejects', 'approval.reject', { requestId, reason: 'No', route }),
    ...(open === undefined || depth > 0 ? [] : strayAnswers(requestId)),
  ];
};

/** Answers to another question, and one with a path, which only a parent knows. */
const strayAnswers = (requestId: string): Told[] => [
  say('a person approves another question', 'approval.grant', {
    requestId: 'another',
    answer: 'Yes',
    route: [],
  }),
  say('a person rejects another question', 'approval.reject', {
    requestId: 'another',
    reason: 'No',
    route: [],
  }),
  say('an approval with a forged route arrives', 'approval.grant', {
    requestId,
    answer: 'Yes',
    route: ['slot-0'],
  }),
];

const fromSlot = (slot: string, context: OrchestratorContext, alphabet: Alphabet): Told[] => [
  ...(alphabet.questions === true ? slotQuestions(slot, context) : []),
  ...(alphabet.verdicts === true ? slotVerdicts(slot, alphabet.scores) : []),
];

const slotQuestions = (slot: string, context: OrchestratorContext): Told[] => {
  const requestId = `${slot}:1.1`;
  const asked = { requestId, stepId: 'a', route: [slot] };
  if (context.questions.some((question) => question.requestId === requestId)) {
    return [say(`${slot} closes its question`, 'approval.closed', { requestId })];
  }
  if (context.answeredQuestions.includes(requestId)) return [];
  return [say(`${slot} asks a person`, 'approval.requested', asked)];
};

/** Score, and whether there are issues. */
type SlotVerdict = readonly [score: number, hasIssues: boolean];

const RUNGS: readonly SlotVerdict[] = [
  [100, false],
  [90, true],
  [65, false],
  [45, true],
  [20, true],
];

const slotVerdicts = (slot: string, scores?: readonly number[]): Told[] =>
  (scores?.map((score): SlotVerdict => [score, false]) ?? RUNGS).map(([score, hasIssues]) =>
    say(`${slot} gets a score of ${score}`, 'verdict.given', {
      subject: 'code',
      score,
      hasPassed: !hasIssues,
      hasIssues,
      feedback: 'Better',
    }),
  );

/** Requests a permit: a step's call, or one of the orchestrator's own. */
const permitsOf = (child: string): Told[] => {
  const route = child.startsWith('slot-') ? ['agentCall', child] : [child];
  const agent = child.startsWith('slot-') ? 'coder' : child;
  return [
    say(`${child} asks for a permit`, 'permit.requested', { agent, route }),
    say(`the breaker grants ${child} a permit`, 'permit.granted', { route }),
    say(`the breaker refuses ${child} a permit`, 'permit.refused', { route, code: 'breaker-open' }),
    say(`${child} reports a bound`, 'bound.reached', { bound: 'question-limit' }),
    say(`${child} reports a call that succeeded`, 'call.settled', {
      agent,
      hasSucceeded: true,
      usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.01 },
    }),
    say(`${child} reports a call that failed`, 'call.settled', {
      agent,
      hasSucceeded: false,
      usage: null,
    }),
  ];
};

const fromAbove: readonly Told[] = [
  say('the parent run is paused', 'run.hold'),
  say('the parent run is unpaused', 'run.release'),
  say('the parent run winds down', 'run.windDown'),
  say('the step times out', 'time.isUp'),
];

const told = (
  { context }: AnyMachineSnapshot,
  calls: readonly OpenCall[],
  alphabet: Alphabet,
): Told[] => {
  const run = context as OrchestratorContext;
  const children = calls.map(({ address }) => address.slice(address.lastIndexOf('/') + 1));
  const slots = children.filter((child) => child.startsWith('slot-'));
  const callers = children.filter((child) => !/^(?:breaker-|approval)/.test(child));
  const { policy } = run.settings;
  const mayAsk =
    alphabet.questions === true ||
    alphabet.commands === true ||
    policy.approval.plan ||
    policy.replan.onLimit === 'askHuman';
  return [
    ...(alphabet.commands === true ? commands : []),
    ...(alphabet.controls === true ? controls : []),
    ...(mayAsk ? answersOf(run) : []),
    ...slots.flatMap((slot) => fromSlot(slot, run, alphabet)),
    ...(alphabet.permits === true ? callers.flatMap(permitsOf) : []),
    ...(alphabet.fromAbove === true ? fromAbove : []),
    ...(alphabet.takeovers ?? []).map((takeovers) =>
      say(`takeover ${takeovers}`, 'run.recovered', { takeovers }),
    ),
    ...(alphabet.takeovers === undefined
      ? []
      : [say('the run is upgraded', 'run.upgraded', UPGRADE)]),
    ...(alphabet.told ?? []),
  ];
};

const version = { chartFingerprint: 'charts', policyFingerprint: 'policy', agents: ['worker'] };
const UPGRADE = { from: version, to: { ...version, policyFingerprint: 'another policy' } };

/* The compared part of a context. */

const project = ({ context }: AnyMachineSnapshot): unknown => {
  const run = context as OrchestratorContext;
  const { maxAgentCalls, maxTokens } = run.settings.policy.limits;
  return {
    steps: itemsOf(run.progress.states).map(({ status }) => status),
    slots: run.slots,
    requests: [...new Set(run.requests.map(({ kind }) => kind))],
    counts: [run.replans, run.revision, run.questionCount, run.plannerCalls],
    flags: [run.isPaused, run.isExecutionClosed, run.extensionMs > 0],
    ladder: [run.ladder.level, run.ladder.consecutiveIssues],
    ending: run.ending,
    rejected: run.rejected !== null,
    questions: run.questions.map(({ requestId }) => requestId),
    answered: new Set(run.answeredQuestions).size,
    givenUp: run.givenUp,
    takeovers: run.takeovers,
    spent: [
      Math.min(run.spent.agentCalls, maxAgentCalls ?? 0),
      Math.min(run.spent.tokens, maxTokens ?? 0),
    ],
  };
};

export const orchestratorConfiguration = (
  name: string,
  settings: Settings,
  alphabet: Alphabet,
  input: Partial<OrchestratorInput> = {},
): Configuration & { readonly settings: Settings } => ({
  name,
  settings,
  input: { goal: 'The goal', ...input } satisfies OrchestratorInput,
  told: (subject, { calls }) => told(subject, calls, alphabet),
  outcomes: (call) => callOutcomes(call, alphabet),
  project,
});
