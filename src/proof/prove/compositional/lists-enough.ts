import type { Policy } from '../../../model/policy.js';

/**
 * Whether plans need only be lists of steps that wait for nothing, whatever real ones wait for.
 *
 * Steps of plans that add up can wait for each other in more ways than can be told apart in a lifetime. With one slot they
 * need not be: a run of linked steps is also a run of as many unlinked ones. Whenever nothing runs, some step is ready in
 * both, and bare steps are all alike. Where a failure skips steps behind it, a person skips as many in the list before
 * it happens. So nothing comes of links that does not come of lists, and it costs the same. Only a policy that stops
 * when a dependency fails tells a step that was skipped for it from another.
 */
export const areListsEnough = ({ replan, limits, failure }: Policy): boolean =>
  replan.merge.startsWith('append') &&
  limits.maxReplans > 0 &&
  limits.maxParallel === 1 &&
  failure.onDependencyFailure !== 'stop';
