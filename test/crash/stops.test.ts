import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { RunStore } from '../../src/model/run-store.js';
import { postgresStore } from '../../src/services/stores/postgres/postgres-store.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import { isPostgresMissed } from '../stores/postgres-server.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import type { Program } from './restarts.js';
import { bundled } from './restarts.js';
import {
  countOf,
  lostFacts,
  readLogs,
  repeatedAfterTold,
  runsNotCompleted,
  unhandledIn,
} from './rig-log.js';
import type { RigProcess } from './rig.js';
import { drain, readJournals, startRigProcess } from './rig.js';
import type { StoreAddress } from './store-address.js';

/*
 * Two processes share a store. One is stopped past its lease, the other takes over its runs and continues them, and
 * the first wakes up. `npm run crash:stop` does it a thousand times on each store, several pairs at a time.
 */

const STOPS = Number(process.env['CRASH_STOPS'] ?? 3);
const PAIRS = Math.min(4, Math.ceil(STOPS / 5));
const LEASE_MS = 300;

interface Stopped {
  readonly lost: readonly string[];
  readonly repeated: readonly string[];
  readonly unfinished: readonly string[];
  readonly notCompleted: readonly string[];
  readonly unhandled: readonly string[];
  readonly calls: number;
  readonly resumed: number;
}

let folder: TemporaryFolder;
let program: Program;
let url = '';
const processes: RigProcess[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  program = await bundled('rig-process');
  if (!isPostgresMissed) url = await sharedPostgres();
});
afterAll(() => {
  for (const each of processes) each.signal('SIGKILL');
  program.dispose();
  folder.dispose();
});

const openStore = (address: StoreAddress): RunStore =>
  address.kind === 'sqlite'
    ? sqliteStore({ path: address.path })
    : postgresStore({ url: address.url, schema: address.schema });

const stopPair = async (address: StoreAddress, name: string, stops: number): Promise<Stopped> => {
  const store = openStore(address);
  await store.list();
  const pair = await Promise.all(
    [`${name}-left`, `${name}-right`].map((each) =>
      startRigProcess(program.path, {
        name: each,
        store: address,
        logPath: join(folder.path, `${each}.log`),
        leaseMs: LEASE_MS,
        recoverEveryMs: 50,
        runsAtOnce: 4,
      }),
    ),
  );
  processes.push(...pair);
  for (let stop = 0; stop < stops; stop += 1) {
    const each = pair[stop % 2];
    await sleep(100 + Math.random() * 200);
    each?.signal('SIGSTOP');
    await sleep(LEASE_MS + 100 + Math.random() * 300);
    each?.signal('SIGCONT');
  }
  const unfinished = await drain(pair, store, 60_000);
  const journals = await readJournals(store);
  await store.close?.();
  const lines = readLogs(pair.map(({ logPath }) => logPath));
  return {
    lost: lostFacts(lines, journals),
    repeated: repeatedAfterTold(lines),
    unfinished,
    notCompleted: runsNotCompleted(lines, journals),
    unhandled: unhandledIn(lines),
    calls: countOf(lines, 'called'),
    resumed: countOf(lines, 'resumed'),
  };
};

const addressOf: Record<StoreAddress['kind'], (name: string) => StoreAddress> = {
  sqlite: (name) => ({ kind: 'sqlite', path: join(folder.path, `${name}.db`) }),
  postgres: (name) => ({ kind: 'postgres', url, schema: name.replaceAll('-', '_') }),
};

describe.each(['sqlite', 'postgres'] as const)(
  'a process on %s that is stopped past its lease',
  (kind) => {
    it.skipIf(kind === 'postgres' && isPostgresMissed)(
      `repeats no call that was answered meanwhile, over ${STOPS} stops`,
      async () => {
        const results = await Promise.all(
          Array.from({ length: PAIRS }, (_, number) => {
            const name = `stops-${kind}-${number}`;
            return stopPair(addressOf[kind](name), name, Math.ceil(STOPS / PAIRS));
          }),
        );
        const sum = (count: (result: Stopped) => number): number =>
          results.reduce((total, result) => total + count(result), 0);
        process.stdout.write(
          `${kind}: ${STOPS} stops, ${sum(({ calls }) => calls)} calls, ` +
            `${sum(({ resumed }) => resumed)} runs resumed; ` +
            `${sum(({ repeated }) => repeated.length)} answered calls repeated, ` +
            `${sum(({ lost }) => lost.length)} facts lost, ` +
            `${sum(({ notCompleted }) => notCompleted.length)} runs not completed, ` +
            `${sum(({ unfinished }) => unfinished.length)} unfinished.\n`,
        );
        for (const { repeated, lost, unfinished, notCompleted, unhandled } of results) {
          expect(unhandled, 'rejections without a handler').toEqual([]);
          expect(repeated).toEqual([]);
          expect(lost).toEqual([]);
          expect(notCompleted).toEqual([]);
          expect(unfinished).toEqual([]);
        }
        expect(
          sum(({ resumed }) => resumed),
          'runs were taken over',
        ).toBeGreaterThan(0);
      },
      120_000 + STOPS * 2_000,
    );
  },
);
