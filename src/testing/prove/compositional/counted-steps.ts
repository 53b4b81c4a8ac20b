import type { OrchestratorContext } from '../../../machines/orchestrator.types.js';
import type { Settings } from '../../../machines/settings.types.js';
import { adoptPlan } from '../../../plan/adopt.js';
import { itemsOf } from '../../../plan/chunked-list.js';
import type { Progress } from '../../../plan/progress.js';
import { settleStep, SKIPPED_BY_HUMAN } from '../../../plan/progress.js';
import { failureLimit } from '../../../policy/time.js';
import type { Frame } from '../model.types.js';
import { failuresLeft } from '../projection/failures-text.js';
import { STAND_IN } from '../projection/live-steps.js';
import { MANY } from '../projection/step-count.js';
import { areListsEnough } from './lists-enough.js';

/*
 * Where plans add up, more and more steps wait, and the more replans there are the more ways there are to come to each
 * number of them. But with one slot steps that wait are all alike: each starts when its turn comes, and whatever then comes
 * of it does not depend on how many wait behind it. So states with two of them or more are looked at as one, by two
 * that stand for all: with two, after which one waits, and with three, after which there are still two or more. How many
 * there are is counted along the ways (unfold.ts), as calls are.
 *
 * How many failures are too many depends on how many steps were planned, which would be one more number to tell states
 * apart by. Here any failure may be the last one that is borne, which is more than can happen: what holds then holds for
 * every limit. No limit but none at all makes a run cheaper, because the ways that cost the most need no failures, or one.
 */

/** With a budget of calls, steps that were handed on are told from others; and so are agents with a fallback. */
export const areStepsCounted = ({ policy, team }: Settings): boolean =>
  areListsEnough(policy) &&
  team.hasPlanner &&
  team.agents.length === 1 &&
  policy.limits.maxAgentCalls === null;

/** States that stand, all together, for every one that looks like this. */
export const standInsFor = (frame: Frame): Frame[] => {
  const context = contextIn(frame);
  const { progress, settings } = context;
  const { pending } = progress.counts;
  return (pending < MANY ? [pending] : [MANY, MANY + 1]).flatMap((count) => {
    const { counts, ...plan } = waiting(progress, count);
    const limit = failureLimit(settings.policy, plan.steps.length);
    return leftToFail(context).map((left) =>
      withProgress(frame, { ...plan, counts: { ...counts, failedSincePlan: limit - left } }),
    );
  });
};

/** How many more failures are borne: after one that is, as if one more were, and as if two more were. */
const leftToFail = (context: OrchestratorContext): readonly number[] => {
  const left = failuresLeft(context);
  return left > 0 && context.progress.counts.unresolved > 0 ? [1, 2] : [left];
};

const contextIn = ({ state }: Frame): OrchestratorContext =>
  state.nodes.get('')?.snapshot.context as OrchestratorContext;

const withProgress = (frame: Frame, progress: Progress): Frame => {
  const { state, calls } = frame;
  const root = state.nodes.get('');
  const context = contextIn(frame);
  if (root === undefined) return frame;
  const snapshot = { ...root.snapshot, context: { ...context, progress } };
  const nodes = new Map(state.nodes).set('', { ...root, snapshot });
  return { state: { ...state, nodes }, calls };
};

/** The same plan with so many steps that wait: others are skipped, or added. */
const waiting = (progress: Progress, count: number): Progress => {
  const indexes = itemsOf(progress.states).flatMap(({ status }, index) =>
    status === 'pending' ? [index] : [],
  );
  const fewer = indexes.slice(count).reduce(skipped, progress);
  const like = progress.steps[indexes[0] ?? -1];
  if (like === undefined || indexes.length >= count) return fewer;
  const { agent, complexity, requiresApproval } = like;
  const step = { id: 'more', task: STAND_IN, agent, complexity, requiresApproval, dependsOn: [] };
  const steps = Array.from({ length: count - indexes.length }, () => step);
  const rules = { revision: like.revision, merge: 'append', resolvesFailures: false } as const;
  return adoptPlan(progress, { analysis: '', steps }, rules).progress;
};

const skipped = (progress: Progress, index: number): Progress => {
  const skip = { status: 'skipped', outputKeys: [], reason: SKIPPED_BY_HUMAN } as const;
  return settleStep(progress, index, skip, 'run').progress;
};
