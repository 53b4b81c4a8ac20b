import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { Settings } from '../../../model/settings.js';
import { adoptPlan, pendingIndexes } from '../../../plan/adopt.js';
import type { Progress } from '../../../model/progress.js';
import { settleStep, SKIPPED_BY_HUMAN } from '../../../plan/progress.js';
import { failureLimit } from '../../../guards/time-budgets.js';
import type { Frame } from '../model.types.js';
import { failuresLeft } from '../projection/failures-text.js';
import { STAND_IN } from '../projection/live-steps.js';
import { MANY } from '../projection/step-count.js';
import { rootPlanOf } from '../root-plan.js';
import { areListsEnough } from './lists-enough.js';

/*
 * Where plans add up, more and more steps wait, and the more replans there are the more ways there are to come to each
 * number of them. But with one slot steps that wait are all alike: each starts when its turn comes, and whatever then comes
 * of it does not depend on how many wait behind it. So states with two of them or more are looked at as one, by two
 * that stand for all: with two, after which one waits, and with three, after which there are still two or more. How many
 * there are is counted along the ways (unfold.ts), as calls are.
 *
 * How many failures are too many depends on how many steps were planned, which would be one more number to tell states
 * apart by. Here any failure after the first may be the last one that is borne, which is more than can happen: what holds
 * then holds for every limit. A run is not dearer by it: the price tag is the same for every limit but none at all.
 */

/** With a budget of calls, steps that were handed on are told from others; and so are agents with a fallback. */
export const areStepsCounted = ({ policy, team }: Settings): boolean =>
  areListsEnough(policy) &&
  team.hasPlanner &&
  team.agents.length === 1 &&
  policy.limits.maxAgentCalls === null;

/** States that stand, all together, for every one that looks like this. */
export const standInsFor = (frame: Frame): Frame[] => {
  const context = rootPlanOf(frame);
  const { progress, settings } = context;
  const { pending } = progress.counts;
  return (pending < MANY ? [pending] : [MANY, MANY + 1]).flatMap((waiting) =>
    sizesOf(context, Math.max(0, waiting - pending)).flatMap((planned) => {
      const { counts, ...plan } = resized(progress, planned, waiting);
      const limit = failureLimit(settings.policy, planned);
      return failuresIn(context, limit).map((failedSincePlan) =>
        withProgress(frame, { ...plan, counts: { ...counts, failedSincePlan } }),
      );
    }),
  );
};

/**
 * How many steps are planned, with at least so many more: after the last failure that is borne, as many as let another one be
 * borne when a step is handed on, and as many as do not.
 */
const sizesOf = (context: OrchestratorContext, more: number): readonly number[] => {
  const { policy } = context.settings;
  const least = context.progress.steps.length + more;
  if (policy.limits.maxFailures !== null || failuresLeft(context) !== 0) return [least];
  const isRaisedAt = (planned: number): boolean =>
    failureLimit(policy, planned + 1) > failureLimit(policy, planned);
  return [false, true].map((isRaised) => {
    let planned = least;
    while (isRaisedAt(planned) !== isRaised) planned += 1;
    return planned;
  });
};

/** How many failures there were: of those that are borne as many as leave one more, and two more. */
const failuresIn = (context: OrchestratorContext, limit: number): readonly number[] => {
  const { progress, settings } = context;
  const left = failuresLeft(context);
  if (left <= 0) return [limit - left];
  const isOneBorne =
    progress.counts.unresolved > 0 && settings.policy.failure.onStepFailure !== 'stop';
  return isOneBorne ? [limit - 1, limit - 2] : [progress.counts.failedSincePlan];
};

const withProgress = (frame: Frame, progress: Progress): Frame => {
  const { state, calls } = frame;
  const root = state.nodes.get('');
  const context = rootPlanOf(frame);
  if (root === undefined) return frame;
  const snapshot = { ...root.snapshot, context: { ...context, progress } };
  const nodes = new Map(state.nodes).set('', { ...root, snapshot });
  return { state: { ...state, nodes }, calls };
};

/** With more steps, of which so many wait: all others that would are skipped. */
const resized = (progress: Progress, planned: number, waiting: number): Progress => {
  const larger = withMore(progress, planned - progress.steps.length);
  return pendingIndexes(larger).slice(waiting).reduce(skipped, larger);
};

const withMore = (progress: Progress, more: number): Progress => {
  const like = progress.steps[0];
  if (like === undefined) return progress;
  const { agent, complexity, requiresApproval, revision } = like;
  const step = { id: 'more', task: STAND_IN, agent, complexity, requiresApproval, dependsOn: [] };
  const plan = { analysis: '', steps: Array.from({ length: more }, () => step) };
  const rules = { revision, merge: 'append', resolvesFailures: false } as const;
  return adoptPlan(progress, plan, rules).progress;
};

const skipped = (progress: Progress, index: number): Progress => {
  const skip = { status: 'skipped', outputKeys: [], reason: SKIPPED_BY_HUMAN } as const;
  return settleStep(progress, index, skip, 'run').progress;
};
