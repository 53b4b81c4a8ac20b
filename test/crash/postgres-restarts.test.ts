import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postgresStore } from '../../src/services/stores/postgres/postgres-store.js';
import type { PostgresServer } from '../stores/postgres-server.js';
import { isPostgresMissed, startPostgres } from '../stores/postgres-server.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import type { Program } from './restarts.js';
import { bundled } from './restarts.js';
import {
  countOf,
  lostFacts,
  readLogs,
  repeatedAfterAnswer,
  runsNotCompleted,
  unhandledIn,
} from './rig-log.js';
import type { RigProcess } from './rig.js';
import { drain, readJournals, startRigProcess } from './rig.js';

/*
 * PostgreSQL restarts as after a power loss, repeatedly, under the runs of three processes. `npm run crash:postgres`
 * does it longer.
 */

const RESTARTS = Number(process.env['CRASH_RESTARTS'] ?? 3);
const PROCESSES = 3;

describe.skipIf(isPostgresMissed)('PostgreSQL that is restarted in immediate mode', () => {
  let folder: TemporaryFolder;
  let program: Program;
  let server: PostgresServer;
  const processes: RigProcess[] = [];

  beforeAll(async () => {
    folder = temporaryFolder();
    program = await bundled('rig-process');
    server = startPostgres();
  });
  afterAll(() => {
    for (const each of processes) each.signal('SIGKILL');
    server.dispose();
    program.dispose();
    folder.dispose();
  });

  it(
    `keeps every fact that was told and repeats no answered call over ${RESTARTS} restarts`,
    async () => {
      const store = postgresStore({ url: server.url, schema: 'restarts' });
      await store.list();
      const starting = Array.from({ length: PROCESSES }, (_, number) =>
        startRigProcess(program.path, {
          name: `process-${number}`,
          store: { kind: 'postgres', url: server.url, schema: 'restarts' },
          logPath: join(folder.path, `process-${number}.log`),
          // Longer than a restart: no process may lose its runs, so none may lose its answers.
          leaseMs: 20_000,
          recoverEveryMs: 500,
          runsAtOnce: 6,
        }),
      );
      processes.push(...(await Promise.all(starting)));
      for (let restart = 0; restart < RESTARTS; restart += 1) {
        await sleep(200 + Math.random() * 500);
        server.stop('immediate');
        server.start();
      }
      const unfinished = await drain(processes, store, 60_000);
      const journals = await readJournals(store);
      await store.close?.();
      const lines = readLogs(processes.map(({ logPath }) => logPath));
      const lost = lostFacts(lines, journals);
      const repeated = repeatedAfterAnswer(lines);
      const failed = runsNotCompleted(lines, journals);
      process.stdout.write(
        `${RESTARTS} restarts: ${journals.size} runs, ${countOf(lines, 'called')} calls, ` +
          `${countOf(lines, 'told')} facts told, ${countOf(lines, 'error')} errors of the store; ` +
          `${lost.length} facts lost, ${repeated.length} answered calls repeated, ` +
          `${failed.length} runs not completed, ${unfinished.length} unfinished.\n`,
      );
      expect(unhandledIn(lines), 'rejections without a handler').toEqual([]);
      expect(lost).toEqual([]);
      expect(repeated).toEqual([]);
      expect(failed).toEqual([]);
      expect(unfinished).toEqual([]);
      expect(countOf(lines, 'error'), 'the restarts were noticed').toBeGreaterThanOrEqual(RESTARTS);
    },
    60_000 + RESTARTS * 10_000,
  );
});
