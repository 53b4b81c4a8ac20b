import type { Policy } from '../../../model/policy.js';

/**
 * Whether exploring plans without dependencies is enough, whatever the dependencies of real plans.
 *
 * Steps of appended plans can depend on each other in too many ways to enumerate. With one slot that is not needed:
 * every run of linked steps is also a run of as many unlinked ones. Whenever nothing runs, some step is ready in both,
 * and bare steps are all alike. Where a failure skips dependent steps, a person skips as many in the list before it
 * happens. So links add no behaviour and no cost. Only a policy that stops when a dependency fails distinguishes a step
 * that was skipped for it.
 */
export const areListsEnough = ({ replan, limits, failure }: Policy): boolean =>
  replan.merge.startsWith('append') &&
  limits.maxReplans > 0 &&
  limits.maxParallel === 1 &&
  failure.onDependencyFailure !== 'stop';
