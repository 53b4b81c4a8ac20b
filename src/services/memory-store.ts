import { InboxFullError, RunConflictError, RunNotFoundError } from '../errors.js';
import { pageOf } from './list-page.js';
import { ListenerSet } from './listener-set.js';
import type {
  AppendOptions,
  RunClaim,
  RunHeader,
  RunStanding,
  RunStore,
  RunSummary,
  StoredCommand,
  StoredEntry,
  StoredRun,
  StoredState,
} from '../model/run-store.js';
import { INBOX_LIMIT, listLimit } from './store-limits.js';
import { refuseConflict } from './store-refusals.js';
import { checkId } from './stored-id.js';

interface KeptRun<Entry> {
  readonly header: RunHeader;
  readonly entries: Entry[];
  ended: boolean;
  standing: RunStanding;
  state: StoredState | undefined;
  readonly inbox: Map<string, StoredCommand>;
  /** The answers to commands that have left the inbox, by command id. */
  readonly answers: Map<string, unknown>;
  /** The number of claims: the token of the latest. */
  claims: number;
  /** Since the run last made progress. */
  takeovers: number;
  claim: (RunClaim & { readonly owner: string }) | undefined;
}

/**
 * An in-memory store that answers synchronously. It keeps entries without copying them, and finished runs until they
 * are deleted: a long-lived service deletes the runs it has reported.
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function memoryStore<Entry extends StoredEntry = StoredEntry>(): RunStore<Entry> {
  const runs = new Map<string, KeptRun<Entry>>();
  /** When the lease of each owner ends. */
  const leases = new Map<string, number>();
  const listeners = new ListenerSet();
  const known = (runId: string): KeptRun<Entry> => {
    const run = runs.get(runId);
    if (!run) throw new RunNotFoundError(`There is no run '${runId}'`);
    return run;
  };
  const isOwned = ({ claim }: KeptRun<Entry>, now: number): boolean =>
    claim !== undefined && now < (leases.get(claim.owner) ?? Number.NEGATIVE_INFINITY);

  return {
    create: (header, owner) => {
      checkId(header.runId, 'runId');
      if (runs.has(header.runId))
        throw new RunConflictError(`There is a run '${header.runId}' already`);
      const run = keptRun<Entry>(header);
      runs.set(header.runId, run);
      if (owner !== undefined) claimed(run, owner, false);
    },
    append: (runId, expectedSequence, entries, options = {}) => {
      const run = known(runId);
      refuseConflict(targetOf(run), expectedSequence, options.token);
      for (const entry of entries) run.entries.push(entry);
      keepOptions(run, options);
      listeners.tell(runId);
    },
    read: (runId, from = 0) => snapshotOf(runs.get(runId), from),
    list: (filter = {}) => pageOf([...runs.values()].map(summaryOf), filter),
    renew: (owner, leaseMs, now) => {
      // A renewal that was overtaken by a later one shortens nothing.
      leases.set(owner, Math.max(leases.get(owner) ?? 0, now + leaseMs));
    },
    claim: (runId, owner, now) => {
      const run = runs.get(runId);
      if (!run || run.ended) return undefined;
      const isHeld = run.claim !== undefined && run.claim.owner !== owner;
      if (isHeld && isOwned(run, now)) return undefined;
      return claimed(run, owner, isHeld);
    },
    owned: (owner, { hasCommands = false } = {}) =>
      [...runs.values()].flatMap(({ header, ended, claim, inbox }) =>
        !ended && claim?.owner === owner && (!hasCommands || inbox.size > 0)
          ? [{ runId: header.runId, token: claim.token }]
          : [],
      ),
    claimable: (now, { after = '', limit } = {}) =>
      [...runs.values()]
        .filter((run) => run.header.runId > after && !run.ended && !isOwned(run, now))
        .map(({ header, takeovers }) => ({ runId: header.runId, takeovers }))
        .sort((left, right) => (left.runId < right.runId ? -1 : 1))
        .slice(0, listLimit(limit)),
    release: (runId, token) => {
      const run = runs.get(runId);
      if (run?.claim?.token === token) run.claim = undefined;
    },
    retire: (owner) => {
      leases.delete(owner);
    },
    post: (runId, command) => {
      checkId(command.id, 'command.id');
      const run = known(runId);
      const { isNew, ...posted } = post(run, command);
      if (isNew) listeners.tell(runId);
      return { ...posted, isOwned: isOwned(run, command.at) };
    },
    inbox: (runId) => Object.freeze([...(runs.get(runId)?.inbox.values() ?? [])]),
    delete: (runId) => {
      runs.delete(runId);
    },
    watch: (runId, listener) => listeners.add(runId, listener),
  };
}

const keptRun = <Entry>(header: RunHeader): KeptRun<Entry> => ({
  header: Object.freeze({ ...header }),
  entries: [],
  ended: false,
  standing: { status: 'running', phase: null, reason: null, openApprovals: 0 },
  state: undefined,
  inbox: new Map(),
  answers: new Map(),
  claims: 0,
  takeovers: 0,
  claim: undefined,
});

function post(run: KeptRun<unknown>, command: StoredCommand) {
  const { header, inbox, answers, ended } = run;
  if (answers.has(command.id)) return { isNew: false, answer: answers.get(command.id) };
  if (inbox.has(command.id)) return { isNew: false };
  if (ended) throw new RunConflictError(`Run '${header.runId}' has ended`);
  if (inbox.size >= INBOX_LIMIT)
    throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${header.runId}'`);
  inbox.set(command.id, command);
  return { isNew: true };
}

const targetOf = ({ header, entries, ended, claim }: KeptRun<unknown>) => ({
  runId: header.runId,
  ended,
  owner: claim?.owner ?? null,
  token: claim?.token ?? 0,
  entryCount: entries.length,
});

function keepOptions(
  run: KeptRun<unknown>,
  { ended = false, taken = [], standing, state, hasProgressed = false }: AppendOptions,
) {
  run.ended = ended;
  run.standing = { ...run.standing, ...standing };
  if (hasProgressed) run.takeovers = 0;
  if (state !== undefined) run.state = { sequence: run.entries.length, body: state };
  for (const { id, answer } of taken) {
    if (run.inbox.delete(id)) run.answers.set(id, answer);
  }
}

function claimed(run: KeptRun<unknown>, owner: string, isHeld: boolean): RunClaim {
  if (isHeld) run.takeovers += 1;
  run.claims += 1;
  // An owner that repeats a claim, because the answer was lost, gets the same answer.
  const isTakeover = isHeld || (run.claim?.isTakeover ?? false);
  run.claim = { owner, token: run.claims, isTakeover };
  return { token: run.claims, isTakeover };
}

const summaryOf = (run: KeptRun<StoredEntry>): RunSummary => ({
  header: run.header,
  entryCount: run.entries.length,
  ended: run.ended,
  ...run.standing,
  updatedAt: run.entries.at(-1)?.at ?? run.header.startedAt,
});

function snapshotOf<Entry extends StoredEntry>(
  run: KeptRun<Entry> | undefined,
  from: number,
): StoredRun<Entry> | undefined {
  if (run === undefined) return undefined;
  const { header, entries, ended, state, claim } = run;
  return Object.freeze({
    header,
    entries: Object.freeze(entries.slice(from)),
    ended,
    ...(claim === undefined ? {} : { token: claim.token }),
    ...(state === undefined ? {} : { state }),
  });
}
