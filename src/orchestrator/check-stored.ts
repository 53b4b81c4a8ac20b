import type { JournalDifference } from '../errors.js';
import { JournalCorruptError, JournalMismatchError } from '../errors.js';
import type { RunFilter, RunStore } from '../model/run-store.js';
import type { Engine } from '../run/engine.js';
import { versionOf } from '../run/engine.js';
import { understand } from '../run/resume-stored.js';

/** A stored run that a build would refuse to resume. */
export interface RefusedRun {
  readonly runId: string;
  readonly goal: string;
  readonly reason: string;
  /** The first fact that differs; missing where an agent is missing or the journal is damaged. */
  readonly difference?: JournalDifference;
}

export interface CheckedRuns {
  /** How many unfinished runs there are. */
  readonly count: number;
  readonly refused: readonly RefusedRun[];
}

/** Replays every unfinished run of a store, page by page, as `resume` would. Claims and writes nothing. */
export const checkStored = async (engine: Engine, store: RunStore): Promise<CheckedRuns> => {
  const present = { kernel: engine.kernel, version: versionOf(engine) };
  const refused: RefusedRun[] = [];
  let count = 0;
  for (let after: RunFilter['after']; ;) {
    const page = await store.list({ ended: false, ...(after === undefined ? {} : { after }) });
    for (const { header } of page) {
      count += 1;
      const { runId, goal } = header;
      const refusal = await refusalOf(async () => {
        const stored = await store.read(runId);
        // It may have been deleted, or have ended, since the page was read.
        if (stored !== undefined && !stored.ended) understand(stored, runId, present);
      });
      if (refusal !== undefined) refused.push({ runId, goal, ...refusal });
    }
    after = page.at(-1)?.header;
    if (after === undefined) return { count, refused };
  }
};

const refusalOf = async (
  look: () => Promise<void>,
): Promise<Pick<RefusedRun, 'reason' | 'difference'> | undefined> => {
  try {
    await look();
    return undefined;
  } catch (error) {
    if (JournalMismatchError.isInstance(error)) {
      const { message: reason, difference } = error;
      return difference === undefined ? { reason } : { reason, difference };
    }
    if (JournalCorruptError.isInstance(error)) return { reason: error.message };
    throw error;
  }
};
