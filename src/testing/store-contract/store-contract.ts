import { systemClock } from '../../services/clock.js';
import { claimScenes } from './claim-scenes.js';
import type {
  ContractStore,
  ContractTime,
  CreateSharedStores,
  CreateStore,
  Scene,
  SharedScene,
  StoreCase,
} from './contract-case.js';
import { idScenes } from './id-scenes.js';
import { inboxScenes } from './inbox-scenes.js';
import { journalScenes } from './journal-scenes.js';
import { listScenes } from './list-scenes.js';
import { sharedScenes } from './shared-scenes.js';
import { watchScenes } from './watch-scenes.js';

export interface StoreContractOptions {
  /**
   * Makes two store objects that keep the same runs: two connections to one new database, two stores on one new file.
   * Without it nothing is tested of what several processes do at once.
   */
  readonly createShared?: CreateSharedStores;
  /** The store has a clock of its own (a database server): the cases wait until a lease is over. @default false */
  readonly hasOwnClock?: boolean;
}

const scenes: Readonly<Record<string, Readonly<Record<string, Scene>>>> = {
  journal: journalScenes,
  list: listScenes,
  claim: claimScenes,
  inbox: inboxScenes,
  ids: idScenes,
  watch: watchScenes,
};

/**
 * What every store promises, as cases for any test runner. Each case makes its own store and closes it.
 *
 * @param createStore makes a store with nothing in it
 *
 * @example
 * ```ts
 * for (const { name, run } of storeContract(() => myStore())) it(name, run);
 * ```
 */
export function storeContract(
  createStore: CreateStore,
  { createShared, hasOwnClock = false }: StoreContractOptions = {},
): readonly StoreCase[] {
  const alone = Object.entries(scenes).flatMap(([group, groupScenes]) =>
    Object.entries(groupScenes).map(([name, scene]) => ({
      name: `${group}: ${name}`,
      run: () => playAlone(createStore, scene, timeOf(hasOwnClock)),
    })),
  );
  if (createShared === undefined) return alone;
  const shared = Object.entries(sharedScenes).map(([name, scene]) => ({
    name: `shared: ${name}`,
    run: () => playShared(createShared, scene, timeOf(hasOwnClock)),
  }));
  return [...alone, ...shared];
}

async function playAlone(
  createStore: CreateStore,
  scene: Scene,
  time: ContractTime,
): Promise<void> {
  const store = await createStore();
  await closing([store], () => scene(store, time));
}

async function playShared(
  createShared: CreateSharedStores,
  scene: SharedScene,
  time: ContractTime,
): Promise<void> {
  const [one, other] = await createShared();
  await closing([one, other], () => scene(one, other, time));
}

/** A real clock, or one that stands still until time passes. */
function timeOf(hasOwnClock: boolean): ContractTime {
  if (!hasOwnClock) {
    let now = 1_800_000_000_123;
    return {
      now: () => now,
      pass: async (elapsedMs) => {
        now += elapsedMs;
      },
    };
  }
  const clock = systemClock();
  return {
    now: () => clock.now(),
    pass: (elapsedMs) =>
      new Promise((resolve) => {
        clock.setTimeout(resolve, elapsedMs + 20);
      }),
  };
}

async function closing(stores: readonly ContractStore[], play: () => Promise<void>): Promise<void> {
  try {
    await play();
  } finally {
    for (const store of stores) await store.close?.();
  }
}
