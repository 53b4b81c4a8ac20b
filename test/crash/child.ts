import type { JournalEntry } from '../../src/journal/entry.js';
import type { JournalFormat } from '../../src/journal/format/journal-format.js';
import { readJournal } from '../../src/journal/read-journal.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Run } from '../../src/run/run.types.js';
import type { RunStore, StoredEntry } from '../../src/model/run-store.js';
import type { KillableRun } from './kill-points.js';
import { KillSchedule } from './kill-points.js';
import type { Called } from './reference-runs.js';
import { crashRunOf } from './reference-runs.js';
import type { OpenStore, StoreAddress } from './store-address.js';

/* One life of a process: it starts or resumes its runs, and dies when each has reached a new point. */

export interface Life {
  readonly store: StoreAddress;
  readonly runs: readonly LivingRun[];
  readonly isKillable: boolean;
}

export interface LivingRun {
  readonly reference: string;
  readonly runId: string;
  /** Every event of the run, one per line, in all its lives. */
  readonly logPath: string;
}

/** The result of each run, if the life reaches the end of all. */
export interface LastWords {
  readonly reference: string;
  readonly report: RunReport;
  readonly settled: readonly (readonly string[])[];
}

export const live = async <Address extends StoreAddress>(
  open: OpenStore<Address>,
): Promise<void> => {
  const life = JSON.parse(process.argv[2] ?? '{}') as Life & { readonly store: Address };
  const killSchedule = new KillSchedule(life.isKillable);
  const { store, close } = open(life.store, () => {
    killSchedule.commits();
  });
  const killables = life.runs.map((run) => ({ run, killable: killSchedule.add(run.logPath) }));
  const words = await Promise.all(
    killables.map(({ run, killable }) => liveRun(run, killable, store)),
  );
  await close();
  process.stdout.write(JSON.stringify(words));
};

const liveRun = async (
  { reference, runId }: LivingRun,
  killable: KillableRun,
  inner: RunStore,
): Promise<LastWords> => {
  const crashRun = crashRunOf(reference);
  if (crashRun === undefined) throw new Error(`There is no run '${reference}'`);
  const { store, isWritten } = killableStore(inner, killable);
  const orchestrator = composeOrchestrator(
    {
      ...crashRun.team(calledBy(killable)),
      store,
      durability: { leaseMs: 60 },
    },
    undefined,
  );
  killable.note('born', process.pid);
  const isKnown = (await inner.read(runId)) !== undefined;
  const run = isKnown
    ? await takeUp(() => orchestrator.resume(runId))
    : orchestrator.start({ goal: 'The goal', runId, ...crashRun.start });
  agree(run);
  const report: RunReport = await run.done;
  // A store that notifies of writes may be faster than the write itself.
  await isWritten();
  await killable.finish();
  return { reference, report, settled: settledIn(run.journal()) };
};

interface KillableStore {
  readonly store: RunStore;
  /** Resolves when the last write has returned. */
  readonly isWritten: () => Promise<unknown>;
}

/** A store with points before, during and after every write. */
const killableStore = (inner: RunStore, killable: KillableRun): KillableStore => {
  let lastWrite: Promise<void> = Promise.resolve();
  const nameOf = namesOfWrites(killable, inner);
  const append: typeof inner.append = async (runId, expectedSequence, entries, options) => {
    const name = await nameOf(runId, expectedSequence, entries);
    await killable.reach(`before-write:${name}`);
    await killable.reachInWrite(`mid-write:${name}`);
    await inner.append(runId, expectedSequence, entries, options);
    killable.note('written', expectedSequence);
    if (name === RECOVERY) killable.note('recovered', expectedSequence);
    await killable.reachOnce(`after-write:${name}`);
  };
  const store: RunStore = {
    ...inner,
    append: (...given) => (lastWrite = Promise.resolve(append(...given))),
    // Polled methods, which would be in the way of another run's write.
    renew: async (...given) => {
      await killable.stay();
      return inner.renew(...given);
    },
    owned: async (...given) => {
      await killable.stay();
      return inner.owned(...given);
    },
    inbox: async (...given) => {
      await killable.stay();
      return inner.inbox(...given);
    },
  };
  return { store, isWritten: () => Promise.allSettled([lastWrite]) };
};

const RECOVERY = 'recovery';

/**
 * A life that takes over a run with a call in flight writes an entry for that first. So that the next life is killed
 * at another point, these entries share one name, and the other entries are counted without them.
 */
const namesOfWrites = ({ past }: KillableRun, store: RunStore) => {
  let recoveries = past.filter((line) => line.startsWith('recovered ')).length;
  let format: JournalFormat | undefined;
  return async (
    runId: string,
    sequence: number,
    entries: readonly StoredEntry[],
  ): Promise<string> => {
    format ??= await formatAtEnd(store, runId);
    const isRecovery = entries.map((entry) => format?.decode(entry)).some(isRecoveryEntry);
    if (isRecovery) recoveries += 1;
    return isRecovery ? RECOVERY : String(sequence - recoveries);
  };
};

const formatAtEnd = async (store: RunStore, runId: string): Promise<JournalFormat | undefined> => {
  const stored = await store.read(runId);
  return stored && readJournal(stored, runId).format;
};

const isRecoveryEntry = (entry: JournalEntry | undefined): boolean =>
  entry?.event.kind === 'commanded' && entry.event.event.type === 'run.recovered';

/** Logs every call, and has a point after its effect. */
const calledBy =
  (killable: KillableRun): Called =>
  (answer) =>
  async (request) => {
    killable.note('called', request.key);
    try {
      return await answer(request);
    } finally {
      await killable.reach(`after-effect:${request.key}`);
    }
  };

/** A person who approves every open question. */
const agree = (run: Run): void => {
  run.subscribe((fact) => {
    if (fact.type !== 'approval.requested') return;
    const { openApprovals } = run.record();
    if (!openApprovals.some(({ requestId }) => requestId === fact.requestId)) return;
    setTimeout(() => void run.approve(fact.requestId, 'The second'), 1);
  });
};

/** The lease of the previous life may not have ended yet. */
const takeUp = async (resume: () => Promise<Run>): Promise<Run> => {
  for (;;) {
    try {
      return await resume();
    } catch (error) {
      if ((error as { code?: string }).code !== 'already-claimed') throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
};

/** The calls whose answer or failure is in an entry. */
const settledIn = (journal: readonly JournalEntry[]): string[][] =>
  journal.map(({ facts }) =>
    facts.flatMap((fact) =>
      fact.type === 'agent.answered' || fact.type === 'agent.failed' ? [fact.key] : [],
    ),
  );
