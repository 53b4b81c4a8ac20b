/*
 * One of several processes that use one SQLite file at once: `path name rounds`. It creates the file if it is the
 * first, then races for every entry of one run and for the claim of many. Prints how often it won as a line of JSON.
 */
import { RunConflictError } from '../../../src/errors.js';
import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import type { NotedEntry } from '../stored-runs.js';
import { headerOf } from '../stored-runs.js';

export interface Wins {
  readonly creates: number;
  readonly appends: number;
  readonly claims: number;
}

const [path = '', name = '', rounds = '0'] = process.argv.slice(2);
const store = sqliteStore<NotedEntry>({ path });
const wins = { creates: 0, appends: 0, claims: 0 };

const tryTo = async (work: () => unknown): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    if (RunConflictError.isInstance(error)) return false;
    throw error;
  }
};

for (let round = 0; round < Number(rounds); round += 1) {
  const runId = `run-${round}`;
  if (await tryTo(() => store.create(headerOf(runId)))) wins.creates += 1;
  const entry = { sequence: round, at: 0, kind: 'noted', note: name };
  await tryTo(() => store.create(headerOf('shared')));
  if (await tryTo(() => store.append('shared', round, [entry]))) wins.appends += 1;
  await store.renew(name, 60_000, 0);
  if ((await store.claim(runId, name, 0)) !== undefined) wins.claims += 1;
  await store.post('shared', { id: `${name}-${round}`, at: 0, command: name });
}
await store.close?.();
process.stdout.write(`${JSON.stringify(wins satisfies Wins)}\n`);
