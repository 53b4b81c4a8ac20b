import { systemClock } from '../../services/clock.js';
import { claimCases } from './claim-cases.js';
import type {
  ContractStore,
  ContractTime,
  CreateSharedStores,
  CreateStore,
  StoreCheck,
  SharedCheck,
  StoreCase,
} from './contract-case.js';
import { idCases } from './id-cases.js';
import { inboxCases } from './inbox-cases.js';
import { journalCases } from './journal-cases.js';
import { listCases } from './list-cases.js';
import { sharedCases } from './shared-cases.js';
import { watchCases } from './watch-cases.js';

export interface StoreContractOptions {
  /**
   * Makes two store objects for the same runs: two connections to one new database, two stores on one new file. Without
   * it the contract tests no concurrent processes.
   */
  readonly createShared?: CreateSharedStores;
  /** The store has its own clock (a database server): the cases wait until a lease has ended. @default false */
  readonly hasOwnClock?: boolean;
}

const cases: Readonly<Record<string, Readonly<Record<string, StoreCheck>>>> = {
  journal: journalCases,
  list: listCases,
  claim: claimCases,
  inbox: inboxCases,
  ids: idCases,
  watch: watchCases,
};

/**
 * The contract of every store, as cases for any test runner. Each case makes its own store and closes it.
 *
 * @param createStore makes an empty store
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
  const alone = Object.entries(cases).flatMap(([group, groupCases]) =>
    Object.entries(groupCases).map(([name, check]) => ({
      name: `${group}: ${name}`,
      run: () => runAlone(createStore, check, timeOf(hasOwnClock)),
    })),
  );
  if (createShared === undefined) return alone;
  const shared = Object.entries(sharedCases).map(([name, check]) => ({
    name: `shared: ${name}`,
    run: () => runShared(createShared, check, timeOf(hasOwnClock)),
  }));
  return [...alone, ...shared];
}

async function runAlone(
  createStore: CreateStore,
  check: StoreCheck,
  time: ContractTime,
): Promise<void> {
  const store = await createStore();
  await closing([store], () => check(store, time));
}

async function runShared(
  createShared: CreateSharedStores,
  check: SharedCheck,
  time: ContractTime,
): Promise<void> {
  const [one, other] = await createShared();
  await closing([one, other], () => check(one, other, time));
}

/** A real clock, or one that moves only by `pass`. */
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
