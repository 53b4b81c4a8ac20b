import { systemClock } from '../../services/clock.js';
import type { ContractStore, StoreCheck } from './contract-case.js';
import { commandOf, entriesFrom, headerOf } from './contract-case.js';
import { expectSame, expectThat } from './expectation.js';

const clock = systemClock();

const POLL_MS = 10;
const PATIENCE_MS = 20_000;
/** How long to wait for calls of a listener that has stopped. */
const QUIET_MS = 50;
/** How many commands the other run gets. */
const ROUNDS = 5;

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimeout(resolve, ms);
  });

/** Throws unless the condition holds soon. */
export async function expectSoon(what: string, holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !holds(); waitedMs += POLL_MS)
    await sleep(POLL_MS);
  expectThat(what, holds());
}

/** Counts how often a listener was called. */
export interface Watching {
  count: number;
  stop: () => void;
}

/** Undefined when the store has no `watch`: then there is nothing to test. */
export function watching(store: ContractStore, runId: string): Watching | undefined {
  if (store.watch === undefined) return undefined;
  const seen: Watching = { count: 0, stop: () => undefined };
  seen.stop = store.watch(runId, () => {
    seen.count += 1;
  });
  return seen;
}

export const watchCases: Readonly<Record<string, StoreCheck>> = {
  'calls a listener for commands and entries, until it stops': async (store) => {
    await store.create(headerOf('run'));
    const seen = watching(store, 'run');
    if (seen === undefined) return;
    await store.post('run', commandOf('a'));
    await expectSoon('The listener was not called for a command', () => seen.count > 0);
    const before = seen.count;
    await store.append('run', 0, entriesFrom(0, 1));
    await expectSoon('The listener was not called for an entry', () => seen.count > before);
    seen.stop();
    seen.stop();
    const stopped = seen.count;
    await store.post('run', commandOf('b'));
    await sleep(QUIET_MS);
    expectSame('Calls of a listener that has stopped', seen.count - stopped, 0);
  },

  'calls a listener only for its own run': async (store) => {
    for (const runId of ['one', 'two']) await store.create(headerOf(runId));
    const [one, two] = [watching(store, 'one'), watching(store, 'two')];
    if (one === undefined || two === undefined) return;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = two.count;
      await store.post('two', commandOf(`${round}`));
      await expectSoon('The listener was not called for a command', () => two.count > before);
    }
    await sleep(QUIET_MS);
    // A store that starts to listen may call every listener once, because it may have missed changes.
    expectThat(`${one.count} calls for another run`, one.count <= 1);
    one.stop();
    two.stop();
  },

  'isolates a listener that throws': async (store) => {
    await store.create(headerOf('run'));
    const stop = store.watch?.('run', () => {
      throw new Error('Error of a listener');
    });
    const seen = watching(store, 'run');
    if (seen === undefined) return;
    await store.post('run', commandOf('a'));
    await expectSoon('The second listener was not called', () => seen.count > 0);
    expectSame('How many wait', (await store.inbox('run')).length, 1);
    stop?.();
    seen.stop();
  },
};
