import { RunConflictError, StoreUnavailableError } from '../../src/errors.js';
import { Driver } from '../../src/run/driver.js';
import { Inbox } from '../../src/run/inbox.js';
import { JournalWriter } from '../../src/run/journal-writer.js';
import { LiveRun } from '../../src/run/live-run.js';
import { recovery } from '../../src/run/missed-events.js';
import type { MaybePromise, RunStore } from '../../src/model/run-store.js';
import type { Replacements } from '../../src/proof/simulate/scripted-team.js';
import type { PlantedBug } from './planted-bugs.js';

/* Bugs at the edges of a process, each of which once existed: between store and network, clocks, and owners. */

/** The store with another result instead of a lost answer. */
const whenLost = async <Value>(
  answer: MaybePromise<Value>,
  instead: (error: Error) => Value,
): Promise<Value> => {
  try {
    return await answer;
  } catch (error) {
    if (StoreUnavailableError.isInstance(error)) return instead(error);
    throw error;
  }
};

/** An error after which a store call is not retried. */
const asFinal = (error: Error): never => {
  throw new Error(error.message);
};

const withStore = (change: (store: RunStore) => Partial<RunStore>): Replacements => ({
  storeOf: (store) => ({ ...store, ...change(store) }),
});

/** The inbox is read after a notification, and at no other time. */
const trustingWatch = (store: RunStore): Partial<RunStore> => {
  let isHinted = false;
  const watch: RunStore['watch'] = (runId, listener) =>
    store.watch?.(runId, () => {
      isHinted = true;
      listener();
    }) ?? (() => undefined);
  return {
    ...(store.watch === undefined ? {} : { watch }),
    inbox: (runId) => (isHinted ? store.inbox(runId) : []),
    owned: (owner, filter) => (filter?.hasCommands === true ? [] : store.owned(owner, filter)),
  };
};

/** The inbox returns its commands a moment after it was read. */
const judgeCommandsLate = (): (() => void) => {
  const { open } = Inbox.prototype;
  Inbox.prototype.open = function (this: Inbox, take) {
    open.call(this, (command) => {
      void Promise.resolve().then(() => take(command));
    });
  };
  return () => {
    Inbox.prototype.open = open;
  };
};

/** Every takeover is counted, even without a call in flight. */
const countEveryTakeover = (): (() => void) => {
  const { continueFrom: resumeRun } = LiveRun.prototype;
  const { continueFrom: resumeJournal } = JournalWriter.prototype;
  const { take } = Driver.prototype;
  let isTakenOver = false;
  let counted: ReturnType<typeof recovery> | undefined;
  JournalWriter.prototype.continueFrom = function (
    this: JournalWriter,
    format,
    isTakeover,
    entries,
  ) {
    isTakenOver = isTakeover;
    resumeJournal.call(this, format, isTakeover, entries);
  };
  LiveRun.prototype.continueFrom = function (this: LiveRun, replayed, work) {
    counted = isTakenOver ? recovery(replayed.entries) : undefined;
    resumeRun.call(this, replayed, work);
  };
  Driver.prototype.take = function (this: Driver<unknown>, state, unfinished, missed = []) {
    const isCounted = missed.some(
      (input) => input.kind === 'commanded' && input.event.type === 'run.recovered',
    );
    const first = isCounted || counted === undefined ? [] : [counted];
    take.call(this, state, unfinished, [...first, ...missed]);
  };
  return () => {
    LiveRun.prototype.continueFrom = resumeRun;
    JournalWriter.prototype.continueFrom = resumeJournal;
    Driver.prototype.take = take;
  };
};

export const PLANTED_EDGE_BUGS: readonly PlantedBug[] = [
  {
    bug: 'an entry whose answer was lost counts as durable',
    caughtBy: 'told-implies-durable',
    replacements: withStore(({ append }) => ({
      append: (...entry) => whenLost(append(...entry), () => undefined),
    })),
  },
  {
    bug: 'an entry whose answer was lost is taken for failed',
    caughtBy: 'report-true',
    how: /reports a takeover, but has the latest claim/,
    replacements: withStore(({ read }) => ({
      read: async (runId, from) => {
        const run = await read(runId, from);
        return run === undefined || from === undefined ? run : { ...run, entries: [] };
      },
    })),
  },
  {
    bug: 'hints are trusted, and the inbox is never polled',
    caughtBy: 'commands-kept',
    how: /expired before its owner read the inbox/,
    replacements: withStore(trustingWatch),
  },
  {
    bug: 'commands that a look finds are judged after what expires',
    caughtBy: 'commands-kept',
    how: /came in time, and .* expired/,
    replacements: {},
    plant: judgeCommandsLate,
  },
  {
    bug: 'a takeover counts though no call was in flight',
    caughtBy: 'recoveries-bounded',
    how: /counted without a call in flight/,
    replacements: {},
    plant: countEveryTakeover,
  },
  {
    bug: 'a command whose answer was lost is refused',
    caughtBy: 'commands-kept',
    how: /was refused and is carried out/,
    replacements: withStore(({ post }) => ({
      post: (...command) =>
        whenLost(post(...command), ({ message }) => {
          throw new RunConflictError(message);
        }),
    })),
  },
  {
    bug: 'a process that slept past its lease makes calls',
    caughtBy: 'answered-once',
    replacements: {
      clockOf: (clock, life) => ({ ...clock, now: () => clock.now() - life.sleptMs }),
    },
  },
  {
    bug: 'leases end by the clocks of callers',
    caughtBy: 'leases-held',
    replacements: { trustsCallers: true },
  },
  {
    bug: 'deadlines that passed in a jump do not come first',
    caughtBy: 'waits-in-time',
    how: /is accepted after the deadline/,
    replacements: {
      clockOf: (clock, life) => ({ ...clock, now: () => clock.now() - life.unnoticedMs }),
    },
  },
  {
    bug: 'a short outage of the store ends the run',
    caughtBy: 'outages-survived',
    replacements: withStore(({ append }) => ({
      append: (...entry) => whenLost(append(...entry), asFinal),
    })),
  },
];
