import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Microsoft Agent Framework, Magentic: AutoGen's loop, rewritten. */

const MAX_STALLS = 3;

/** Rounds that stall are counted. The limit has the same name and number as before; the comparison differs. */
const stallCount = (isStalled: (stalls: number) => boolean) =>
  setup({
    types: {
      context: {} as { readonly stalls: number },
      events: {} as EventNamed<'ledger.satisfied' | 'ledger.stalled' | 'agent.answered'>,
    },
    guards: { isStalled: ({ context }) => isStalled(context.stalls) },
    actions: { countStall: assign({ stalls: ({ context }) => context.stalls + 1 }) },
  }).createMachine({
    id: 'stallCount',
    context: { stalls: 0 },
    initial: 'writingLedger',
    states: {
      writingLedger: {
        on: {
          'ledger.satisfied': 'ended',
          'ledger.stalled': { target: 'judgingStalls', actions: 'countStall' },
        },
      },
      judgingStalls: {
        always: [{ guard: 'isStalled', target: 'replanned' }, { target: 'working' }],
      },
      working: { on: { 'agent.answered': 'writingLedger' } },
      replanned: { type: 'final' },
      ended: { type: 'final' },
    },
  });

interface Resets {
  readonly resets: number;
  readonly isPlanTried: boolean;
}

/** One reset is allowed. The check comes before the planner call or after it. */
const resets = (limitIsTested: 'before' | 'after') =>
  setup({
    types: {
      context: {} as Resets,
      events: {} as EventNamed<'work.satisfied' | 'work.stalled' | 'planner.answered'>,
    },
    guards: {
      isRefusedBefore: ({ context }) => limitIsTested === 'before' && context.resets >= 1,
      isRefusedAfter: ({ context }) => limitIsTested === 'after' && context.resets >= 1,
    },
    actions: {
      countReset: assign({ resets: ({ context }) => context.resets + 1, isPlanTried: false }),
      tryPlan: assign({ isPlanTried: true }),
    },
  }).createMachine({
    id: 'resets',
    context: { resets: 0, isPlanTried: false },
    initial: 'working',
    states: {
      working: {
        entry: 'tryPlan',
        on: { 'work.satisfied': 'ended', 'work.stalled': 'judgingReset' },
      },
      judgingReset: {
        always: [{ guard: 'isRefusedBefore', target: 'ended' }, { target: 'replanning' }],
      },
      replanning: {
        entry: 'countReset',
        on: { 'planner.answered': 'checkingLimits' },
      },
      checkingLimits: {
        always: [{ guard: 'isRefusedAfter', target: 'ended' }, { target: 'working' }],
      },
      ended: { type: 'final' },
    },
  });

/** A ledger that cannot be written leads to a replan, which writes the ledger. By default this never ends. */
const outage = (maxResets: number) =>
  setup({
    types: {
      context: {} as { readonly resetsLeft: number },
      events: {} as EventNamed<'ledger.failed' | 'ledger.written' | 'planner.answered'>,
    },
    guards: { hasResetsLeft: ({ context }) => context.resetsLeft > 0 },
    actions: { spendReset: assign({ resetsLeft: ({ context }) => context.resetsLeft - 1 }) },
  }).createMachine({
    id: 'outage',
    context: { resetsLeft: maxResets },
    initial: 'writingLedger',
    states: {
      writingLedger: {
        on: {
          'ledger.written': 'worked',
          'ledger.failed': [
            { guard: 'hasResetsLeft', target: 'replanning', actions: 'spendReset' },
            { target: 'failed' },
          ],
        },
      },
      replanning: { on: { 'planner.answered': 'writingLedger' } },
      worked: { type: 'final' },
      failed: { type: 'final' },
    },
  });

/** The ledger names the next speaker. The defect: an unknown name. */
const nextSpeaker = (strangerLeadsTo: 'completed' | 'failed') =>
  setup({
    types: {
      context: {} as { readonly isSatisfied: boolean; readonly turnsLeft: number },
      events: {} as EventNamed<
        'ledger.satisfied' | 'ledger.namedAgent' | 'ledger.namedStranger' | 'agent.answered'
      >,
    },
    guards: { hasTurnsLeft: ({ context }) => context.turnsLeft > 0 },
    actions: {
      noteSatisfied: assign({ isSatisfied: true }),
      spendTurn: assign({ turnsLeft: ({ context }) => context.turnsLeft - 1 }),
    },
  }).createMachine({
    id: 'nextSpeaker',
    context: { isSatisfied: false, turnsLeft: 3 },
    initial: 'writingLedger',
    states: {
      writingLedger: {
        on: {
          'ledger.satisfied': { target: 'completed', actions: 'noteSatisfied' },
          'ledger.namedAgent': [
            { guard: 'hasTurnsLeft', target: 'working', actions: 'spendTurn' },
            { target: 'failed' },
          ],
          'ledger.namedStranger': strangerLeadsTo,
        },
      },
      working: { on: { 'agent.answered': 'writingLedger' } },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

/** A person reviews the plan and may have it revised until it is approved. */
const revisions = (maxRevisions: number) =>
  setup({
    types: {
      context: {} as { readonly revisionsLeft: number },
      events: {} as EventNamed<'person.approved' | 'person.revised' | 'planner.answered'>,
    },
    guards: { hasRevisionsLeft: ({ context }) => context.revisionsLeft > 0 },
    actions: {
      spendRevision: assign({ revisionsLeft: ({ context }) => context.revisionsLeft - 1 }),
    },
  }).createMachine({
    id: 'revisions',
    context: { revisionsLeft: maxRevisions },
    initial: 'awaitingApproval',
    states: {
      awaitingApproval: {
        on: {
          'person.approved': 'executed',
          'person.revised': [
            { guard: 'hasRevisionsLeft', target: 'replanning', actions: 'spendRevision' },
            { target: 'failed' },
          ],
        },
      },
      replanning: { on: { 'planner.answered': 'awaitingApproval' } },
      executed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

export const agentFramework: readonly Exhibit[] = [
  exhibit({
    id: 'stall-drift',
    title: 'The renamed comparison allows one stalled round more',
    source: 'Microsoft Agent Framework Magentic, field study B.3 c',
    story:
      'AutoGen replans when the stalls reach the maximum, its successor when they exceed it. The option kept its name and its default, so users who migrate pay for one more stalled round without a notice.',
    promise: 'After the third stalled round no agent works on the old plan.',
    ruledOut:
      'One failure limit, defined once and compared once: `hasTooManyFailures` in `src/guards/schedule.ts`. Tested by "is the one of the policy: with maxFailures 0 the first failure stops the run" in `test/scenarios/failures.test.ts`.',
    shortest: 5,
    broken: stallCount((stalls) => stalls > MAX_STALLS),
    fixed: stallCount((stalls) => stalls >= MAX_STALLS),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'working' && context.stalls >= MAX_STALLS,
    },
  }),
  exhibit({
    id: 'thrown-away-plan',
    title: 'The last plan is paid for and never tried',
    source: 'Microsoft Agent Framework Magentic, field study B.3 d',
    story:
      'The limit of resets is tested after the planner has answered. The last plan is always paid for and never tried; with a limit of one no new plan ever runs. A test of the project asserts that.',
    promise: 'A plan that was paid for is tried.',
    ruledOut:
      'The budget is checked before the planner is called: `replanDecision` in `src/machines/orchestrator/planning.ts`. Tested by "spends the budget when the planner is called, whatever it answers: one budget for all reasons" in `test/scenarios/replans.test.ts`.',
    shortest: 2,
    broken: resets('after'),
    fixed: resets('before'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'ended' && !context.isPlanTried,
    },
  }),
  exhibit({
    id: 'outage',
    title: 'An outage makes the loop call the model for ever',
    source: 'Microsoft Agent Framework Magentic, field study B.3 e',
    story:
      'A ledger that cannot be written leads to a new plan, after which the ledger is written. The limits of rounds and resets are `None` by default, so an outage makes the loop call itself without ever calling an agent.',
    promise: 'A run ends, even when no model answers.',
    ruledOut:
      'Limits are finite by type, and a failing role ends its own call first: `retry.attempts` is one of the bounds, and `canRetry` in `src/guards/retry.ts` asks for it. Tested by "by throwing is called retry.attempts times, then the run fails" in `test/scenarios/planner-failures.test.ts`.',
    shortest: 2,
    broken: outage(Infinity),
    fixed: outage(3),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'invalid-speaker',
    title: 'An unknown next speaker counts as success',
    source: 'Microsoft Agent Framework Magentic, field study B.3 f',
    story:
      'The ledger names the next speaker. When there is no such agent the loop treats its results as the final answer: a mistake of the model is reported as success.',
    promise: 'A run is completed only when the goal was found to be met.',
    ruledOut:
      'A plan with an unknown agent is refused with the known names: `unknown-agent` in `src/plan/validate.ts`. Tested by "when it names an unknown agent, with the known ones listed" in `test/plan/validate.test.ts`.',
    shortest: 1,
    broken: nextSpeaker('completed'),
    fixed: nextSpeaker('failed'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'completed' && !context.isSatisfied,
    },
  }),
  exhibit({
    id: 'revised-for-ever',
    title: 'Plan revisions count against no bound',
    source: 'Microsoft Agent Framework Magentic, field study B.3',
    story:
      'A person may have the plan revised, "again until approved". A revision counts neither as a round nor as a reset, so no bound of the run limits it.',
    promise: 'A run ends, whatever its people answer.',
    ruledOut:
      'A rejected plan is a reason to replan and spends the same budget: `rejectionDecision` in `src/machines/orchestrator/planning.ts`. Tested by "ends the run at the replan bound, without a step, when every plan is rejected" in `test/scenarios/plan-approval.test.ts`.',
    shortest: 2,
    broken: revisions(Infinity),
    fixed: revisions(3),
    property: { kind: 'ends' },
  }),
];
