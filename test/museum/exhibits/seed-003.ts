import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Seed 003, "Plan-and-Execute Graph Architecture": an agent node and a replan node take turns. */

type Status = 'pending' | 'completed' | 'failed' | 'skipped';

interface Tasks {
  readonly first: Status;
  readonly second: Status;
}

const FINAL: readonly Status[] = ['completed', 'failed', 'skipped'];

/** Two tasks, the second depends on the first. The defect: the second waits for ever when the first fails. */
const graph = (secondAfterFailure: 'pending' | 'skipped') =>
  setup({
    types: {
      context: {} as Tasks,
      events: {} as EventNamed<'loop.turned' | 'agent.answered' | 'agent.failed'>,
    },
    guards: {
      isFirstExecutable: ({ context }) => context.first === 'pending',
      isSecondExecutable: ({ context }) =>
        context.second === 'pending' && ['completed', 'skipped'].includes(context.first),
      isPlanComplete: ({ context }) =>
        FINAL.includes(context.first) && FINAL.includes(context.second),
    },
    actions: {
      completeFirst: assign({ first: 'completed' }),
      failFirst: assign({ first: 'failed', second: secondAfterFailure }),
      completeSecond: assign({ second: 'completed' }),
      failSecond: assign({ second: 'failed' }),
    },
  }).createMachine({
    id: 'graph',
    context: { first: 'pending', second: 'pending' },
    initial: 'executing',
    states: {
      executing: {
        on: {
          'loop.turned': [
            { guard: 'isFirstExecutable', target: 'workingOnFirst' },
            { guard: 'isSecondExecutable', target: 'workingOnSecond' },
            { target: 'replanning' },
          ],
        },
      },
      workingOnFirst: {
        on: {
          'agent.answered': { target: 'replanning', actions: 'completeFirst' },
          'agent.failed': { target: 'replanning', actions: 'failFirst' },
        },
      },
      workingOnSecond: {
        on: {
          'agent.answered': { target: 'replanning', actions: 'completeSecond' },
          'agent.failed': { target: 'replanning', actions: 'failSecond' },
        },
      },
      replanning: {
        on: {
          'loop.turned': [
            { guard: 'isPlanComplete', target: 'summarized' },
            { target: 'executing' },
          ],
        },
      },
      summarized: { type: 'final' },
    },
  });

interface Skipping {
  readonly wasSkipped: boolean;
  readonly skipped: readonly (string | number)[];
}

/** A person skips a task before its turn. */
const skipping = (entry: string | number) =>
  setup({
    types: {
      context: {} as Skipping,
      events: {} as EventNamed<'person.skipped' | 'loop.turned' | 'agent.answered'>,
    },
    guards: {
      isSkipped: ({ context }) => context.skipped.includes('task-1'),
      isNotSkippedYet: ({ context }) => !context.wasSkipped,
    },
    actions: { skip: assign({ wasSkipped: true, skipped: [entry] }) },
  }).createMachine({
    id: 'skipping',
    context: { wasSkipped: false, skipped: [] },
    initial: 'executing',
    states: {
      executing: {
        on: {
          'person.skipped': { guard: 'isNotSkippedYet', actions: 'skip' },
          'loop.turned': [{ guard: 'isSkipped', target: 'ended' }, { target: 'working' }],
        },
      },
      working: { on: { 'agent.answered': 'ended' } },
      ended: { type: 'final' },
    },
  });

/** Results are a command, data or text; anything else is converted. */
const results = (otherKindsAre: 'text' | 'refused') =>
  setup({
    types: {
      context: {} as { readonly isUnderstood: boolean },
      events: {} as EventNamed<
        'result.command' | 'result.data' | 'result.text' | 'result.artifact'
      >,
    },
    guards: { isTakenForText: () => otherKindsAre === 'text' },
    actions: { noteOther: assign({ isUnderstood: false }) },
  }).createMachine({
    id: 'results',
    context: { isUnderstood: true },
    initial: 'calling',
    states: {
      calling: {
        on: {
          'result.command': 'interrupted',
          'result.data': 'completed',
          'result.text': 'completed',
          'result.artifact': { target: 'reading', actions: 'noteOther' },
        },
      },
      reading: {
        always: [{ guard: 'isTakenForText', target: 'completed' }, { target: 'failed' }],
      },
      interrupted: { type: 'final' },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

export const seed003: readonly Exhibit[] = [
  exhibit({
    id: 'livelock',
    title: 'A task waits for a failed dependency for ever',
    source: 'seed 003, checklist A.6.13',
    story:
      'A task whose dependency failed can never run, because only completed and skipped tasks satisfy it, and is never final, because it never ran. The plan is never complete, so the two nodes alternate until the recursion limit ends the run without its results.',
    promise: 'A run ends, whichever of its tasks fail.',
    ruledOut:
      'A failure settles everything behind it in the same step: `settleStep` in `src/plan/progress.ts`. Tested by "a task behind a failed dependency is settled, so that the plan is complete and the run ends" in `test/seeds/defects.003.test.ts`, and for 33,867 worlds in [`test/scenarios/dags.test.ts`](../../test/scenarios/dags.test.ts).',
    shortest: 4,
    broken: graph('pending'),
    fixed: graph('skipped'),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'skip-by-number',
    title: 'A task skipped by number runs by name',
    source: 'seed 003, checklist A.6.14',
    story:
      'The list of skipped tasks holds numbers, and the filter compares them with ids, which are text. No number equals a text, so the task that a person skipped still runs.',
    promise: 'A task that was skipped does not run.',
    ruledOut:
      'Commands are validated first and name steps by id: `refusalOf` in `src/guards/commands.ts`. Tested by "a number instead of a name is refused and skips nothing" in `test/seeds/defects.003.test.ts`.',
    shortest: 2,
    broken: skipping(1),
    fixed: skipping('task-1'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'working' && context.wasSkipped,
    },
  }),
  exhibit({
    id: 'unknown-kind',
    title: 'A result of an unknown kind becomes a text',
    source: 'seed 003, checklist A.6.15',
    story:
      'Remote agents answer with a command, with data or with text. The last branch has no condition, so an unexpected kind, an error envelope for instance, is turned into text and the task is completed.',
    promise: 'Only an answer that was understood completes a task.',
    ruledOut:
      'Every answer is validated by a schema, and an answer that does not match is a failure: `bounded` in `src/actors/outcome.ts`. Tested by "a result of an unknown kind fails as invalid-output and never becomes a text" in `test/seeds/defects.003.test.ts`.',
    shortest: 1,
    broken: results('text'),
    fixed: results('refused'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'completed' && !context.isUnderstood,
    },
  }),
];
