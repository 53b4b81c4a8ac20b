import { prepareFastPath } from '../kernel/shared-runner.js';

/** Loads every part that is otherwise loaded when it is first needed. A virtual clock does not wait for that. */
export const loadAllParts = (): Promise<unknown> =>
  Promise.all([
    import('../journal/read-journal.js'),
    import('../run/carry-over.js'),
    import('../run/connected-run.js'),
    import('../run/recovery.js'),
    import('../run/resume-stored.js'),
    import('../run/retention.js'),
    import('../time-travel/time-travel.js'),
    prepareFastPath(),
  ]);
