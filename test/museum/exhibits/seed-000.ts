import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Seed 000, "Orchestrator Re-Planning Instructions": any agent may hand off to another. */

/** Review, fix, review again, while replans are left. The seed never counts them, so it has infinitely many. */
const collaboration = (maxReplans: number) =>
  setup({
    types: {
      context: {} as { readonly replansLeft: number },
      events: {} as EventNamed<'reviewer.approved' | 'reviewer.asked' | 'fixer.answered'>,
    },
    guards: { hasReplansLeft: ({ context }) => context.replansLeft > 0 },
    actions: { spendReplan: assign({ replansLeft: ({ context }) => context.replansLeft - 1 }) },
  }).createMachine({
    id: 'collaboration',
    context: { replansLeft: maxReplans },
    initial: 'reviewing',
    states: {
      reviewing: {
        on: {
          'reviewer.approved': 'ended',
          'reviewer.asked': [
            { guard: 'hasReplansLeft', target: 'fixing', actions: 'spendReplan' },
            { target: 'ended' },
          ],
        },
      },
      fixing: { on: { 'fixer.answered': 'reviewing' } },
      ended: { type: 'final' },
    },
  });

interface Hint {
  /** The query in the state of the run. */
  readonly query: string | null;
  /** The query of the last request. */
  readonly asked: string | null;
  /** The task of the added step. */
  readonly added: string | null;
}

/** A request is two fields in the state. The error path clears the flag; the fix also clears the fields. */
const requests = (clear: (context: Hint) => Partial<Hint>) =>
  setup({
    types: {
      context: {} as Hint,
      events: {} as EventNamed<'request.toNobody' | 'request.toFixer' | 'fixer.answered'>,
    },
    actions: {
      keepQuery: assign({ query: 'Delete the old tables', asked: 'Delete the old tables' }),
      keepRequestWithoutQuery: assign({ asked: null }),
      clearFlags: assign(({ context }) => clear(context)),
      addStep: assign({ added: ({ context }) => context.query ?? 'Continue work' }),
    },
  }).createMachine({
    id: 'requests',
    context: { query: null, asked: null, added: null },
    initial: 'working',
    states: {
      working: {
        on: {
          'request.toNobody': { target: 'refusingRequest', actions: 'keepQuery' },
          'request.toFixer': {
            target: 'fixing',
            actions: ['keepRequestWithoutQuery', 'addStep'],
          },
        },
      },
      refusingRequest: { always: { target: 'working', actions: 'clearFlags' } },
      fixing: { on: { 'fixer.answered': 'ended' } },
      ended: { type: 'final' },
    },
  });

interface Listened {
  readonly plan: readonly string[];
  /** The value a listener received, and its content at that time. */
  readonly handed: readonly string[] | null;
  readonly handedText: string;
}

/** A listener receives the plan; then an agent requests one more step. */
const listeners = (append: (plan: readonly string[], step: string) => readonly string[]) =>
  setup({
    types: {
      context: {} as Listened,
      events: {} as EventNamed<'listener.subscribed' | 'agent.asked' | 'agent.answered'>,
    },
    actions: {
      handOver: assign({
        handed: ({ context }) => context.plan,
        handedText: ({ context }) => context.plan.join(', '),
      }),
      addStep: assign({ plan: ({ context }) => append(context.plan, 'fix') }),
    },
  }).createMachine({
    id: 'listeners',
    context: () => ({ plan: ['review'], handed: null, handedText: '' }),
    initial: 'planned',
    states: {
      planned: {
        on: {
          'listener.subscribed': { target: 'watched', actions: 'handOver' },
          'agent.answered': 'ended',
        },
      },
      watched: {
        on: {
          'agent.asked': { target: 'extended', actions: 'addStep' },
          'agent.answered': 'ended',
        },
      },
      extended: { on: { 'agent.answered': 'ended' } },
      ended: { type: 'final' },
    },
  });

export const seed000: readonly Exhibit[] = [
  exhibit({
    id: 'ping-pong',
    title: 'The reviewer and the fixer hand off for ever',
    source: 'seed 000, checklist A.6.1',
    story:
      'Any agent may add a step for any other, and the loop continues while an agent asks. A reviewer that is never satisfied and a fixer that always answers call each other without a bound.',
    promise: 'A run ends, whatever its agents ask for.',
    ruledOut:
      'One replan budget for all requests: `canReplan` in `src/guards/budget.ts`. Tested by "two agents that always hand off to each other end at the bound, with all results kept" in `test/seeds/defects.000.test.ts`.',
    shortest: 2,
    broken: collaboration(Infinity),
    fixed: collaboration(3),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'stale-hint',
    title: 'A refused request is granted to the next agent',
    source: 'seed 000, checklist A.6.2',
    story:
      'An agent asks for an unknown agent. The error path clears `needs_replan` and forgets the two fields beside it, so the next agent that asks without its own query passes on the refused one.',
    promise: 'A step that is added does what its own request asked for.',
    ruledOut:
      'A request is part of its answer, never a field that stays: `coalesceRequests` in `src/machines/orchestrator/setup.ts`. Tested by "a refused request leaves no agent and no query for the next one to inherit" in `test/seeds/defects.000.test.ts`.',
    shortest: 2,
    broken: requests(() => ({})),
    fixed: requests(() => ({ query: null })),
    property: {
      kind: 'never',
      when: ({ context: { added, asked } }) =>
        added !== null && added !== (asked ?? 'Continue work'),
    },
  }),
  exhibit({
    id: 'shared-list',
    title: 'A plan changes after a listener received it',
    source: 'seed 000, checklist A.6.3',
    story:
      'The new step is pushed onto the list and the list is copied afterwards. A listener that received the plan before the push sees the new step in it.',
    promise: 'A delivered value never changes.',
    ruledOut:
      'Plans are adopted into new lists, and facts are frozen when they are delivered: `adoptPlan` in `src/plan/adopt.ts`. Tested by "holders of a plan, a record or a fact see no later change in it" in `test/seeds/defects.000.test.ts`.',
    shortest: 2,
    broken: listeners((plan, step) => {
      (plan as string[]).push(step);
      return [...plan];
    }),
    fixed: listeners((plan, step) => [...plan, step]),
    property: {
      kind: 'never',
      when: ({ context: { handed, handedText } }) =>
        handed !== null && handed.join(', ') !== handedText,
    },
  }),
];
