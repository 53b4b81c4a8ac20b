import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isPostgresMissed, sayIfPostgresIsMissed } from '../stores/postgres-server.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import type { Life } from './child.js';
import { bundled, lived, timeless } from './lives.js';
import { CRASH_RUNS, MORE_CRASH_RUNS } from './reference-runs.js';
import type { StoreAddress } from './store-address.js';

/*
 * Row S1: a real process on a real store is killed with SIGKILL before, in the middle of and after every write, and after
 * every effect. It is started again until it is finished, and must come to the report of a run that nobody killed.
 */

/** How often the whole matrix is gone through; `npm run crash` does it more often. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 1);

interface Bench {
  readonly kind: StoreAddress['kind'];
  readonly addressOf: (name: string) => StoreAddress;
}

sayIfPostgresIsMissed();

let folder: TemporaryFolder;
let program: string;
let url = '';
const kills = new Map<string, number>();

beforeAll(async () => {
  folder = temporaryFolder();
  program = await bundled('child');
  if (!isPostgresMissed) url = await sharedPostgres();
}, 180_000);

afterAll(() => {
  folder.dispose();
  rmSync(program, { force: true });
});

/** Schemas have names of small letters and digits. */
const schemaOf = (name: string): string => `crash_${name.replaceAll('-', '_')}`;

const benches: readonly Bench[] = [
  {
    kind: 'sqlite',
    addressOf: (name) => ({ kind: 'sqlite', path: join(folder.path, `${name}.db`) }),
  },
  ...(isPostgresMissed
    ? []
    : [
        {
          kind: 'postgres',
          addressOf: (name: string) => ({ kind: 'postgres', url, schema: schemaOf(name) }) as const,
        } as const,
      ]),
];

const names = [...Object.keys(CRASH_RUNS), ...(ROUNDS > 1 ? MORE_CRASH_RUNS : [])];

describe.each(benches)('S1: a run in $kind', ({ kind, addressOf }) => {
  const lifeOf = (reference: string, name: string, isMortal: boolean): Life => ({
    store: addressOf(name),
    reference,
    // The same in all of them: it is part of keys, and keys are part of reports.
    runId: `run-${reference}`,
    logPath: join(folder.path, `${kind}-${name}.log`),
    isMortal,
  });

  it.concurrent.each(names)(
    'that is killed at every point comes to the same report: %s',
    async (reference) => {
      const expected = await lived(program, lifeOf(reference, `${reference}-alive`, false));
      const points = expected.log.filter((line) => /^(?:written|called) /.test(line));
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `${reference}-${round}`;
        const { report, deaths, repeats } = await lived(program, lifeOf(reference, name, true));
        expect(timeless(report), name).toEqual(timeless(expected.report));

        const { settled, withinLife, inFlight } = repeats;
        expect(settled, 'completed calls that were made again').toEqual([]);
        expect(withinLife, 'calls that were made twice in one life').toEqual([]);
        expect(inFlight, 'calls in flight that were made again').toBeLessThanOrEqual(
          3 * deaths.length,
        );

        // Before, in the middle and after every write, and after every effect: nothing was left out.
        const writes = points.filter((line) => line.startsWith('written ')).length;
        for (const place of ['before-write', 'mid-write', 'after-write']) {
          const killed = deaths.filter((death) => death.startsWith(place)).length;
          expect(killed, place).toBeGreaterThanOrEqual(writes);
        }
        const calls = new Set(points.filter((line) => line.startsWith('called ')));
        const effects = deaths.filter((death) => death.startsWith('after-effect'));
        expect(effects).toHaveLength(calls.size);
        kills.set(`${kind} ${name}`, deaths.length);
      }
    },
    600_000,
  );
});

describe('S1: the matrix', () => {
  it('has at least 200 kills', () => {
    const total = [...kills.values()].reduce((sum, count) => sum + count, 0);
    expect(kills.size).toBe(benches.length * names.length * ROUNDS);
    process.stdout.write(`Killed ${total} times, in ${kills.size} runs.\n`);
    expect(total).toBeGreaterThanOrEqual(200);
  });
});
