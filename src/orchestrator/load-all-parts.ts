import { loadRedaction } from '../actors/redaction.js';
import { prepareFastPath } from '../kernel/shared-runner.js';

/** Loads every part that is otherwise loaded on demand, because a virtual clock does not wait for loading. */
export const loadAllParts = (): Promise<unknown> =>
  Promise.all([
    import('../journal/read-journal.js'),
    import('../run/carry-over.js'),
    import('../run/connected-run.js'),
    import('../run/recovery.js'),
    import('../run/resume-stored.js'),
    import('../run/retention.js'),
    import('../time-travel/time-travel.js'),
    loadRedaction(),
    prepareFastPath(),
  ]);
