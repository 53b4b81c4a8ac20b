import type { Bounds } from './bounds.js';
import type { Parts, Prices } from './budgeted-bounds.js';
import type { Policy } from './types.js';

/*
 * How many steps can start, and how often people can be asked, with so many calls. All ways to spend calls on plans and
 * hand-offs are compared; for each of them the best number of sub-plans is searched for.
 */

/** More ways than this are not compared: then the price tag is the one without a budget. */
const WAYS_MAX = 3_000;

interface Terms {
  readonly budget: number;
  readonly policy: Policy;
  readonly parts: Parts;
  readonly prices: Prices;
}

/** One way to spend calls on plans of the goal. */
interface Way {
  /** Replans. */
  readonly made: number;
  /** Plans that are carried out. */
  readonly plans: number;
  /** Those that another one follows because the goal is judged, and not because of a step. */
  readonly judged: number;
  /** Replans that are left. */
  readonly spare: number;
  /** How many of these are spent. */
  readonly spent: number;
}

export const stepsWithin = (terms: Terms): Partial<Bounds> => {
  const ways: Way[] = [];
  for (const way of waysToPlan(terms)) {
    if (ways.push(way) > WAYS_MAX) return {};
  }
  const most = (amountOf: Amount): number =>
    Math.max(0, ...ways.map((way) => Math.floor(mostIn(way, terms, amountOf))));
  const questions = isLimitAsked(terms) ? [byHandOffs, byRepeats, atLimit] : [freely];
  return {
    steps: most(startedIn),
    approvals: Math.max(...questions.map((asked) => most(approvalsBy(asked)))),
  };
};

const isLimitAsked = ({ policy }: Terms): boolean => policy.replan.onLimit === 'askHuman';

function* waysToPlan(terms: Terms): Generator<Way> {
  const { budget, policy, parts } = terms;
  const byComplexity: object = policy.replan.maxByComplexity ?? [parts.replans];
  // The first plan says how many replans there are, by how hard it is.
  for (const replans of new Set(Object.values(byComplexity) as number[])) {
    const replansMax = canTurnDown(policy) ? policy.limits.maxReplans : replans;
    for (let made = 0; made <= Math.min(budget, parts.plannerCalls && replansMax); made += 1) {
      yield* waysWith(made, replans, terms);
    }
  }
}

function* waysWith(made: number, replans: number, terms: Terms): Generator<Way> {
  const spare = Math.max(0, replans - made);
  const carriedOut = made > replans ? 1 : 1 + made;
  // Where a cause costs nothing, to carry a plan out costs no more than to turn it down.
  const isChosen = canTurnDown(terms.policy) && terms.prices.cause > 0;
  for (let plans = isChosen ? 1 : carriedOut; plans <= carriedOut; plans += 1) {
    for (let judged = terms.prices.isGoalJudged ? plans - 1 : 0; judged >= 0; judged -= 1) {
      for (let spent = isLimitAsked(terms) ? spare : 0; spent >= 0; spent -= 1) {
        yield { made, plans, judged, spare, spent };
      }
    }
  }
}

/** People who read plans may turn any but the last one down. */
export const canTurnDown = ({ approval }: Policy): boolean =>
  approval.plan && approval.onReject === 'replan';

/** What a way comes to with so many sub-plans. */
interface Books {
  readonly way: Way;
  readonly below: number;
  /** Steps of the goal with a sub-plan. */
  readonly hosts: number;
  /** Steps without one that cause a plan. */
  readonly causing: number;
  /** Sub-plans that fail without being the cause of a plan. */
  readonly failing: number;
  /** Steps of the goal that are left for something else. */
  readonly free: number;
  /** Calls. */
  readonly left: number;
}

type Amount = (books: Books, terms: Terms) => number;

/** With more sub-plans than there can be plans each one more brings no more than the one before. */
const mostIn = (way: Way, terms: Terms, amountOf: Amount): number => {
  const { plans, judged, spare } = way;
  const goalSteps = terms.policy.limits.maxSteps * plans;
  const hostsMax = goalSteps - (terms.prices.isFailureCause ? 0 : plans - 1 - judged);
  const amountWith = (below: number): number =>
    amountOf(booksOf(below, Math.min(below, hostsMax), goalSteps, way, terms), terms);
  let high = hostsMax * terms.parts.subplansPerStep;
  let low = Math.min(high, plans + spare);
  let most = 0;
  for (let below = 0; below < low; below += 1) most = Math.max(most, amountWith(below));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (amountWith(middle + 1) > amountWith(middle)) low = middle + 1;
    else high = middle;
  }
  return Math.max(most, amountWith(low));
};

const booksOf = (
  below: number,
  hosts: number,
  goalSteps: number,
  way: Way,
  { budget, prices }: Terms,
): Books => {
  const { review, subplan, cause, isFailureCause } = prices;
  const caused = way.plans - 1 - way.judged;
  const failed = isFailureCause ? hosts : 0;
  const causing = Math.max(0, caused - failed);
  const planned = review + way.made * (1 + review) + way.judged + below * subplan;
  return {
    way,
    below,
    hosts,
    causing,
    failing: Math.max(0, failed - caused),
    free: goalSteps - hosts - causing,
    left: budget - planned - causing * cause,
  };
};

const startedIn: Amount = ({ way: { plans, spare }, below, left }, { policy }) =>
  left < 0 ? -Infinity : policy.limits.maxSteps * (plans + below) + Math.min(left, spare);

/**
 * Hand-offs, questions at the replan bound of the goal, calls beyond one for each of both, and how many more such
 * questions there are where every other plan is paid for.
 */
type Questions = (books: Books, terms: Terms) => readonly [number, number, number, number?];

const approvalsBy =
  (questionsOf: Questions): Amount =>
  (books, terms) => {
    const { way, below, hosts, left } = books;
    const { limits, approval } = terms.policy;
    const [handOffs, atLimitOfGoal, extra, lost = 0] = questionsOf(books, terms);
    const calls = left - handOffs - extra;
    if (calls < 0) return -Infinity;
    const started = limits.maxSteps * (way.plans + below);
    // Who asks for another plan in a sub-plan asks in vain.
    const inVain = atLimitOfGoal + below * (limits.maxSteps - 1) + hosts;
    const questions =
      approval.maxQuestions * (started + handOffs) + (isLimitAsked(terms) ? inVain : 0);
    // One call for a wish, and one to ask in vain. A part of one counts until the end.
    const regained = Math.min(lost, (calls - questions) / 2);
    const asked =
      (terms.parts.isHandedOnAsked ? handOffs : 0) + Math.min(calls, questions + regained);
    return started + asked + (approval.plan ? 1 + way.made : 0);
  };

/** As many hand-offs as are asked about, or as there are calls for questions: a part of one counts until the end. */
const freely: Questions = ({ way: { plans, spare }, below, left }, { policy, parts }) => {
  const { maxQuestions } = policy.approval;
  const questions = maxQuestions * policy.limits.maxSteps * (plans + below);
  const best = parts.isHandedOnAsked ? left : (left - questions) / (maxQuestions + 1);
  return [Math.min(Math.max(0, best), spare), 0, 0];
};

const byHandOffs: Questions = ({ way: { spare, spent }, failing }, terms) => [
  spent,
  isRepeatable(terms) ? Math.min(failing, spare - spent) : 0,
  0,
];

/** People are asked, too, when a planner repeats itself. That takes a replan, and something that causes it. */
const byRepeats: Questions = ({ way: { spare, spent }, failing, free }, terms) => {
  if (!isRepeatable(terms)) return [0, 0, 0];
  const bySteps = Math.min(spent, free);
  const byGoal = terms.prices.isGoalJudged ? spent - bySteps : 0;
  const repeats = Math.min(spare, failing + bySteps + byGoal);
  return [0, repeats, byGoal + bySteps * terms.prices.cause];
};

/**
 * Who asks for another plan once no replan is left asks in vain: what is not spent on hand-offs has to be used up first.
 * Those that wait for a step that fails are skipped. So where several run at once, one runs beside it that the others wait
 * for: it comes to its end before another plan is made, and asks for none in vain. For a step that wishes, and is paid for,
 * all others can wait.
 */
const atLimit: Questions = (books, terms) => {
  const { way, causing, free } = books;
  const { plans, judged, spare, spent } = way;
  const { policy, parts, prices } = terms;
  const { maxSteps, maxParallel } = policy.limits;
  const caused = plans - 1 - judged;
  const isKept = policy.replan.merge.startsWith('append');
  const kept = isKept ? maxSteps * (1 + caused) - caused : maxSteps;
  const isOneBeside =
    policy.failure.onDependencyFailure !== 'run' && maxSteps > 1 && maxParallel > 1;
  const lost = isKept && isOneBeside ? caused - causing * prices.cause : 0;
  const unspent = parts.plannerCalls && spare - spent;
  const [most] = inVainWith(Math.min(free, kept), unspent, books, terms);
  const [inVain, extra] = inVainWith(Math.min(free, kept - lost), unspent, books, terms);
  return [spent, inVain, extra, most - inVain];
};

/** Questions of steps that ask in vain, so many of them in the last plan, and what they cost beyond a call for each. */
const inVainWith = (
  last: number,
  unspent: number,
  { failing, free }: Books,
  terms: Terms,
): readonly [number, number] => {
  const { prices } = terms;
  if (unspent === 0 || isRepeatable(terms)) {
    const wishes = Math.max(0, unspent - failing);
    const repeats = unspent - wishes + Math.min(free, last + wishes);
    return [repeats, wishes * prices.cause];
  }
  // By plans that are none, one after the other.
  const isFree = failing > 0 || (last > 0 && prices.cause === 0);
  const inVain = Math.max(last + Math.min(1, failing), Number(prices.isGoalJudged));
  return [inVain, unspent - Number(isFree)];
};

const isRepeatable = ({ policy, parts }: Terms): boolean =>
  policy.replan.stopOnRepeatedPlan && parts.plannerCalls > 0;
