import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isPostgresMissed, sayIfPostgresIsMissed } from '../stores/postgres-server.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import type { Life } from './child.js';
import type { Lived } from './lives.js';
import { bundled, lived, timeless } from './lives.js';
import { CRASH_RUNS, MORE_CRASH_RUNS } from './reference-runs.js';
import type { StoreAddress } from './store-address.js';

/*
 * Row S1: a real process on a real store is killed with SIGKILL before, in the middle of and after every write, and after
 * every effect. It is started again until it is finished, and must come to the report of a run that nobody killed.
 * On SQLite a process has one run. On PostgreSQL it has all of them, like a server: each dies at its own points.
 */

/** How often the whole matrix is gone through; `npm run crash` does it more often. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 1);

interface Bench {
  readonly kind: StoreAddress['kind'];
  readonly addressOf: (name: string) => StoreAddress;
  /** The runs that share a process. */
  readonly processes: readonly (readonly string[])[];
}

sayIfPostgresIsMissed();

const names = [...Object.keys(CRASH_RUNS), ...(ROUNDS > 1 ? MORE_CRASH_RUNS : [])];

let folder: TemporaryFolder;
const programs = new Map<StoreAddress['kind'], string>();
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
  for (const program of programs.values()) rmSync(program, { force: true });
});

/** Schemas have names of small letters and digits. */
const schemaOf = (name: string): string => `crash_${name.replaceAll('-', '_')}`;

const benches: readonly Bench[] = [
  {
    kind: 'sqlite',
    addressOf: (name) => ({ kind: 'sqlite', path: join(folder.path, `${name}.db`) }),
    processes: names.map((name) => [name]),
  },
  ...(isPostgresMissed
    ? []
    : [
        {
          kind: 'postgres',
          addressOf: (name: string) => ({ kind: 'postgres', url, schema: schemaOf(name) }) as const,
          processes: [names],
        } as const,
      ]),
];

describe.each(benches)('S1: in $kind', ({ kind, addressOf, processes }) => {
  const livedAs = (name: string, references: readonly string[], isMortal: boolean) => {
    const life: Life = {
      store: addressOf(name),
      runs: references.map((reference) => ({
        reference,
        // The same in all of them: it is part of keys, and keys are part of reports.
        runId: `run-${reference}`,
        logPath: join(folder.path, `${kind}-${name}-${reference}.log`),
      })),
      isMortal,
    };
    return lived(programs.get(kind) ?? '', life);
  };

  it.concurrent.each(processes.map((references) => ({ references })))(
    'runs that are killed at every point come to the same report: $references',
    async ({ references }) => {
      const [first = ''] = references;
      const alive = await livedAs(`${first}-alive`, references, false);
      expect(alive.kills).toBe(0);
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `${first}-${round}`;
        const mortal = await livedAs(name, references, true);
        for (const reference of references) expectSame(reference, mortal, alive);
        killCounts.set(`${kind} ${name}`, mortal.kills);
        for (const [reference, { deaths }] of mortal.runs)
          deathCounts.set(`${kind} ${reference} ${round}`, deaths.length);
      }
    },
    600_000,
  );
});

const expectSame = (reference: string, mortal: Lived, alive: Lived): void => {
  const expected = alive.runs.get(reference);
  const actual = mortal.runs.get(reference);
  if (expected === undefined || actual === undefined) throw new Error(`Where is ${reference}?`);
  expect(timeless(actual.report), reference).toEqual(timeless(expected.report));

  const { settled, withinLife, inFlight } = actual.repeats;
  expect(settled, 'completed calls that were made again').toEqual([]);
  expect(withinLife, 'calls that were made twice in one life').toEqual([]);
  expect(inFlight, 'calls in flight that were made again').toBeLessThanOrEqual(3 * mortal.kills);

  // Before, in the middle and after every write, and after every effect: nothing was left out.
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

describe('S1: the matrix', () => {
  it('has at least 200 kills', () => {
    const kills = sum(killCounts.values());
    const deaths = sum(deathCounts.values());
    expect(deathCounts.size).toBe(benches.length * names.length * ROUNDS);
    process.stdout.write(
      `Killed ${kills} processes, at ${deaths} points of ${deathCounts.size} runs.\n`,
    );
    expect(kills).toBeGreaterThanOrEqual(isPostgresMissed ? 150 : 200);
    expect(deaths).toBeGreaterThanOrEqual(kills);
  });
});

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);
