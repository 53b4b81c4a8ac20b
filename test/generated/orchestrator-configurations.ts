import { orchestratorConfiguration as configuration } from './orchestrator.js';
import { boundaryConfigurations } from './orchestrator-boundaries.js';
import { settingsOf } from './settings.js';

const nested = {
  nested: {
    parentStepId: 'p',
    depth: 1,
    limitMs: 400,
    isPaused: false,
    conversation: [],
  },
} as const;

/** A plan that is given with the goal. */
const GIVEN = { analysis: '', steps: [{ id: 'a', agent: 'coder', task: 'Do a' }] };

const TWO = ['two steps', 'an invalid plan'] as const;
const ROW = ['two steps in a row'] as const;
const ENDS = ['completes', 'fails'] as const;
const supervised = { hasSupervisor: true };
const ladder = { escalation: { issues: { correct: 1, refocus: 2, critical: 3, abort: 4 } } };

export const orchestratorConfigurations = [
  configuration('one step after the other', settingsOf({ limits: { maxParallel: 1 } }), {
    plans: ['two steps in a row', 'one step', 'no steps', 'an invalid plan'],
  }),
  configuration('two steps at once', settingsOf({ limits: { maxParallel: 2 } }), {
    plans: ['two steps'],
    steps: ['completes', 'fails', 'is skipped', 'needs context'],
  }),
  configuration('commands', settingsOf({ limits: { maxParallel: 1 } }), {
    plans: ROW,
    steps: ENDS,
    commands: true,
  }),
  configuration(
    'a plan that came with the goal',
    settingsOf({ limits: { maxParallel: 1 } }),
    { plans: ['an invalid plan'], steps: ENDS, controls: true },
    { plan: GIVEN },
  ),
  configuration(
    'an invalid plan that came with the goal',
    settingsOf({ limits: { maxParallel: 1 } }),
    { plans: ['an invalid plan'], steps: ENDS },
    { plan: { steps: 'none' } },
  ),
  configuration('no planner and no plan', settingsOf({}, { hasPlanner: false }), {}),
  configuration(
    'a given plan without a planner',
    settingsOf({ limits: { maxParallel: 1 } }, { hasPlanner: false }),
    { steps: ['completes', 'needs context'] },
    { plan: GIVEN },
  ),
  configuration(
    'questions of steps, a no ends the run',
    settingsOf({ limits: { maxParallel: 2 }, approval: { onReject: 'fail' } }),
    {
      plans: ['two steps'],
      steps: ['completes', 'is rejected', 'has a rejection in its sub-plan'],
      questions: true,
    },
  ),
  configuration(
    'steps that a person agrees to, a no leads to another plan',
    settingsOf({
      limits: { maxParallel: 1, maxReplans: 1 },
      approval: { agents: ['coder'], onReject: 'replan' },
      failure: { onStepFailure: 'continue' },
    }),
    { plans: ['one step'], steps: ['completes', 'fails', 'is rejected'] },
  ),
  configuration(
    'supervised plan and goal',
    settingsOf(
      { gates: { plan: 70, goal: 80 }, ...ladder, limits: { maxParallel: 1 } },
      supervised,
    ),
    { plans: ['one step'], steps: ['completes'] },
  ),
  configuration(
    'supervised plan and goal, with pauses',
    settingsOf({ gates: { plan: 70, goal: 80 }, limits: { maxParallel: 1 } }, supervised),
    { plans: ['one step'], steps: ['completes'], controls: true },
  ),
  configuration(
    'verdicts about steps',
    settingsOf({ ...ladder, limits: { maxParallel: 2, maxReplans: 0 } }),
    {
      plans: ['two steps'],
      steps: ['completes', 'is confirmed', 'is confirmed with an issue'],
      verdicts: true,
    },
  ),
  configuration('a person reads the plan', settingsOf({ approval: { plan: true } }), {
    plans: ['one step', 'two steps'],
    steps: ENDS,
  }),
  configuration(
    'a person reads the plan, a no keeps the old one, silence is a yes',
    settingsOf({
      approval: { plan: true, onReject: 'skip', onTimeout: 'approve', autoApproveTrivial: true },
    }),
    { plans: ['one step', 'a trivial step'], steps: ENDS },
  ),
  configuration(
    'a person reads the plan, a no keeps the old one',
    settingsOf({ approval: { plan: true, onReject: 'skip', autoApproveTrivial: true } }),
    { plans: ['one step', 'a trivial step'], steps: ENDS },
  ),
  configuration(
    'no replans left: fail',
    settingsOf({ limits: { maxReplans: 0 }, replan: { onLimit: 'fail' } }),
    { plans: TWO, steps: ['completes', 'needs context'] },
  ),
  configuration(
    'no replans left: finish',
    settingsOf(
      { limits: { maxReplans: 0, maxParallel: 2 }, replan: { onLimit: 'finish' } },
      { hasSummarizer: true },
    ),
    { plans: TWO, steps: ['completes', 'needs context'] },
  ),
  configuration(
    'no replans left: ask',
    settingsOf({ limits: { maxReplans: 0, maxParallel: 1 }, replan: { onLimit: 'askHuman' } }),
    { plans: TWO, steps: ['completes', 'needs context'] },
  ),
  configuration(
    'no replans left: ask, silence is a yes',
    settingsOf({
      limits: { maxReplans: 0, maxParallel: 1 },
      replan: { onLimit: 'askHuman' },
      approval: { onTimeout: 'approve' },
    }),
    { plans: TWO, steps: ['completes', 'needs context'] },
  ),
  configuration(
    'a new plan replaces everything',
    settingsOf({ limits: { maxParallel: 2 }, replan: { merge: 'replaceAll', coalesce: 'first' } }),
    { plans: ['two steps'], steps: ['completes', 'needs context'] },
  ),
  configuration(
    'a planner in circles',
    settingsOf({
      limits: { maxReplans: 2 },
      replan: { merge: 'append', coalesce: 'highestConfidence' },
    }),
    { plans: ['one step'], steps: ['completes', 'needs context', 'hands off'] },
  ),
  configuration(
    'a failure stops the run',
    settingsOf({ limits: { maxParallel: 1 }, failure: { onStepFailure: 'stop' } }),
    { plans: ['two steps'], steps: ENDS },
  ),
  configuration(
    'no failure is borne',
    settingsOf({
      limits: { maxParallel: 1, maxFailures: 0 },
      failure: { onStepFailure: 'continue' },
    }),
    { plans: ['two steps'], steps: ENDS },
  ),
  configuration(
    'a person is called when the planner fails',
    settingsOf({ failure: { onPlannerFailure: 'interrupt' }, limits: { maxAttempts: 1 } }),
    { plans: ['one step', 'an invalid plan'], steps: ['completes'], controls: true },
  ),
  configuration(
    'a budget of calls and breakers',
    settingsOf({
      limits: { maxAgentCalls: 2, maxParallel: 1 },
      breaker: { failures: 1, resetMs: 100 },
    }),
    { plans: ['one step'], steps: ['completes'], permits: true },
  ),
  configuration('a budget of tokens', settingsOf({ limits: { maxTokens: 2, maxParallel: 1 } }), {
    plans: ['one step'],
    steps: ['completes'],
    permits: true,
  }),
  configuration(
    'a sub-plan',
    settingsOf({ limits: { maxDepth: 1, maxTokens: 10 } }),
    {
      plans: TWO,
      steps: [...ENDS, 'is confirmed'],
      fromAbove: true,
      permits: true,
      questions: true,
      verdicts: true,
    },
    nested,
  ),
  configuration(
    'a sub-plan of a run that is paused',
    settingsOf({ limits: { maxDepth: 1 } }),
    { plans: ['one step'], steps: ENDS, fromAbove: true },
    { nested: { ...nested.nested, isPaused: true } },
  ),
  configuration(
    'processes die',
    settingsOf({
      limits: { maxParallel: 2, maxReplans: 0, maxRecoveries: 1 },
      failure: { onStepFailure: 'stop' },
    }),
    { plans: ['two steps'], steps: ENDS, takeovers: [1, 2, 3] },
  ),
  ...boundaryConfigurations,
];
