import type { RunHeader, RunStore, StoredEntry } from '../../src/model/run-store.js';

/* Runs to be stored, where their content does not matter. */

export const headerOf = (runId: string): RunHeader => ({
  format: 1,
  runId,
  goal: `The goal of ${runId}`,
  policyFingerprint: '0123456789abcdef',
  chartFingerprint: 'fedcba9876543210',
  startedAt: 1_000,
});

export interface NotedEntry extends StoredEntry {
  readonly note: string;
}

export const entriesFrom = (from: number, to: number, noteCharacters = 40): NotedEntry[] =>
  Array.from({ length: to - from }, (_item, index) => ({
    sequence: from + index,
    at: 1_000 + from + index,
    kind: 'noted',
    note: `${from + index} ${'.'.repeat(noteCharacters)}`,
  }));

/** Two runs, one of which has ended, with a state, a claim and commands. */
export const fillStore = async (store: RunStore<NotedEntry>): Promise<void> => {
  await store.create(headerOf('ended'));
  await store.append('ended', 0, entriesFrom(0, 12, 400), { ended: true });
  await store.create(headerOf('open'));
  await store.renew('owner', 1_000, 0);
  const { token = 0 } = (await store.claim('open', 'owner', 0)) ?? {};
  await store.append('open', 0, entriesFrom(0, 8, 400), { token, state: { value: 'working' } });
  for (const id of ['a', 'b'])
    await store.post('open', { id, at: 5, command: { type: 'say', id } });
};

/** Everything that can be read of those two runs. */
export const contentOf = async (store: RunStore<NotedEntry>): Promise<unknown> => ({
  runs: await store.list(),
  ended: await store.read('ended'),
  open: await store.read('open'),
  inbox: await store.inbox('open'),
});
