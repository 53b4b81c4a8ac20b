import type { Fact, FactBody, FactType } from '../../src/model/facts.js';
import { factSchema } from '../../src/model/facts.js';
import type { RunRecord } from '../../src/journal/record.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import type { EndedRunRecord } from '../../src/journal/report.js';
import { isEnded } from '../../src/journal/report.js';

/** A fact without the parts that most tests ignore. */
type Parts<Type extends FactType> = { readonly type: Type } & Partial<FactBody<Type>>;
export type FactParts = { [Type in FactType]: Parts<Type> }[FactType];

const call = { key: 'k', role: 'worker', agent: 'coder', stepId: null, try: 1 } as const;

/** The defaults of facts. */
const defaults: { readonly [Type in FactType]: FactBody<Type> } = {
  'run.started': { type: 'run.started', runId: 'r1', goal: 'Add a login', agents: ['coder'] },
  'phase.entered': { type: 'phase.entered', parentStepId: null, phase: 'executing' },
  'plan.proposed': {
    type: 'plan.proposed',
    parentStepId: null,
    revision: 0,
    origin: 'planner',
    plan: null,
    message: 'PLAN_RESPONSE',
  },
  'plan.adopted': {
    type: 'plan.adopted',
    parentStepId: null,
    revision: 0,
    steps: [],
    replaced: [],
  },
  'plan.rejected': {
    type: 'plan.rejected',
    parentStepId: null,
    revision: 0,
    by: 'supervisor',
    reason: 'Too vague',
    issues: [],
  },
  'plan.modified': { type: 'plan.modified', change: 'skip', stepIds: [], reason: null },
  'step.started': { type: 'step.started', stepId: 's1', agent: 'coder', slot: 'slot-0' },
  'step.retried': { type: 'step.retried', stepId: 's1', attempt: 2, reason: 'Once more' },
  'step.completed': {
    type: 'step.completed',
    stepId: 's1',
    agent: 'coder',
    attempts: 1,
    outputKeys: [],
    message: 'STEP_COMPLETE',
  },
  'step.failed': {
    type: 'step.failed',
    stepId: 's1',
    agent: 'coder',
    attempts: 1,
    code: 'threw',
    reason: 'It broke',
    message: null,
  },
  'step.skipped': { type: 'step.skipped', stepId: 's1', reason: 'human' },
  'step.cancelled': { type: 'step.cancelled', stepId: 's1', reason: 'time-limit' },
  'fix.started': { type: 'fix.started', stepId: 's1', cycle: 1, message: 'FIX_PLAN' },
  'tests.reported': {
    type: 'tests.reported',
    stepId: 's1',
    passed: true,
    failures: 0,
    key: 'k',
  },
  'vote.cast': {
    type: 'vote.cast',
    stepId: 's1',
    number: 1,
    of: 3,
    choose: 'majority',
    key: 'k',
    digest: 'd',
    confidence: null,
  },
  'vote.decided': {
    type: 'vote.decided',
    stepId: 's1',
    choose: 'majority',
    of: 3,
    cast: 2,
    winner: 1,
    counts: [{ digest: 'd', votes: 2 }],
  },
  'subplan.started': {
    type: 'subplan.started',
    stepId: 's1',
    depth: 1,
    reason: 'Too hard',
    message: 'STEP_BLOCKED',
  },
  'subplan.ended': {
    type: 'subplan.ended',
    stepId: 's1',
    status: 'completed',
    reason: 'all-settled',
  },
  'replan.requested': {
    type: 'replan.requested',
    parentStepId: null,
    stepId: 's1',
    agent: 'coder',
    kind: 'requestReplan',
    reason: 'It no longer fits',
    agents: [],
    confidence: null,
  },
  'replan.started': {
    type: 'replan.started',
    parentStepId: null,
    replans: 1,
    maxReplans: 3,
    reasons: [],
    stepIds: [],
  },
  'request.refused': {
    type: 'request.refused',
    parentStepId: null,
    what: 'replan',
    stepId: 's1',
    agent: 'worker',
    bound: 'replan-limit',
    limit: 3,
    reason: 'More is needed',
  },
  'approval.requested': {
    type: 'approval.requested',
    requestId: 'q1',
    stepId: null,
    question: 'May it?',
    payload: null,
  },
  'approval.granted': {
    type: 'approval.granted',
    requestId: 'q1',
    stepId: null,
    answer: 'Approved',
  },
  'approval.rejected': {
    type: 'approval.rejected',
    requestId: 'q1',
    stepId: null,
    reason: 'Too risky',
  },
  'approval.expired': {
    type: 'approval.expired',
    requestId: 'q1',
    stepId: null,
    outcome: 'reject',
  },
  'verdict.given': {
    type: 'verdict.given',
    subject: 'goal',
    stepId: null,
    score: 90,
    issues: [],
    feedback: '',
    passed: true,
    message: 'VERIFY_RESPONSE',
  },
  'escalation.changed': {
    type: 'escalation.changed',
    from: 'none',
    to: 'remind',
    score: 60,
    consecutiveIssues: 1,
    message: 'CORRECTION',
  },
  'agent.called': { type: 'agent.called', ...call, isFallback: false, message: 'CODE_REQUEST' },
  'agent.answered': {
    type: 'agent.answered',
    ...call,
    report: 'done',
    confidence: null,
    output: null,
    usage: null,
    message: 'CODE_RESPONSE',
  },
  'agent.failed': { type: 'agent.failed', ...call, code: 'threw', reason: 'It broke' },
  'breaker.opened': { type: 'breaker.opened', agent: 'coder' },
  'breaker.closed': { type: 'breaker.closed', agent: 'coder' },
  'budget.exhausted': { type: 'budget.exhausted', limit: 'maxTokens' },
  'time.extended': { type: 'time.extended', extraMs: 1_000 },
  'time.executionClosed': { type: 'time.executionClosed' },
  'time.expired': { type: 'time.expired', scope: 'run' },
  'run.paused': { type: 'run.paused', reason: 'Paused by a person' },
  'run.unpaused': { type: 'run.unpaused' },
  'run.upgraded': {
    type: 'run.upgraded',
    from: { chartFingerprint: 'charts 1', policyFingerprint: 'policy 1', agents: ['worker'] },
    to: { chartFingerprint: 'charts 2', policyFingerprint: 'policy 1', agents: ['worker'] },
  },
  'conversation.said': { type: 'conversation.said', text: 'How is it going?' },
  'command.refused': { type: 'command.refused', command: 'run.unpause', reason: 'not-now' },
  'run.ended': {
    type: 'run.ended',
    status: 'completed',
    reason: 'all-steps-settled',
    summaryKey: null,
    message: 'GOAL_COMPLETE',
  },
};

/** One fact of every type. */
export const everyFact: readonly FactParts[] = Object.values(defaults);

/** Milliseconds between two facts of a made-up journal. */
const FACT_INTERVAL_MS = 10;

/** A journal: numbered from 1, the first fact at 0, the next 10 ms later, and so on. */
export const factsOf = (...parts: readonly FactParts[]): Fact[] =>
  parts.map((part, index) =>
    factSchema.parse({
      ...defaults[part.type],
      ...part,
      sequence: index + 1,
      at: index * FACT_INTERVAL_MS,
    }),
  );

type StepParts = Partial<FactBody<'plan.adopted'>['steps'][number]> & { readonly id: string };

const plannedStep = (step: string | StepParts): FactBody<'plan.adopted'>['steps'][number] => ({
  agent: 'coder',
  task: 'Write the code',
  complexity: 'medium',
  dependsOn: [],
  ...(typeof step === 'string' ? { id: step } : step),
});

/** A plan that is adopted with these steps. */
export const adopted = (
  steps: readonly (string | StepParts)[],
  rest: Partial<Omit<FactBody<'plan.adopted'>, 'type' | 'steps'>> = {},
): Parts<'plan.adopted'> => ({ type: 'plan.adopted', steps: steps.map(plannedStep), ...rest });

/** A plan that is proposed with these steps. */
export const proposed = (
  steps: readonly string[],
  rest: Partial<Omit<FactBody<'plan.proposed'>, 'type' | 'plan'>> = {},
): Parts<'plan.proposed'> => ({
  type: 'plan.proposed',
  plan: {
    analysis: '',
    steps: steps.map((id) => ({ ...plannedStep(id), requiresApproval: false })),
  },
  ...rest,
});

export const recordOf = (...parts: readonly FactParts[]): RunRecord =>
  recordOfFacts(factsOf(...parts));

export const recordOfFacts = (facts: readonly Fact[]): RunRecord => {
  const builder = createRecordBuilder();
  for (const fact of facts) builder.add(fact);
  return builder.record();
};

export const endedRecordOf = (...parts: readonly FactParts[]): EndedRunRecord => {
  const record = recordOf(...parts);
  if (!isEnded(record)) throw new Error('Expected facts that end with run.ended');
  return record;
};
