import { InboxFullError, RunConflictError, RunNotFoundError } from '../../../errors.js';
import type {
  AppendOptions,
  RunClaim,
  RunFilter,
  RunHeader,
  RunSummary,
  StoredCommand,
  StoredEntry,
  StoredRun,
  StoredState,
} from '../../run-store.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { parseStored, tornError } from '../stored-json.js';
import type { Tables } from './database.js';

/* What each call of the port does inside its transaction. */

/** What changes about a run. */
interface RunValue {
  readonly runId: string;
  /** 0 or 1: IndexedDB has no keys that are true or false. */
  readonly ended: 0 | 1;
  readonly entryCount: number;
  readonly owner: string | null;
  readonly leaseEndsAt: number;
  readonly token: number;
  readonly takeovers: number;
  /** How many commands wait, and how many were ever posted. */
  readonly waiting: number;
  readonly posted: number;
}

/** Everything whose key is a list that begins with the run: lists come after all numbers and texts. */
const allOf = (runId: string): IDBKeyRange => IDBKeyRange.bound([runId], [runId, []]);

const find = async (tables: Tables, runId: string): Promise<RunValue | undefined> =>
  (await tables.runs.get(runId)) as RunValue | undefined;

async function unfinished(tables: Tables, runId: string): Promise<RunValue> {
  const run = await find(tables, runId);
  if (run === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
  if (run.ended === 1) throw new RunConflictError(`Run '${runId}' has ended`);
  return run;
}

export async function create(tables: Tables, header: RunHeader): Promise<void> {
  const { runId } = header;
  if ((await find(tables, runId)) !== undefined)
    throw new RunConflictError(`There is a run '${runId}' already`);
  const claimed = { owner: null, leaseEndsAt: 0, token: 0, takeovers: 0 };
  const run: RunValue = { runId, ended: 0, entryCount: 0, waiting: 0, posted: 0, ...claimed };
  tables.runs.put(run, runId);
  tables.headers.put(JSON.stringify(header), runId);
}

export async function append(
  tables: Tables,
  runId: string,
  expectedSequence: number,
  entries: readonly StoredEntry[],
  { token, ended = false, taken = [], state }: AppendOptions,
): Promise<void> {
  const run = await unfinished(tables, runId);
  if ((run.owner === null ? undefined : run.token) !== token)
    throw new RunConflictError(`Run '${runId}' is claimed by ${run.owner ?? 'nobody'}`);
  if (run.entryCount !== expectedSequence) {
    const text = `Expected run '${runId}' to have ${expectedSequence} entries, got ${run.entryCount}`;
    throw new RunConflictError(text);
  }
  for (const [index, entry] of entries.entries())
    tables.entries.put(JSON.stringify(entry), [runId, expectedSequence + index]);
  const entryCount = expectedSequence + entries.length;
  if (state !== undefined)
    tables.states.put({ sequence: entryCount, body: JSON.stringify(state) }, runId);
  const waiting = run.waiting - (await take(tables, runId, taken));
  tables.runs.put({ ...run, entryCount, waiting, ended: ended ? 1 : 0 }, runId);
}

/** Takes commands out and tells how many; their ids stay, so that they cannot be posted again. */
async function take(tables: Tables, runId: string, commandIds: readonly string[]): Promise<number> {
  let count = 0;
  for (const id of new Set(commandIds)) {
    const place = await tables.commandIds.get([runId, id]);
    if (typeof place !== 'number' || place < 0) continue;
    tables.commands.delete([runId, place]);
    tables.commandIds.put(-1, [runId, id]);
    count += 1;
  }
  return count;
}

export async function readRun(tables: Tables, runId: string): Promise<StoredRun | undefined> {
  const run = await find(tables, runId);
  if (run === undefined) return undefined;
  const texts = await tables.entries.getAll(allOf(runId));
  if (texts.length !== run.entryCount) throw tornError(`The journal of run '${runId}'`);
  const entries = texts.map(
    (text, sequence) => parseStored(text, `Entry ${sequence} of run '${runId}'`) as StoredEntry,
  );
  const header = await headerOf(tables, runId);
  const stored = { header, entries: Object.freeze(entries), ended: run.ended === 1 };
  const kept = (await tables.states.get(runId)) as StoredState | undefined;
  if (kept === undefined) return Object.freeze(stored);
  const body = parseStored(kept.body, `The state of run '${runId}'`);
  return Object.freeze({ ...stored, state: { sequence: kept.sequence, body } });
}

const headerOf = async (tables: Tables, runId: string): Promise<RunHeader> =>
  parseStored(await tables.headers.get(runId), `The header of run '${runId}'`) as RunHeader;

export async function list(
  tables: Tables,
  { ended, after = '' }: RunFilter,
  limit: number,
): Promise<readonly RunSummary[]> {
  const runs = (await (ended === undefined
    ? tables.runs.getAll(IDBKeyRange.lowerBound(after, true), limit)
    : tables.runs.getAllByEnd(
        IDBKeyRange.bound([ended ? 1 : 0, after], [ended ? 1 : 0, []], true),
        limit,
      ))) as readonly RunValue[];
  return Promise.all(
    runs.map(async (run) => ({
      header: await headerOf(tables, run.runId),
      entryCount: run.entryCount,
      ended: run.ended === 1,
    })),
  );
}

interface NewClaim {
  readonly owner: string;
  readonly leaseEndsAt: number;
  readonly now: number;
}

export async function claim(
  tables: Tables,
  runId: string,
  { owner, leaseEndsAt, now }: NewClaim,
): Promise<RunClaim | undefined> {
  const run = await find(tables, runId);
  if (run === undefined || run.ended === 1) return undefined;
  const isOwn = run.owner === owner;
  const isTaken = run.owner !== null && !isOwn;
  if (isTaken && now < run.leaseEndsAt) return undefined;
  const token = isOwn ? run.token : run.token + 1;
  const takeovers = isTaken ? run.takeovers + 1 : run.takeovers;
  tables.runs.put({ ...run, owner, leaseEndsAt, token, takeovers }, runId);
  return { token, takeovers };
}

export async function post(
  tables: Tables,
  runId: string,
  { id, at, command }: StoredCommand,
): Promise<void> {
  const run = await unfinished(tables, runId);
  if ((await tables.commandIds.get([runId, id])) !== undefined) return;
  if (run.waiting >= INBOX_LIMIT)
    throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
  tables.commandIds.put(run.posted, [runId, id]);
  tables.commands.put({ id, body: JSON.stringify({ at, command }) }, [runId, run.posted]);
  tables.runs.put({ ...run, waiting: run.waiting + 1, posted: run.posted + 1 }, runId);
}

export async function inbox(tables: Tables, runId: string): Promise<readonly StoredCommand[]> {
  const kept = await tables.commands.getAll(allOf(runId));
  return (kept as readonly { readonly id: string; readonly body: unknown }[]).map(
    ({ id, body }) => {
      const what = `Command '${id}' of run '${runId}'`;
      const { at, command } = parseStored(body, what) as Omit<StoredCommand, 'id'>;
      return { id, at, command };
    },
  );
}

export async function release(tables: Tables, runId: string, token: number): Promise<void> {
  const run = await find(tables, runId);
  if (run?.token === token) tables.runs.put({ ...run, owner: null }, runId);
}

export async function deleteRun(tables: Tables, runId: string): Promise<void> {
  for (const table of [tables.entries, tables.commands, tables.commandIds]) {
    table.delete(allOf(runId));
  }
  for (const table of [tables.headers, tables.runs, tables.states]) table.delete(runId);
}
