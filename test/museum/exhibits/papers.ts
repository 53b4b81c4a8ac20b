import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* The code of papers: LLMCompiler and ADaPT. */

/** The second task polls for the event of the first. A task that raises an exception never sets it. */
const fetching = (raisedSets: 'nothing' | 'the event') =>
  setup({
    types: {
      context: {} as { readonly isEventSet: boolean },
      events: {} as EventNamed<'task.answered' | 'task.raised' | 'loop.turned'>,
    },
    guards: { isEventSet: ({ context }) => context.isEventSet },
    actions: {
      setEvent: assign({ isEventSet: true }),
      noteRaise: assign({ isEventSet: raisedSets === 'the event' }),
    },
  }).createMachine({
    id: 'fetching',
    context: { isEventSet: false },
    initial: 'workingOnFirst',
    states: {
      workingOnFirst: {
        on: {
          'task.answered': { target: 'polling', actions: 'setEvent' },
          'task.raised': { target: 'polling', actions: 'noteRaise' },
        },
      },
      polling: {
        on: { 'loop.turned': [{ guard: 'isEventSet', target: 'joined' }, { target: 'polling' }] },
      },
      joined: { type: 'final' },
    },
  });

const MAX_REPLANS = 2;

interface Iterations {
  readonly replans: number;
  readonly wantsReplan: boolean;
}

/** A loop over range(max_replans), whose first turn is the first plan. */
const joiner = (iterations: number) =>
  setup({
    types: {
      context: {} as Iterations,
      events: {} as EventNamed<'planner.answered' | 'joiner.finished' | 'joiner.askedForReplan'>,
    },
    guards: { hasIterationsLeft: ({ context }) => context.replans + 1 < iterations },
    actions: {
      noteWish: assign({ wantsReplan: true }),
      countReplan: assign({
        replans: ({ context }) => context.replans + 1,
        wantsReplan: false,
      }),
    },
  }).createMachine({
    id: 'joiner',
    context: { replans: 0, wantsReplan: false },
    initial: 'planning',
    states: {
      planning: { on: { 'planner.answered': 'joining' } },
      joining: {
        on: {
          'joiner.finished': 'ended',
          'joiner.askedForReplan': { target: 'judging', actions: 'noteWish' },
        },
      },
      judging: {
        always: [
          { guard: 'hasIterationsLeft', target: 'planning', actions: 'countReplan' },
          { target: 'ended' },
        ],
      },
      ended: { type: 'final' },
    },
  });

const DOCUMENTED_DEPTH = 3;

/** A task that cannot be executed is decomposed, one level deeper. */
const decomposition = (maxDepth: number) =>
  setup({
    types: {
      context: {} as { readonly depth: number },
      events: {} as EventNamed<'executor.answered' | 'executor.failed' | 'planner.answered'>,
    },
    guards: { canGoDeeper: ({ context }) => context.depth < maxDepth },
    actions: { goDeeper: assign({ depth: ({ context }) => context.depth + 1 }) },
  }).createMachine({
    id: 'decomposition',
    context: { depth: 0 },
    initial: 'executing',
    states: {
      executing: {
        on: {
          'executor.answered': 'completed',
          'executor.failed': [
            { guard: 'canGoDeeper', target: 'decomposing' },
            { target: 'failed' },
          ],
        },
      },
      decomposing: { on: { 'planner.answered': { target: 'executing', actions: 'goDeeper' } } },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

export const papers: readonly Exhibit[] = [
  exhibit({
    id: 'silent-raise',
    title: 'A task that raises never signals its end',
    source: 'LLMCompiler, field study B.10',
    story:
      'A task sets an event when it is done, and its dependents poll for that event every 10 ms. A task that raises never sets it, so the scheduler polls for ever.',
    promise: 'A run ends, whichever of its tasks fail.',
    ruledOut:
      'A call that throws has an outcome like any other, and its dependents are settled with it: `settleStep` in `src/plan/progress.ts`. Tested by "every waiting step can be settled" in `test/plan/progress.test.ts`.',
    shortest: 2,
    broken: fetching('nothing'),
    fixed: fetching('the event'),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'iterations-not-replans',
    title: 'A limit of two replans allows one',
    source: 'LLMCompiler, field study B.10',
    story:
      '`max_replans` is the length of a loop whose first turn is the first plan. Two replans at most means one, and one means none.',
    promise: 'A replan that the limit allows is made.',
    ruledOut:
      'The first plan is not a replan, and the unit is in the name: `maxReplans` in `src/guards/budget.ts`. Tested by "is requested exactly maxReplans times" in `test/guards/budget.test.ts`.',
    shortest: 4,
    broken: joiner(MAX_REPLANS),
    fixed: joiner(MAX_REPLANS + 1),
    property: {
      kind: 'never',
      when: ({ at, context: { wantsReplan, replans } }) =>
        at === 'ended' && wantsReplan && replans < MAX_REPLANS,
    },
  }),
  exhibit({
    id: 'depth-four',
    title: 'A depth of three allows four levels',
    source: 'ADaPT, field study B.10; the same doubt about the unit in RikkaRs#5',
    story:
      'The published results are in files named `maxd3`, and the code that made them says `max_depth = 4`. Whether the root is a level is written nowhere, so the bound means one thing to the author and another to the reader.',
    promise: 'Nothing is nested deeper than the documented three levels.',
    ruledOut:
      '`limits.maxDepth` is the number of nested levels, and the root is at depth 0: `canSubplan` in `src/guards/step.ts`. Tested by "gets no sub-plan below the depth limit: blocked at every depth, it fails at every depth" in `test/scenarios/subplans.test.ts`.',
    shortest: 8,
    broken: decomposition(4),
    fixed: decomposition(DOCUMENTED_DEPTH),
    property: { kind: 'never', when: ({ context }) => context.depth > DOCUMENTED_DEPTH },
  }),
];
