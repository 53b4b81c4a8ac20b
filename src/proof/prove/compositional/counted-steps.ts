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
 * Where plans are appended, the number of waiting steps grows, and with it the number of states. With one slot all
 * waiting steps are alike: each starts in its turn, and its outcome does not depend on how many wait behind it. So
 * states with two or more waiting steps are explored as one, by two representatives: with two steps, after which one
 * waits, and with three, after which two or more wait. The number itself is counted along the paths (unfold.ts), as
 * calls are.
 *
 * The failure limit depends on the number of planned steps, which would be one more number in a state. Here any failure
 * after the first may be the last tolerated one, which includes more than can happen: a result that holds here holds
 * for every limit. The cost of a run does not grow: the bounds are the same for every limit except none.
 */

/** With a call budget, handed-off steps are distinguished from others, and so are agents with a fallback. */
export const areStepsCounted = ({ policy, team }: Settings): boolean =>
  areListsEnough(policy) &&
  team.hasPlanner &&
  team.agents.length === 1 &&
  policy.limits.maxAgentCalls === null;

/** States that together represent every state that looks like this one. */
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
 * The numbers of planned steps to try, with at least so many more: after the last tolerated failure, enough that a
 * hand-off allows another one, and too few for that.
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

/** The numbers of failures to try: those that leave one more tolerated failure, and two more. */
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

/** Resizes the plan, with so many waiting steps: all other new ones are skipped. */
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
