import { InboxFullError, RunConflictError, RunNotFoundError } from '../errors.js';
import { ListenerSet } from './listener-set.js';
import type {
  AppendOptions,
  RunFilter,
  RunHeader,
  RunStore,
  StoredCommand,
  StoredEntry,
  StoredRun,
  StoredState,
} from './run-store.js';
import { INBOX_LIMIT, listLimit } from './store-limits.js';
import { checkId } from './stored-id.js';

interface KeptRun<Entry> {
  readonly header: RunHeader;
  readonly entries: Entry[];
  ended: boolean;
  state: StoredState | undefined;
  readonly inbox: Map<string, StoredCommand>;
  /** Ids that have left the inbox and must not come back. */
  readonly taken: Set<string>;
  /** How many owners the run has had: the token of the latest. */
  owners: number;
  takeovers: number;
  claim:
    | { readonly owner: string; readonly token: number; readonly leaseEndsAt: number }
    | undefined;
}

/**
 * A store that lasts as long as the process and answers at once. It keeps entries as they are given, without a
 * copy, and finished runs until they are deleted: a long-lived service deletes what it has reported.
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function memoryStore<Entry extends StoredEntry = StoredEntry>(): RunStore<Entry> {
  const runs = new Map<string, KeptRun<Entry>>();
  const listeners = new ListenerSet();
  const known = (runId: string): KeptRun<Entry> => {
    const run = runs.get(runId);
    if (!run) throw new RunNotFoundError(`There is no run '${runId}'`);
    return run;
  };

  return {
    create: (header) => {
      checkId(header.runId, 'runId');
      if (runs.has(header.runId))
        throw new RunConflictError(`There is a run '${header.runId}' already`);
      runs.set(header.runId, keptRun(header));
    },
    append: (runId, expectedSequence, entries, options = {}) => {
      const run = known(runId);
      refuseConflict(run, expectedSequence, options.token);
      for (const entry of entries) run.entries.push(entry);
      keepOptions(run, options);
      listeners.tell(runId);
    },
    read: (runId) => {
      const run = runs.get(runId);
      return run && snapshotOf(run);
    },
    list: (filter = {}) => listed([...runs.values()], filter),
    claim: (runId, owner, leaseMs, now) => {
      const run = runs.get(runId);
      if (!run || run.ended) return undefined;
      return claimed(run, owner, leaseMs, now);
    },
    release: (runId, token) => {
      const run = runs.get(runId);
      if (run?.claim?.token === token) run.claim = undefined;
    },
    post: (runId, command) => {
      checkId(command.id, 'command.id');
      const run = known(runId);
      if (run.ended) throw new RunConflictError(`Run '${runId}' has ended`);
      if (run.inbox.has(command.id) || run.taken.has(command.id)) return;
      if (run.inbox.size >= INBOX_LIMIT)
        throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
      run.inbox.set(command.id, command);
      listeners.tell(runId);
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
  state: undefined,
  inbox: new Map(),
  taken: new Set(),
  owners: 0,
  takeovers: 0,
  claim: undefined,
});

function keepOptions(run: KeptRun<unknown>, { ended = false, taken = [], state }: AppendOptions) {
  run.ended = ended;
  if (state !== undefined) run.state = { sequence: run.entries.length, body: state };
  for (const id of taken) {
    if (run.inbox.delete(id)) run.taken.add(id);
  }
}

function refuseConflict(run: KeptRun<unknown>, expectedSequence: number, token?: number): void {
  const { header, entries, ended, claim } = run;
  if (ended) throw new RunConflictError(`Run '${header.runId}' has ended`);
  if (claim?.token !== token) {
    throw new RunConflictError(`Run '${header.runId}' is claimed by ${claim?.owner ?? 'nobody'}`);
  }
  if (entries.length !== expectedSequence) {
    throw new RunConflictError(
      `Expected run '${header.runId}' to have ${expectedSequence} entries, got ${entries.length}`,
    );
  }
}

function claimed(run: KeptRun<unknown>, owner: string, leaseMs: number, now: number) {
  const { claim } = run;
  const isOwn = claim?.owner === owner;
  if (claim !== undefined && !isOwn) {
    if (now < claim.leaseEndsAt) return undefined;
    run.takeovers += 1;
  }
  const token = isOwn ? claim.token : (run.owners += 1);
  run.claim = { owner, token, leaseEndsAt: now + leaseMs };
  return { token, takeovers: run.takeovers };
}

function listed(runs: readonly KeptRun<unknown>[], { ended, after = '', limit }: RunFilter) {
  return runs
    .filter((run) => run.header.runId > after && (ended === undefined || run.ended === ended))
    .sort((left, right) => (left.header.runId < right.header.runId ? -1 : 1))
    .slice(0, listLimit(limit))
    .map((run) => ({ header: run.header, entryCount: run.entries.length, ended: run.ended }));
}

function snapshotOf<Entry extends StoredEntry>(run: KeptRun<Entry>): StoredRun<Entry> {
  const { header, entries, ended, state } = run;
  const snapshot = { header, entries: Object.freeze(entries.slice()), ended };
  return Object.freeze(state === undefined ? snapshot : { ...snapshot, state });
}
