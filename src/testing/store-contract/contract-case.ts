import type {
  MaybePromise,
  RunClaim,
  RunHeader,
  RunStore,
  StoredCommand,
  StoredEntry,
  TakenCommand,
} from '../../model/run-store.js';

/** One test of the store contract. */
export interface StoreCase {
  readonly name: string;
  /** Rejects with an error that names the expected and the actual result. */
  readonly run: () => Promise<void>;
}

/** An entry as the cases append it. */
export interface ContractEntry extends StoredEntry {
  readonly note: string;
}

export type ContractStore = RunStore<ContractEntry>;

/** Makes an empty store; every case has its own. */
export type CreateStore = () => MaybePromise<ContractStore>;

/** Makes two store objects for the same runs, initially none, as two processes have them. */
export type CreateSharedStores = () => MaybePromise<readonly [ContractStore, ContractStore]>;

/** The time of a store: its own clock, or the `now` it is given. */
export interface ContractTime {
  now(): number;
  pass(elapsedMs: number): Promise<void>;
}

/** The test of a case, with an empty store. */
export type StoreCheck = (store: ContractStore, time: ContractTime) => Promise<void>;

/** The test of a case with two store objects that share their runs. */
export type SharedCheck = (
  one: ContractStore,
  other: ContractStore,
  time: ContractTime,
) => Promise<void>;

/** Long enough for a few queries to a real server, short enough to wait for. */
export const LEASE_MS = 1_000;

export const headerOf = (runId: string): RunHeader => ({
  format: 1,
  runId,
  goal: `The goal of ${runId}`,
  plan: { steps: [{ id: 's1', task: 'Something with "quotes", a \0 and \ud800' }] },
  policyFingerprint: '0123456789abcdef',
  chartFingerprint: 'fedcba9876543210',
  startedAt: 1_000,
});

export const entryAt = (sequence: number): ContractEntry => ({
  sequence,
  at: 1_000 + sequence,
  kind: 'noted',
  note: `entry ${sequence} with "quotes", 'others', \\, \0, \u2028, 😀 and half of one: \ud83d`,
});

/** Entries `from` to before `to`. */
export const entriesFrom = (from: number, to: number): ContractEntry[] =>
  Array.from({ length: to - from }, (_item, index) => entryAt(from + index));

export const commandOf = (id: string): StoredCommand => ({
  id,
  at: 5_000,
  command: { type: 'conversation.say', text: `Command ${id} says 'hello' \0 😀` },
});

/** The command leaves the inbox with this answer. */
export const takenOf = (...ids: readonly string[]): TakenCommand[] =>
  ids.map((id) => ({ id, answer: { accepted: true, to: id } }));

/** The token of a claim that must succeed, with a new lease. */
export async function tokenFor(
  store: ContractStore,
  runId: string,
  owner: string,
  time: ContractTime,
): Promise<number> {
  return (await claimFor(store, runId, owner, time)).token;
}

/** A claim that must succeed, with a new lease. */
export async function claimFor(
  store: ContractStore,
  runId: string,
  owner: string,
  time: ContractTime,
): Promise<RunClaim> {
  await store.renew(owner, LEASE_MS, time.now());
  const claim = await store.claim(runId, owner, time.now());
  if (claim === undefined)
    throw new Error(`Expected ${owner} to claim run '${runId}', but another owner has it`);
  return claim;
}
