import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { Bounds } from '../../policy/bounds.js';
import type { Policy } from '../../model/policy.js';
import { checkApprovals } from './approvals.js';
import { checkBudgets } from './budgets.js';
import { checkCalls } from './calls.js';
import { checkDeadlines } from './deadlines.js';
import { checkEnding } from './endings.js';
import type { Violation } from './evidence.js';
import { checkIdleness } from './idleness.js';
import { checkJournal } from './journal.js';
import { checkLadder } from './ladder.js';
import { checkOrder } from './order.js';
import { checkPauses } from './pauses.js';
import { checkPlans } from './plans.js';
import { checkRecoveries } from './recoveries.js';
import { checkSteps } from './steps.js';
import { checkVotes } from './votes.js';

const CHECKS = [
  checkJournal,
  checkOrder,
  checkSteps,
  checkIdleness,
  checkCalls,
  checkBudgets,
  checkRecoveries,
  checkDeadlines,
  checkPauses,
  checkPlans,
  checkLadder,
  checkApprovals,
  checkVotes,
  checkEnding,
];

/** What a run is held to. */
export interface Promised {
  /** `orchestrator.policy`. */
  readonly policy: Policy;
  /** `orchestrator.bounds()`: given, the run is held to its price tag as well. */
  readonly bounds?: Bounds | undefined;
  /** For how long the run lay idle between a crash and its resumption. @default 0 */
  readonly downtimeMs?: number | undefined;
}

/**
 * Every promise that can be read off a run that has ended: off its journal, or off its facts alone. It trusts nothing
 * but what was written down and the policy: none of the code that made the facts is asked, except what a cycle is.
 * Returns all that was broken, in no case an exception.
 *
 * @example
 * ```ts
 * const { policy } = orchestrator;
 * expect(checkInvariants(run.journal(), { policy, bounds: orchestrator.bounds() })).toEqual([]);
 * ```
 */
export const checkInvariants = (
  journal: readonly JournalEntry[] | readonly Fact[],
  { policy, bounds, downtimeMs = 0 }: Promised,
): readonly Violation[] => {
  const entries = journal.filter((item): item is JournalEntry => 'facts' in item);
  const facts = journal.flatMap((item) => ('facts' in item ? item.facts : [item]));
  return CHECKS.flatMap((check) => check({ facts, entries, policy, bounds, downtimeMs }));
};
