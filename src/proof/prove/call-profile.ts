import type { Metric, Weights } from './metrics.js';

/*
 * Under a call budget, the maximum of every other metric depends on the calls left for it. So a cost is no longer one
 * number per metric: it is the fewest calls that reach each amount.
 */

/** The metrics that calls are spent on. Calls and time themselves are bounded by other means. */
export const BUDGETED_METRICS = [
  'plannerCalls',
  'replans',
  'steps',
  'depth',
  'approvals',
] as const satisfies readonly Metric[];

export type BudgetedMetric = (typeof BUDGETED_METRICS)[number];

/** The fewest calls to reach at least each amount, within the budget. Empty: unreachable. */
export type FewestCalls = readonly number[];

export interface CallProfile {
  readonly budget: number;
  readonly fewest: Readonly<Record<BudgetedMetric, FewestCalls>>;
  /** Equal for equal profiles. */
  readonly id: string;
}

export const profileOf = (
  budget: number,
  fewestOf: (metric: BudgetedMetric) => FewestCalls,
): CallProfile => {
  const entries = BUDGETED_METRICS.map((metric) => [metric, fewestOf(metric)] as const);
  const id = entries.map(([, fewest]) => fewest.join()).join(';');
  return { budget, fewest: Object.fromEntries(entries) as CallProfile['fewest'], id };
};

/** A cost that is impossible within the budget. */
export const impossible = (budget: number): CallProfile => profileOf(budget, () => []);

/** The same cost, or none. */
export const orNothing = ({ profile, ...cost }: Weights): Weights =>
  profile === undefined
    ? cost
    : {
        ...cost,
        profile: profileOf(profile.budget, (metric) => [0, ...profile.fewest[metric].slice(1)]),
      };

/** Both costs, one after the other. */
export const profileOfSum = (left: Weights, right: Weights): CallProfile | undefined => {
  const budget = (left.profile ?? right.profile)?.budget;
  if (budget === undefined) return undefined;
  return profileOf(budget, (metric) =>
    bothOf(metric, budget, fewestIn(left, metric, budget), fewestIn(right, metric, budget)),
  );
};

/** A cost without a profile reaches its full amount with all of its calls. */
export const fewestIn = (cost: Weights, metric: BudgetedMetric, budget: number): FewestCalls => {
  if (cost.profile !== undefined) return cost.profile.fewest[metric];
  if (cost.agentCalls > budget) return [];
  return Array.from({ length: cost[metric] + 1 }, () => cost.agentCalls);
};

/** Amounts and their calls add up; of two depths the greater one counts. */
export const bothOf = (
  metric: BudgetedMetric,
  budget: number,
  left: FewestCalls,
  right: FewestCalls,
): FewestCalls => {
  if (left.length === 0 || right.length === 0) return [];
  const most =
    metric === 'depth' ? Math.max(left.length, right.length) : left.length + right.length - 1;
  const both = new Array<number>(most).fill(Number.POSITIVE_INFINITY);
  left.forEach((leftCalls, leftAmount) => {
    right.forEach((rightCalls, rightAmount) => {
      const amount =
        metric === 'depth' ? Math.max(leftAmount, rightAmount) : leftAmount + rightAmount;
      both[amount] = Math.min(both[amount] ?? 0, leftCalls + rightCalls);
    });
  });
  return affordable(both, budget);
};

const affordable = (fewest: number[], budget: number): FewestCalls => {
  const end = fewest.findIndex((calls) => calls > budget);
  return end < 0 ? fewest : fewest.slice(0, end);
};

/** The cheaper of both, amount by amount; the left object itself where nothing is cheaper on the right. */
export const cheaperOf = (left: FewestCalls, right: FewestCalls): FewestCalls => {
  const isCheaper = right.some((calls, amount) => calls < (left[amount] ?? calls + 1));
  if (!isCheaper) return left;
  const [longer, shorter] = left.length >= right.length ? [left, right] : [right, left];
  return longer.map((calls, amount) => Math.min(calls, shorter[amount] ?? calls));
};
