import { loadRedaction } from '../actors/redaction.js';
import { prepareFastPath } from '../kernel/shared-runner.js';
import { loadStoredRuns } from '../run/run-registry.js';

/** Loads every part that is otherwise loaded on demand, because a virtual clock does not wait for loading. */
export const loadAllParts = (): Promise<unknown> =>
  Promise.all([
    loadStoredRuns(),
    import('../run/list-runs.js'),
    import('../run/retention.js'),
    import('../time-travel/time-travel.js'),
    loadRedaction(),
    import('./run-session.js'),
    prepareFastPath(),
  ]);
