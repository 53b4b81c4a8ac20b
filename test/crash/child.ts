import { appendFileSync, readFileSync } from 'node:fs';

import type { JournalEntry } from '../../src/journal/entry.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator.js';
import type { Run } from '../../src/run/run.types.js';
import type { RunStore } from '../../src/services/run-store.js';
import type { Called } from './reference-runs.js';
import { crashRunOf } from './reference-runs.js';
import type { StoreAddress } from './store-address.js';
import { openStore } from './store-address.js';

/* One life of a run: it starts it or takes it up, and dies at the first point at which no life has died before. */

export interface Life {
  readonly store: StoreAddress;
  readonly reference: string;
  readonly runId: string;
  /** Everything that happens is written here, a line each, in all lives of the run. */
  readonly logPath: string;
  readonly isMortal: boolean;
}

/** What a life says that comes to the end of the run. */
export interface LastWords {
  readonly report: RunReport;
  readonly settled: readonly (readonly string[])[];
}

const life = JSON.parse(process.argv[2] ?? '{}') as Life;
const reference = crashRunOf(life.reference);
if (reference === undefined) throw new Error(`There is no run '${life.reference}'`);

const note = (what: string, about: string | number): void => {
  appendFileSync(life.logPath, `${what} ${about}\n`);
};

const past = readFileSync(life.logPath, 'utf8').split('\n');
const survived = new Set(past.filter((line) => line.startsWith('killed ')));

/** A named point: the first life that comes here ends here. */
const point = (name: string): void => {
  if (!life.isMortal || survived.has(`killed ${name}`)) return;
  note('killed', name);
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, in which nothing may happen.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
};

/**
 * A life that takes the run over writes that down, before anything but the very first entry. So that the next one is
 * killed elsewhere, these entries share one name, and the others are counted without them.
 */
let recoveries = past.filter((line) => line.startsWith('recovered ')).length;
let isToldOfDeath = !past.some((line) => line.startsWith('killed '));
const nameOfWrite = (sequence: number): string =>
  sequence > 0 && !isToldOfDeath ? 'recovery' : String(sequence - recoveries);

let writing: string | undefined;
const { store: inner, close } = openStore(life.store, () => {
  if (writing !== undefined) point(`mid-write:${writing}`);
});

const store: RunStore<JournalEntry> = {
  ...inner,
  append: async (runId, expectedSequence, entries, options) => {
    const name = nameOfWrite(expectedSequence);
    point(`before-write:${name}`);
    writing = name;
    await inner.append(runId, expectedSequence, entries, options);
    writing = undefined;
    note('written', expectedSequence);
    if (name === 'recovery') {
      isToldOfDeath = true;
      recoveries += 1;
      note('recovered', expectedSequence);
    }
    point(`after-write:${name}`);
  },
};

const called: Called = (answer) => async (request) => {
  note('called', request.key);
  try {
    return await answer(request);
  } finally {
    point(`after-effect:${request.key}`);
  }
};

/** Somebody who agrees to everything that is open. */
const agree = (run: Run): void => {
  run.subscribe((fact) => {
    if (fact.type !== 'approval.requested') return;
    const { openApprovals } = run.record();
    if (!openApprovals.some(({ requestId }) => requestId === fact.requestId)) return;
    setTimeout(() => void run.approve(fact.requestId, 'The second'), 1);
  });
};

const orchestrator = composeOrchestrator(
  {
    ...reference.team(called),
    store,
    durability: { leaseMs: 60 },
  },
  undefined,
);

/** The lease of the life before may not be over yet. */
const takeUp = async (): Promise<Run> => {
  for (;;) {
    try {
      return await orchestrator.resume(life.runId);
    } catch (error) {
      if ((error as { code?: string }).code !== 'already-claimed') throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
};

note('born', process.pid);
const isKnown = (await inner.read(life.runId)) !== undefined;
const run = isKnown
  ? await takeUp()
  : orchestrator.start({ goal: 'The goal', runId: life.runId, ...reference.start });
agree(run);
const report: RunReport = await run.done;
await close();
/** The calls that every entry has the answer or the failure of. */
const settled = run
  .journal()
  .map(({ facts }) =>
    facts.flatMap((fact) =>
      fact.type === 'agent.answered' || fact.type === 'agent.failed' ? [fact.key] : [],
    ),
  );
process.stdout.write(JSON.stringify({ report, settled } satisfies LastWords));
