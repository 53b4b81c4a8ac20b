import { claimScenes } from './claim-scenes.js';
import type {
  ContractStore,
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
  { createShared }: StoreContractOptions = {},
): readonly StoreCase[] {
  const alone = Object.entries(scenes).flatMap(([group, groupScenes]) =>
    Object.entries(groupScenes).map(([name, scene]) => ({
      name: `${group}: ${name}`,
      run: () => playAlone(createStore, scene),
    })),
  );
  if (createShared === undefined) return alone;
  const shared = Object.entries(sharedScenes).map(([name, scene]) => ({
    name: `shared: ${name}`,
    run: () => playShared(createShared, scene),
  }));
  return [...alone, ...shared];
}

async function playAlone(createStore: CreateStore, scene: Scene): Promise<void> {
  const store = await createStore();
  await closing([store], () => scene(store));
}

async function playShared(createShared: CreateSharedStores, scene: SharedScene): Promise<void> {
  const [one, other] = await createShared();
  await closing([one, other], () => scene(one, other));
}

async function closing(stores: readonly ContractStore[], play: () => Promise<void>): Promise<void> {
  try {
    await play();
  } finally {
    for (const store of stores) await store.close?.();
  }
}
