import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isPostgresMissed, sayIfPostgresIsMissed } from '../stores/postgres-server.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import type { Lived, Program } from './restarts.js';
import { bundled, lived, timeless } from './restarts.js';
import { CRASH_RUNS, MORE_CRASH_RUNS } from './reference-runs.js';
import type { StoreAddress } from './store-address.js';

/*
 * A real process on a real store is killed with SIGKILL before, during and after every write, and after every effect.
 * It is restarted until it is finished, and must give the report of a run that was never killed. A process has all of
 * the runs, like a server, and each of them dies at its own points: a run that has reached one does nothing more
 * until the others have reached theirs, so the signal finds it exactly there. What it left is its own rows, in a file
 * or a database that the other runs continued to write to.
 */

/** How often the whole matrix is run; `npm run crash` does it more often. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 1);

interface Bench {
  readonly kind: StoreAddress['kind'];
  readonly addressOf: (name: string) => StoreAddress;
}

sayIfPostgresIsMissed();

const names = [...Object.keys(CRASH_RUNS), ...(ROUNDS > 1 ? MORE_CRASH_RUNS : [])];

let folder: TemporaryFolder;
const programs = new Map<StoreAddress['kind'], Program>();
let url = '';
/** How often runs died at a point, and how often processes were killed for it. */
const deathCounts = new Map<string, number>();
const killCounts = new Map<string, number>();

beforeAll(async () => {
  folder = temporaryFolder();
  for (const { kind } of benches) programs.set(kind, await bundled(`${kind}-child`));
  if (!isPostgresMissed) url = await sharedPostgres();
}, 180_000);

afterAll(() => {
  folder.dispose();
  for (const program of programs.values()) program.dispose();
});

/** Schema names consist of lower-case letters and digits. */
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

describe.concurrent.each(benches)('in $kind', ({ kind, addressOf }) => {
  const livedAs = (life: string, isKillable: boolean) =>
    lived(programs.get(kind)?.path ?? '', {
      store: addressOf(life),
      runs: names.map((reference) => ({
        reference,
        // The same in all of them: it is part of keys, and keys are part of reports.
        runId: `run-${reference}`,
        logPath: join(folder.path, `${kind}-${life}-${reference}.log`),
      })),
      isKillable,
    });

  it('runs that are killed at every point give the same report', async () => {
    const alive = await livedAs('alive', false);
    expect(alive.kills).toBe(0);
    for (let round = 0; round < ROUNDS; round += 1) {
      const killable = await livedAs(`killable-${round}`, true);
      for (const name of names) expectSame(name, killable, alive);
      killCounts.set(`${kind} ${round}`, killable.kills);
      for (const [reference, { deaths }] of killable.runs)
        deathCounts.set(`${kind} ${reference} ${round}`, deaths.length);
    }
  }, 600_000);
});

const expectSame = (reference: string, killable: Lived, alive: Lived): void => {
  const expected = alive.runs.get(reference);
  const actual = killable.runs.get(reference);
  if (expected === undefined || actual === undefined) throw new Error(`Where is ${reference}?`);
  expect(timeless(actual.report), reference).toEqual(timeless(expected.report));

  const { settled, withinLife, inFlight } = actual.repeats;
  expect(settled, 'completed calls that were made again').toEqual([]);
  expect(withinLife, 'calls that were made twice in one life').toEqual([]);
  expect(inFlight, 'calls in flight that were made again').toBeLessThanOrEqual(3 * killable.kills);

  // Before, during and after every write, and after every effect: no point was left out.
  const { deaths } = actual;
  const writes = expected.log.filter((line) => line.startsWith('written ')).length;
  for (const place of ['before-write', 'mid-write', 'after-write']) {
    const killed = deaths.filter((death) => death.startsWith(place)).length;
    expect(killed, `${reference} ${place}`).toBeGreaterThanOrEqual(writes);
  }
  const calls = new Set(expected.log.filter((line) => line.startsWith('called ')));
  const effects = deaths.filter((death) => death.startsWith('after-effect'));
  expect(effects, reference).toHaveLength(calls.size);
};

describe('the kill matrix', () => {
  it('kills at least 200 runs', () => {
    const kills = sum(killCounts.values());
    const deaths = sum(deathCounts.values());
    expect(deathCounts.size).toBe(benches.length * names.length * ROUNDS);
    process.stdout.write(
      `Killed ${kills} processes, at ${deaths} points of ${deathCounts.size} runs.\n`,
    );
    expect(deaths).toBeGreaterThanOrEqual(isPostgresMissed ? 150 : 200);
    expect(kills).toBeGreaterThanOrEqual(isPostgresMissed ? 40 : 80);
  });
});

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);
