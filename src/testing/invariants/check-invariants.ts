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

/** What a run is checked against. */
export interface Promised {
  /** `orchestrator.policy`. */
  readonly policy: Policy;
  /** `orchestrator.bounds()`: when given, the run is checked against them, too. */
  readonly bounds?: Bounds | undefined;
  /** How long the run had no owner between a crash and its resumption. @default 0 */
  readonly downtimeMs?: number | undefined;
}

/**
 * Checks every promise about an ended run, from its journal or from its facts alone. It relies only on the stored
 * entries and the policy: none of the code that made the facts is used, except the cycle search. Returns all violations
 * and never throws.
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
