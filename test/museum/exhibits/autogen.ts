import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* AutoGen, Magentic-One: a ledger is written every round and says whether there is progress. */

const MAX_TURNS = 20;
const MAX_STALLS = 3;
const MAX_RETRIES = 10;

interface Rounds {
  readonly rounds: number;
  readonly stalls: number;
  /** Replans since an agent last ran. */
  readonly replansInRow: number;
}

interface RoundRules {
  /** Checked before the round is counted. */
  readonly isOutOfTurns: (rounds: number) => boolean;
  readonly stallsAfterReplan: 'kept' | 'forgotten';
}

/** Every round writes the ledger, then calls an agent; a run that stalls is replanned. */
const magentic = ({ isOutOfTurns, stallsAfterReplan }: RoundRules) =>
  setup({
    types: {
      context: {} as Rounds,
      events: {} as EventNamed<
        | 'ledger.satisfied'
        | 'ledger.progressed'
        | 'ledger.stalled'
        | 'agent.answered'
        | 'planner.answered'
      >,
    },
    guards: {
      isOutOfTurns: ({ context }) => isOutOfTurns(context.rounds),
      isStalled: ({ context }) => context.stalls >= MAX_STALLS,
    },
    actions: {
      countRound: assign({ rounds: ({ context }) => context.rounds + 1 }),
      countStall: assign({ stalls: ({ context }) => Math.min(context.stalls + 1, MAX_STALLS) }),
      easeStalls: assign({ stalls: ({ context }) => Math.max(context.stalls - 1, 0) }),
      countReplan: assign({ replansInRow: ({ context }) => context.replansInRow + 1 }),
      leaveReplan: assign({
        stalls: ({ context }) => (stallsAfterReplan === 'kept' ? context.stalls : 0),
      }),
      noteWork: assign({ replansInRow: 0 }),
    },
  }).createMachine({
    id: 'magentic',
    context: { rounds: 0, stalls: 0, replansInRow: 0 },
    initial: 'checkingTurns',
    states: {
      checkingTurns: {
        always: [
          { guard: 'isOutOfTurns', target: 'ended' },
          { target: 'writingLedger', actions: 'countRound' },
        ],
      },
      writingLedger: {
        on: {
          'ledger.satisfied': 'ended',
          'ledger.progressed': { target: 'judgingStalls', actions: 'easeStalls' },
          'ledger.stalled': { target: 'judgingStalls', actions: 'countStall' },
        },
      },
      judgingStalls: {
        always: [{ guard: 'isStalled', target: 'replanning' }, { target: 'working' }],
      },
      working: {
        entry: 'noteWork',
        on: { 'agent.answered': 'checkingTurns' },
      },
      replanning: {
        entry: 'countReplan',
        on: { 'planner.answered': { target: 'checkingTurns', actions: 'leaveReplan' } },
      },
      ended: { type: 'final' },
    },
  });

/** A ledger that is not JSON is requested again. One that lacks a key is read as if it were complete. */
const ledgerReading = (missingKeyLeadsTo: 'crashed' | 'judgingTry') =>
  setup({
    types: {
      context: {} as { readonly retriesLeft: number },
      events: {} as EventNamed<'ledger.complete' | 'ledger.notJson' | 'ledger.withoutKey'>,
    },
    guards: { hasRetriesLeft: ({ context }) => context.retriesLeft > 0 },
    actions: { spendRetry: assign({ retriesLeft: ({ context }) => context.retriesLeft - 1 }) },
  }).createMachine({
    id: 'ledgerReading',
    context: { retriesLeft: MAX_RETRIES },
    initial: 'asking',
    states: {
      asking: {
        on: {
          'ledger.complete': 'answered',
          'ledger.notJson': 'judgingTry',
          'ledger.withoutKey': missingKeyLeadsTo,
        },
      },
      judgingTry: {
        always: [
          { guard: 'hasRetriesLeft', target: 'asking', actions: 'spendRetry' },
          { target: 'crashed' },
        ],
      },
      answered: { type: 'final' },
      crashed: { type: 'final' },
    },
  });

export const autogen: readonly Exhibit[] = [
  exhibit({
    id: 'one-round-more',
    title: 'A limit of twenty rounds allows twenty-one',
    source: 'AutoGen Magentic-One, field study B.3 a; seen in 56 of 165 public logs',
    story:
      'The bound is tested with `>` before the round is counted. With `max_turns=20` every run that hits the bound has had 21 rounds, and each of them was paid for.',
    promise: 'No bound is exceeded, not even by one.',
    ruledOut:
      'A bound is compared with `<` before the bounded action begins: `canReplan` in `src/guards/budget.ts`. Tested by "is requested exactly maxReplans times" in `test/guards/budget.test.ts`.',
    shortest: 40,
    broken: magentic({
      isOutOfTurns: (rounds) => rounds > MAX_TURNS,
      stallsAfterReplan: 'forgotten',
    }),
    fixed: magentic({
      isOutOfTurns: (rounds) => rounds >= MAX_TURNS,
      stallsAfterReplan: 'forgotten',
    }),
    property: { kind: 'never', when: ({ context }) => context.rounds > MAX_TURNS },
  }),
  exhibit({
    id: 'unreset-stalls',
    title: 'A new plan is replaced before an agent tries it',
    source: 'AutoGen Magentic-One, field study B.3 b',
    story:
      'Three stalled rounds lead to a new plan, and the count of stalls is not reset. The next round stalls for the fourth time before any agent has seen the new plan, so it is replaced by another: of 21 rounds 19 are replans, and agents work twice.',
    promise: 'Between two replans an agent works.',
    ruledOut:
      'An adopted plan resolves the failures before it: `resolvesFailures` in `src/plan/adopt.ts`. Tested by "resolves earlier failures, unless it is a hand-off" in `test/plan/adopt.test.ts`.',
    shortest: 7,
    broken: magentic({
      isOutOfTurns: (rounds) => rounds >= MAX_TURNS,
      stallsAfterReplan: 'kept',
    }),
    fixed: magentic({
      isOutOfTurns: (rounds) => rounds >= MAX_TURNS,
      stallsAfterReplan: 'forgotten',
    }),
    property: { kind: 'never', when: ({ context }) => context.replansInRow > 1 },
  }),
  exhibit({
    id: 'missing-key',
    title: 'A ledger with a missing key is not retried',
    source: 'autogen#7913, field study B.3 f',
    story:
      'A ledger that is not JSON is requested again, up to ten times. A ledger that is JSON but lacks a key raises an error of another kind, which no retry catches: the run crashes at the first one.',
    promise: 'A malformed answer is retried while tries are left.',
    ruledOut:
      'Every answer of a role is validated inside the try, so a malformed answer is a failed try: `canRetry` in `src/guards/retry.ts`. Tested by "is retried for planner, supervisor, tester and summarizer alike" in `test/scenarios/retries.test.ts`.',
    shortest: 1,
    broken: ledgerReading('crashed'),
    fixed: ledgerReading('judgingTry'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'crashed' && context.retriesLeft > 0,
    },
  }),
];
