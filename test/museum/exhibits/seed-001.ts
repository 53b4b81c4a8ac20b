import { assign, setup } from 'xstate';

import { adoptPlan } from '../../../src/plan/adopt.js';
import { emptyProgress } from '../../../src/plan/progress.js';
import { validatePlan } from '../../../src/plan/validate.js';
import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Seed 001, "Bounded Re-Planning in the Executor": a worker may ask for more context, at most twice. */

interface Executed {
  readonly replansLeft: number;
  readonly isFirstDone: boolean;
  readonly firstCalls: number;
}

/** Two steps in a row. The second may request another plan; then the loop begins again, with or without results. */
const executor = (resultsAfterReplan: 'kept' | 'forgotten') =>
  setup({
    types: {
      context: {} as Executed,
      events: {} as EventNamed<'worker.answered' | 'worker.askedForContext' | 'planner.answered'>,
    },
    guards: {
      hasReplansLeft: ({ context }) => context.replansLeft > 0,
      isFirstDone: ({ context }) => context.isFirstDone,
    },
    actions: {
      countCall: assign({ firstCalls: ({ context }) => context.firstCalls + 1 }),
      keepResult: assign({ isFirstDone: true }),
      beginLoop: assign({
        replansLeft: ({ context }) => context.replansLeft - 1,
        isFirstDone: ({ context }) => resultsAfterReplan === 'kept' && context.isFirstDone,
      }),
    },
  }).createMachine({
    id: 'executor',
    context: { replansLeft: 2, isFirstDone: false, firstCalls: 0 },
    initial: 'dispatching',
    states: {
      dispatching: {
        always: [{ guard: 'isFirstDone', target: 'workingOnSecond' }, { target: 'workingOnFirst' }],
      },
      workingOnFirst: {
        entry: 'countCall',
        on: { 'worker.answered': { target: 'dispatching', actions: 'keepResult' } },
      },
      workingOnSecond: {
        on: {
          'worker.answered': 'ended',
          'worker.askedForContext': [
            { guard: 'hasReplansLeft', target: 'replanning' },
            { target: 'ended' },
          ],
        },
      },
      replanning: { on: { 'planner.answered': { target: 'dispatching', actions: 'beginLoop' } } },
      ended: { type: 'final' },
    },
  });

interface MergedStep {
  readonly id: string;
  readonly dependsOn: readonly string[];
}

/** The planner's answer every time: two steps, the second depends on the first. */
const PROPOSED: readonly MergedStep[] = [
  { id: 'dig', dependsOn: [] },
  { id: 'explain', dependsOn: ['dig'] },
];

/** The seed: new ids get a suffix, the same one each time; dependencies on new steps do not. */
const mergedAsWritten = (replans: number): readonly MergedStep[] => [
  { id: 'look', dependsOn: [] },
  ...Array.from({ length: replans }, () =>
    PROPOSED.map(({ id, dependsOn }) => ({ id: `${id}_rp`, dependsOn })),
  ).flat(),
];

/** Half a repair: dependencies follow their steps, ids still collide. */
const mergedWithDependencies = (replans: number): readonly MergedStep[] => [
  { id: 'look', dependsOn: [] },
  ...Array.from({ length: replans }, () =>
    PROPOSED.map(({ id, dependsOn }) => ({
      id: `${id}_rp`,
      dependsOn: dependsOn.map((dependency) => `${dependency}_rp`),
    })),
  ).flat(),
];

/** Our own adoption of plans, as many times. */
const mergedByPlanwright = (replans: number): readonly MergedStep[] => {
  let progress = emptyProgress;
  for (let revision = 0; revision <= replans; revision += 1) {
    const steps = revision === 0 ? [{ id: 'look', dependsOn: [] }] : PROPOSED;
    const validation = validatePlan(
      { steps: steps.map((step) => ({ ...step, agent: 'worker', task: 'Look at the source' })) },
      { agents: ['worker'], maxSteps: 15 },
    );
    if (!validation.ok) throw new Error('The plan of this exhibit is valid');
    const rules = { revision, merge: 'append', resolvesFailures: true } as const;
    ({ progress } = adoptPlan(progress, validation.plan, rules));
  }
  return progress.steps.map(({ id, dependsOn }) => ({
    id,
    dependsOn: dependsOn.map((index) => progress.steps[index]?.id ?? 'nobody'),
  }));
};

/** Every request leads to another plan, merged into the current one; at most two requests. */
const merging = (merged: (replans: number) => readonly MergedStep[]) =>
  setup({
    types: {
      context: {} as { readonly replans: number; readonly steps: readonly MergedStep[] },
      events: {} as EventNamed<'worker.answered' | 'worker.askedForContext' | 'planner.answered'>,
    },
    guards: { hasReplansLeft: ({ context }) => context.replans < 2 },
    actions: {
      mergePlan: assign(({ context }) => ({
        replans: context.replans + 1,
        steps: merged(context.replans + 1),
      })),
    },
  }).createMachine({
    id: 'merging',
    context: { replans: 0, steps: merged(0) },
    initial: 'executing',
    states: {
      executing: {
        on: {
          'worker.answered': 'ended',
          'worker.askedForContext': [
            { guard: 'hasReplansLeft', target: 'replanning' },
            { target: 'ended' },
          ],
        },
      },
      replanning: { on: { 'planner.answered': { target: 'executing', actions: 'mergePlan' } } },
      ended: { type: 'final' },
    },
  });

const idsOf = (steps: readonly MergedStep[]): Set<string> => new Set(steps.map(({ id }) => id));

interface Reported {
  readonly planned: readonly string[];
  readonly completed: readonly string[];
  readonly skipped: readonly string[];
}

/** Three steps; the second requests another plan, which has one. The defect: the third step is lost. */
const reporting = (dropped: (plan: Reported) => readonly string[]) =>
  setup({
    types: {
      context: {} as Reported,
      events: {} as EventNamed<'worker.answered' | 'worker.askedForContext' | 'planner.answered'>,
    },
    actions: {
      complete: assign({
        completed: ({ context }, step: string) => [...context.completed, step],
      }),
      mergePlan: assign(({ context }) => ({
        planned: [...context.planned, 'dig'],
        skipped: dropped(context),
      })),
    },
  }).createMachine({
    id: 'reporting',
    context: { planned: ['look', 'read', 'write'], completed: [], skipped: [] },
    initial: 'looking',
    states: {
      looking: {
        on: {
          'worker.answered': {
            target: 'reading',
            actions: { type: 'complete', params: 'look' },
          },
        },
      },
      reading: {
        on: {
          'worker.answered': {
            target: 'writing',
            actions: { type: 'complete', params: 'read' },
          },
          'worker.askedForContext': {
            target: 'replanning',
            actions: { type: 'complete', params: 'read' },
          },
        },
      },
      writing: {
        on: {
          'worker.answered': { target: 'ended', actions: { type: 'complete', params: 'write' } },
        },
      },
      replanning: { on: { 'planner.answered': { target: 'digging', actions: 'mergePlan' } } },
      digging: {
        on: {
          'worker.answered': { target: 'ended', actions: { type: 'complete', params: 'dig' } },
        },
      },
      ended: { type: 'final' },
    },
  });

interface Level {
  readonly settled: readonly string[];
  readonly asked: readonly string[];
  readonly heard: readonly string[];
}

/** Two workers in parallel; each may send a request. The planner receives all of them, or only the first. */
const level = (heard: (asked: readonly string[]) => readonly string[]) =>
  setup({
    types: {
      context: {} as Level,
      events: {} as EventNamed<
        | 'searcher.answered'
        | 'searcher.asked'
        | 'reader.answered'
        | 'reader.asked'
        | 'planner.answered'
      >,
    },
    guards: {
      isRunning: ({ context }, worker: string) => !context.settled.includes(worker),
      isLevelDone: ({ context }) => context.settled.length === 2,
      hasRequests: ({ context }) => context.settled.length === 2 && context.asked.length > 0,
    },
    actions: {
      settle: assign({ settled: ({ context }, worker: string) => [...context.settled, worker] }),
      note: assign({ asked: ({ context }, worker: string) => [...context.asked, worker] }),
      tellPlanner: assign({ heard: ({ context }) => heard(context.asked) }),
    },
  }).createMachine({
    id: 'level',
    context: { settled: [], asked: [], heard: [] },
    initial: 'working',
    states: {
      working: {
        on: {
          'searcher.answered': {
            guard: { type: 'isRunning', params: 'searcher' },
            actions: { type: 'settle', params: 'searcher' },
          },
          'searcher.asked': {
            guard: { type: 'isRunning', params: 'searcher' },
            actions: [
              { type: 'settle', params: 'searcher' },
              { type: 'note', params: 'searcher' },
            ],
          },
          'reader.answered': {
            guard: { type: 'isRunning', params: 'reader' },
            actions: { type: 'settle', params: 'reader' },
          },
          'reader.asked': {
            guard: { type: 'isRunning', params: 'reader' },
            actions: [
              { type: 'settle', params: 'reader' },
              { type: 'note', params: 'reader' },
            ],
          },
        },
        always: [
          { guard: 'hasRequests', target: 'replanning', actions: 'tellPlanner' },
          { guard: 'isLevelDone', target: 'ended' },
        ],
      },
      replanning: { on: { 'planner.answered': 'ended' } },
      ended: { type: 'final' },
    },
  });

export const seed001: readonly Exhibit[] = [
  exhibit({
    id: 'run-twice',
    title: 'Completed steps are run again after a replan',
    source: 'seed 001, checklist A.6.4',
    story:
      'The document says that completed steps are kept. The code creates its map of results inside the loop, so every replan loses them, and every completed step is paid for, and takes effect, again.',
    promise: 'A completed step is never run again.',
    ruledOut:
      'A settled step never changes: `settleStep` in `src/plan/progress.ts`. Tested by "a completed step is called exactly once across any number of replans" in `test/seeds/defects.001.test.ts`.',
    shortest: 3,
    broken: executor('forgotten'),
    fixed: executor('kept'),
    property: { kind: 'never', when: ({ context }) => context.firstCalls > 1 },
  }),
  exhibit({
    id: 'dangling-dependency',
    title: 'A step depends on a name that no longer exists',
    source: 'seed 001, checklist A.6.5',
    story:
      'New steps get the suffix `_rp`, but a new step that depends on another new step keeps the name without it. No step has that name any more, so the step waits for ever.',
    promise: 'Every dependency can be resolved after any number of replans.',
    ruledOut:
      'Dependencies are indexes that are resolved when a plan is adopted: `adoptPlan` in `src/plan/adopt.ts`, which is the fixed chart here. Tested by "ids are unique and every dependency exists, without a cycle" in `test/plan/adopt.test.ts`.',
    shortest: 2,
    broken: merging(mergedAsWritten),
    fixed: merging(mergedByPlanwright),
    property: {
      kind: 'never',
      when: ({ context: { steps } }) => {
        const ids = idsOf(steps);
        return steps.some(({ dependsOn }) => dependsOn.some((id) => !ids.has(id)));
      },
    },
  }),
  exhibit({
    id: 'duplicate-id',
    title: 'Two steps have the same name',
    source: 'seed 001, checklist A.6.5',
    story:
      'The suffix is the same for every replan. A planner that likes the name `dig` uses it twice, and from the second replan on `dig_rp` means two steps: one result overwrites the other.',
    promise: 'Ids are unique after any number of replans.',
    ruledOut:
      'The suffix carries the number of the revision and is counted on until it is free: `uniqueId` in `src/plan/adopt.ts`, which is the fixed chart here. Tested by "ids are unique and every dependency can be resolved after any number of merges" in `test/seeds/defects.001.test.ts`.',
    shortest: 4,
    broken: merging(mergedWithDependencies),
    fixed: merging(mergedByPlanwright),
    property: {
      kind: 'never',
      when: ({ context: { steps } }) => idsOf(steps).size < steps.length,
    },
  }),
  exhibit({
    id: 'dropped-silently',
    title: 'A replaced step is missing in the report',
    source: 'seed 001, checklist A.6.6',
    story:
      'The merge keeps successful steps and takes the new ones. Waiting steps are lost: not run, not skipped, not in the result. The report does not show that they were planned.',
    promise: 'Every step that was ever planned is in the report.',
    ruledOut:
      'Waiting steps that a plan replaces are settled as skipped: `withReplaced` in `src/plan/adopt.ts`. Tested by "pending steps that a new plan replaces are reported as skipped, by name and reason" in `test/seeds/defects.001.test.ts`.',
    shortest: 4,
    broken: reporting(() => []),
    fixed: reporting(({ planned, completed }) =>
      planned.filter((step) => !completed.includes(step)),
    ),
    property: {
      kind: 'never',
      when: ({ at, context: { planned, completed, skipped } }) =>
        at === 'ended' && planned.some((step) => ![...completed, ...skipped].includes(step)),
    },
  }),
  exhibit({
    id: 'one-voice',
    title: 'The planner receives one of two requests',
    source: 'seed 001, checklist A.6.7',
    story:
      'Steps of one level run side by side, and several may need more context at once. The loop keeps the first suggestion it meets and drops the others, so a replan that was paid for answers half of the requests.',
    promise: 'The planner receives every request.',
    ruledOut:
      'Requests are collected and answered in one replan: `coalesceRequests` in `src/machines/orchestrator/setup.ts`. Tested by "requests of several workers at one level all reach the planner, in one call" in `test/seeds/defects.001.test.ts`.',
    shortest: 2,
    broken: level((asked) => asked.slice(0, 1)),
    fixed: level((asked) => asked),
    property: {
      kind: 'never',
      when: ({ at, context: { asked, heard } }) =>
        at === 'replanning' && asked.some((worker) => !heard.includes(worker)),
    },
  }),
];
