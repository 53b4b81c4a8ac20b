import { assign, setup } from 'xstate';

import type { Ladder } from '../../../src/guards/escalation.js';
import { nextLadder } from '../../../src/guards/escalation.js';
import { validatePlan } from '../../../src/plan/validate.js';
import { presets } from '../../../src/policy/presets.js';
import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Seed 004, "Multi-Agent Orchestration Architecture": a supervisor, a ladder, and a time limit. */

/** The supervisor reviews the plan; a rejection leads back to the planner. The seed has no bound on that. */
const planReview = (maxReplans: number) =>
  setup({
    types: {
      context: {} as { readonly replansLeft: number },
      events: {} as EventNamed<'planner.answered' | 'supervisor.accepted' | 'supervisor.refused'>,
    },
    guards: { hasReplansLeft: ({ context }) => context.replansLeft > 0 },
    actions: { spendReplan: assign({ replansLeft: ({ context }) => context.replansLeft - 1 }) },
  }).createMachine({
    id: 'planReview',
    context: { replansLeft: maxReplans },
    initial: 'planning',
    states: {
      planning: { on: { 'planner.answered': 'reviewing' } },
      reviewing: {
        on: {
          'supervisor.accepted': 'executed',
          'supervisor.refused': [
            { guard: 'hasReplansLeft', target: 'planning', actions: 'spendReplan' },
            { target: 'failed' },
          ],
        },
      },
      executed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

/** Time is checked before a step and after it, but not during the agent call. */
const timeChecks = (stepTimeoutMs: number | null) =>
  setup({
    types: {
      context: {} as { readonly stepsLeft: number },
      events: {} as EventNamed<'agent.answered'>,
    },
    guards: { hasStepsLeft: ({ context }) => context.stepsLeft > 0 },
    actions: { takeStep: assign({ stepsLeft: ({ context }) => context.stepsLeft - 1 }) },
    delays: { stepTimeout: stepTimeoutMs ?? 0 },
  }).createMachine({
    id: 'timeChecks',
    context: { stepsLeft: 2 },
    initial: 'checkingTime',
    states: {
      checkingTime: {
        always: [
          { guard: 'hasStepsLeft', target: 'working', actions: 'takeStep' },
          { target: 'ended' },
        ],
      },
      working: {
        on: { 'agent.answered': 'checkingTime' },
        ...(stepTimeoutMs === null ? {} : { after: { stepTimeout: 'ended' as const } }),
      },
      ended: { type: 'final' },
    },
  });

interface Fleet {
  readonly coder: 'working' | 'stopped';
  readonly tester: 'working' | 'stopped';
}

/** ABORT is sent to all. The fix waits until all have acknowledged it. */
const abort = (waits: 'for nobody' | 'for all') =>
  setup({
    types: {
      context: {} as Fleet,
      events: {} as EventNamed<'run.aborted' | 'coder.stopped' | 'tester.stopped'>,
    },
    guards: {
      isOver: ({ context }) =>
        waits === 'for nobody' || (context.coder === 'stopped' && context.tester === 'stopped'),
    },
    actions: {
      noteCoder: assign({ coder: 'stopped' }),
      noteTester: assign({ tester: 'stopped' }),
      cutOff: assign({ coder: 'stopped', tester: 'stopped' }),
    },
    delays: { gracePeriod: 5000 },
  }).createMachine({
    id: 'abort',
    context: { coder: 'working', tester: 'working' },
    initial: 'executing',
    states: {
      executing: { on: { 'run.aborted': 'aborting' } },
      aborting: {
        on: {
          'coder.stopped': { actions: 'noteCoder' },
          'tester.stopped': { actions: 'noteTester' },
        },
        always: { guard: 'isOver', target: 'aborted' },
        after: { gracePeriod: { target: 'aborted', actions: 'cutOff' } },
      },
      aborted: { type: 'final' },
    },
  });

interface Verdict {
  readonly score: number;
  readonly hasIssues: boolean;
}

const { escalation } = presets.supervised();

/** The table read from the top: the first row whose score matches is the answer. */
const firstRow = (ladder: Ladder, { score, hasIssues }: Verdict): Ladder => {
  const consecutiveIssues = hasIssues ? ladder.consecutiveIssues + 1 : 0;
  if (score >= 70) return { level: 'none', consecutiveIssues };
  if (score >= 50) return { level: 'remind', consecutiveIssues };
  if (score >= 30 || consecutiveIssues >= 2) return { level: 'correct', consecutiveIssues };
  return { level: 'refocus', consecutiveIssues };
};

/** Verdict after verdict, until the ladder ends the run. */
const ladder = (next: (ladder: Ladder, verdict: Verdict) => Ladder) =>
  setup({
    types: {
      context: {} as Ladder,
      events: {} as EventNamed<'verdict.good' | 'verdict.goodWithIssue' | 'verdict.poor'>,
    },
    guards: { isAbort: ({ context }) => context.level === 'abort' },
    actions: { climb: assign(({ context }, verdict: Verdict) => next(context, verdict)) },
  }).createMachine({
    id: 'ladder',
    context: { level: 'none', consecutiveIssues: 0 },
    initial: 'supervising',
    states: {
      supervising: {
        on: {
          'verdict.good': {
            actions: { type: 'climb', params: { score: 80, hasIssues: false } },
          },
          'verdict.goodWithIssue': {
            actions: { type: 'climb', params: { score: 80, hasIssues: true } },
          },
          'verdict.poor': {
            actions: { type: 'climb', params: { score: 40, hasIssues: true } },
          },
        },
        always: { guard: 'isAbort', target: 'aborted' },
      },
      aborted: { type: 'final' },
    },
  });

const step = (id: string, dependsOn: readonly string[] = [], agent = 'coder') => ({
  id,
  agent,
  task: 'Write the code of it',
  dependsOn,
});

/** Every possible answer of a planner. */
const PLANS = {
  sound: [step('a'), step('b', ['a'])],
  circular: [step('a', ['b']), step('b', ['a'])],
  foreign: [step('a', [], 'nobody')],
  doubled: [step('a'), step('a')],
  dangling: [step('a', ['z'])],
  oversized: [step('a'), step('b'), step('c'), step('d')],
} as const;

type PlanName = keyof typeof PLANS;

interface Planned {
  readonly plan: PlanName | null;
  readonly replansLeft: number;
}

/** The planner's answer is executed directly, or validated first. */
const planCheck = (isAcceptable: (steps: (typeof PLANS)[PlanName]) => boolean) =>
  setup({
    types: {
      context: {} as Planned,
      events: {} as EventNamed<`plan.${PlanName}`>,
    },
    guards: {
      isAcceptable: ({ context }) => context.plan !== null && isAcceptable(PLANS[context.plan]),
      hasReplansLeft: ({ context }) => context.replansLeft > 0,
    },
    actions: {
      keep: assign({ plan: (_, plan: PlanName) => plan }),
      spendReplan: assign({ replansLeft: ({ context }) => context.replansLeft - 1 }),
    },
  }).createMachine({
    id: 'planCheck',
    context: { plan: null, replansLeft: 2 },
    initial: 'planning',
    states: {
      planning: {
        on: {
          'plan.sound': { target: 'checking', actions: { type: 'keep', params: 'sound' } },
          'plan.circular': { target: 'checking', actions: { type: 'keep', params: 'circular' } },
          'plan.foreign': { target: 'checking', actions: { type: 'keep', params: 'foreign' } },
          'plan.doubled': { target: 'checking', actions: { type: 'keep', params: 'doubled' } },
          'plan.dangling': { target: 'checking', actions: { type: 'keep', params: 'dangling' } },
          'plan.oversized': { target: 'checking', actions: { type: 'keep', params: 'oversized' } },
        },
      },
      checking: {
        always: [
          { guard: 'isAcceptable', target: 'executed' },
          { guard: 'hasReplansLeft', target: 'planning', actions: 'spendReplan' },
          { target: 'failed' },
        ],
      },
      executed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

export const seed004: readonly Exhibit[] = [
  exhibit({
    id: 'endless-review',
    title: 'A plan can be refused without a bound',
    source: 'seed 004, checklist A.6.16',
    story:
      'A plan that the supervisor refuses goes back to the planner. Depth, attempts and fixes all have their numbers in this design; plan refusals have none.',
    promise: 'A run ends, whatever its supervisor thinks.',
    ruledOut:
      'A refused plan leads to a replan request like every other reason, in `replanDecision` in `src/machines/orchestrator/planning.ts`. Tested by "a plan that the supervisor always refuses is replanned up to the bound, and no step runs" in `test/seeds/defects.004.test.ts`.',
    shortest: 2,
    broken: planReview(Infinity),
    fixed: planReview(3),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'hung-agent',
    title: 'Time is not checked during an agent call',
    source: 'seed 004, checklist A.6.16',
    story:
      'Time is checked before every phase and every step. An agent that hangs is between two checks, so the check that would end the run never happens.',
    promise: 'No state waits for ever.',
    ruledOut:
      'A call is left by `attemptTimeout` in `src/machines/agent-call/chart.ts`, a step by its budget, a run by its clock. Tested by "an agent that hangs between two time checks is aborted by its timeout" in `test/seeds/defects.004.test.ts`.',
    shortest: 0,
    broken: timeChecks(null),
    fixed: timeChecks(60_000),
    property: { kind: 'leavesByItself' },
  }),
  exhibit({
    id: 'no-acknowledgement',
    title: 'Agents continue after an abort',
    source: 'seed 004, checklist A.6.16',
    story:
      'ABORT is sent to all and the run is over. The run does not wait for an acknowledgement, so the report is written while the coder is still writing files.',
    promise: 'No agent works when the run has ended.',
    ruledOut:
      'A run winds down first, and after the grace period running calls are aborted: `windingDown` in `src/machines/orchestrator/chart.ts`. Tested by "an abort reaches every running agent, and every step acknowledges it in the report" in `test/seeds/defects.004.test.ts`.',
    shortest: 1,
    broken: abort('for nobody'),
    fixed: abort('for all'),
    property: {
      kind: 'never',
      when: ({ at, context: { coder, tester } }) =>
        at === 'aborted' && (coder === 'working' || tester === 'working'),
    },
  }),
  exhibit({
    id: 'two-rows',
    title: 'A good score hides the fifth issue in a row',
    source: 'seed 004, checklist A.6.17',
    story:
      'The table has a row for good scores, NONE, and one for five issues in a row, ABORT. Work that scores 80 and has its fifth issue matches both, and a reader from the top lets it pass for ever.',
    promise: 'The fifth issue in a row ends the run, whatever the score.',
    ruledOut:
      'Of all rows that match the most severe one counts: `levelFor` in `src/guards/escalation.ts`, which is the fixed chart here. Tested by "a score of 80 with the fifth issue in a row ends the run: NONE does not override ABORT" in `test/seeds/defects.004.test.ts`.',
    shortest: 5,
    broken: ladder(firstRow),
    fixed: ladder((before, verdict) => nextLadder(before, verdict, escalation)),
    property: {
      kind: 'never',
      when: ({ context: { consecutiveIssues, level } }) =>
        consecutiveIssues >= 5 && level !== 'abort',
    },
  }),
  exhibit({
    id: 'any-plan',
    title: 'An invalid plan is executed',
    source: 'all seeds, checklist A.6.18',
    story:
      'Every design checks something about a plan and none checks all of it: cycles, unknown agents, duplicate names, missing dependencies, more steps than allowed. A planner is a model and will produce each of them.',
    promise: 'Only a plan that can be executed is executed.',
    ruledOut:
      'One stage validates every plan and tells the planner all issues: `validatePlan` in `src/plan/validate.ts`, which is the fixed chart here. Tested by "every mistake in a plan is found by one stage, named, and told to the planner within the bound" in `test/seeds/defects.004.test.ts`.',
    shortest: 1,
    broken: planCheck(() => true),
    fixed: planCheck((steps) => validatePlan({ steps }, { agents: ['coder'], maxSteps: 3 }).ok),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'executed' && context.plan !== 'sound',
    },
  }),
];
