import { InboxFullError, RunConflictError, RunNotFoundError } from '../../../errors.js';
import type {
  AppendOptions,
  ClaimableRun,
  OwnedFilter,
  OwnedRun,
  PostedCommand,
  RunClaim,
  RunFilter,
  RunHeader,
  RunStanding,
  RunSummary,
  StoredCommand,
  StoredEntry,
  StoredRun,
  StoredState,
  TakenCommand,
} from '../../../model/run-store.js';
import { pageOf } from '../../list-page.js';
import { INBOX_LIMIT, listLimit } from '../../store-limits.js';
import { refuseConflict } from '../../store-refusals.js';
import { parseStored, tornError } from '../stored-json.js';
import type { Tables } from './database.js';
import type { PageOfOwner } from './owner-locks.js';

/* The work of each store method inside its transaction. */

/** The mutable data of a run. */
interface RunValue extends RunStanding {
  readonly runId: string;
  /** 0 or 1: IndexedDB keys cannot be booleans. */
  readonly ended: 0 | 1;
  readonly updatedAt: number;
  readonly entryCount: number;
  readonly owner: string | null;
  readonly token: number;
  readonly isTakeover: boolean;
  readonly takeovers: number;
  /** How many commands wait, and how many were ever posted. */
  readonly waiting: number;
  readonly posted: number;
}

/** The range of all keys that are lists starting with the run id: lists sort after all numbers and texts. */
const allOf = (runId: string): IDBKeyRange => IDBKeyRange.bound([runId], [runId, []]);

const find = async (tables: Tables, runId: string): Promise<RunValue | undefined> =>
  (await tables.runs.get(runId)) as RunValue | undefined;

async function known(tables: Tables, runId: string): Promise<RunValue> {
  const run = await find(tables, runId);
  if (run === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
  return run;
}

/** Every unfinished run: a browser has few. */
const allUnfinished = async (tables: Tables): Promise<readonly RunValue[]> =>
  (await tables.runs.getAllByEnd(IDBKeyRange.bound([0], [0, []]))) as readonly RunValue[];

export async function create(
  tables: Tables,
  header: RunHeader,
  owner: string | null,
): Promise<void> {
  const { runId } = header;
  if ((await find(tables, runId)) !== undefined)
    throw new RunConflictError(`There is a run '${runId}' already`);
  const token = owner === null ? 0 : 1;
  const claimed = { owner, token, isTakeover: false, takeovers: 0 };
  const standing = { status: 'running', phase: null, reason: null, openApprovals: 0 };
  const updatedAt = header.startedAt;
  const counts = { entryCount: 0, waiting: 0, posted: 0 };
  const run: RunValue = { runId, ended: 0, updatedAt, ...standing, ...counts, ...claimed };
  tables.runs.put(run, runId);
  tables.headers.put(JSON.stringify(header), runId);
}

export async function append(
  tables: Tables,
  runId: string,
  expectedSequence: number,
  entries: readonly StoredEntry[],
  { token, ended = false, taken = [], standing, state, hasProgressed = false }: AppendOptions,
): Promise<void> {
  const run = await known(tables, runId);
  refuseConflict({ ...run, ended: run.ended === 1 }, expectedSequence, token);
  for (const [index, entry] of entries.entries())
    tables.entries.put(JSON.stringify(entry), [runId, expectedSequence + index]);
  const entryCount = expectedSequence + entries.length;
  if (state !== undefined)
    tables.states.put({ sequence: entryCount, body: JSON.stringify(state) }, runId);
  const waiting = run.waiting - (await take(tables, runId, taken));
  const takeovers = hasProgressed ? 0 : run.takeovers;
  const updatedAt = entries.at(-1)?.at ?? run.updatedAt;
  const counts = { entryCount, waiting, takeovers };
  tables.runs.put({ ...run, ...standing, ...counts, updatedAt, ended: ended ? 1 : 0 }, runId);
}

/** Replaces commands by their answers and returns their number; the ids stay, so that a repeated post is recognised. */
async function take(
  tables: Tables,
  runId: string,
  taken: readonly TakenCommand[],
): Promise<number> {
  let count = 0;
  for (const { id, answer } of taken) {
    const place = await tables.commandIds.get([runId, id]);
    if (typeof place !== 'number') continue;
    tables.commands.delete([runId, place]);
    tables.commandIds.put(JSON.stringify(answer), [runId, id]);
    count += 1;
  }
  return count;
}

export async function readRun(
  tables: Tables,
  runId: string,
  from: number,
): Promise<StoredRun | undefined> {
  const run = await find(tables, runId);
  if (run === undefined) return undefined;
  const first = Math.min(from, run.entryCount);
  const texts = await tables.entries.getAll(IDBKeyRange.bound([runId, first], [runId, []]));
  if (first + texts.length !== run.entryCount) throw tornError(`The journal of run '${runId}'`);
  const entries = texts.map(
    (text, index) => parseStored(text, `Entry ${first + index} of run '${runId}'`) as StoredEntry,
  );
  const stored = {
    header: await headerOf(tables, runId),
    entries: Object.freeze(entries),
    ended: run.ended === 1,
    ...(run.owner === null ? {} : { token: run.token }),
  };
  const kept = (await tables.states.get(runId)) as StoredState | undefined;
  if (kept === undefined) return Object.freeze(stored);
  const body = parseStored(kept.body, `The state of run '${runId}'`);
  return Object.freeze({ ...stored, state: { sequence: kept.sequence, body } });
}

const headerOf = async (tables: Tables, runId: string): Promise<RunHeader> =>
  parseStored(await tables.headers.get(runId), `The header of run '${runId}'`) as RunHeader;

export async function list(tables: Tables, filter: RunFilter): Promise<readonly RunSummary[]> {
  const { ended, status, labels, since, order = 'id', after } = filter;
  const isPlain = [status, labels, since].every((member) => member === undefined);
  // A browser has few runs: other filters and orders read all of them.
  if (!isPlain || order !== 'id')
    return pageOf(await summaries(tables, await allRuns(tables)), filter);
  const from = after?.runId ?? '';
  const limit = listLimit(filter.limit);
  const runs = await (ended === undefined
    ? tables.runs.getAll(IDBKeyRange.lowerBound(from, true), limit)
    : tables.runs.getAllByEnd(
        IDBKeyRange.bound([ended ? 1 : 0, from], [ended ? 1 : 0, []], true),
        limit,
      ));
  return summaries(tables, runs as readonly RunValue[]);
}

const allRuns = async (tables: Tables): Promise<readonly RunValue[]> =>
  (await tables.runs.getAll()) as readonly RunValue[];

const summaries = (tables: Tables, runs: readonly RunValue[]): Promise<readonly RunSummary[]> =>
  Promise.all(
    runs.map(async ({ runId, entryCount, ended: isEnded, ...run }) => {
      const { status, phase, reason, openApprovals, updatedAt } = run;
      const standing = { status, phase, reason, openApprovals, updatedAt };
      const header = await headerOf(tables, runId);
      return { header, entryCount, ended: isEnded === 1, ...standing };
    }),
  );

/** The time, and the pages of the owners at that time. */
interface Present {
  readonly now: number;
  readonly pageOf: (owner: string | null) => PageOfOwner;
}

/** Whether a run has an owner that may still write: by its page, else by its lease. */
const isOwned = async (
  tables: Tables,
  owner: string | null,
  { now, pageOf }: Present,
): Promise<boolean> => {
  if (owner === null) return false;
  const page = pageOf(owner);
  if (page !== undefined) return page === 'open';
  const leaseEndsAt = await tables.owners.get(owner);
  return typeof leaseEndsAt === 'number' && now < leaseEndsAt;
};

export const ownerOf = async (tables: Tables, runId: string): Promise<string | null> =>
  (await find(tables, runId))?.owner ?? null;

export async function claim(
  tables: Tables,
  runId: string,
  owner: string,
  present: Present,
): Promise<RunClaim | undefined> {
  const run = await find(tables, runId);
  if (run === undefined || run.ended === 1) return undefined;
  const isHeld = run.owner !== null && run.owner !== owner;
  if (isHeld && (await isOwned(tables, run.owner, present))) return undefined;
  // A page that is gone was closed or reloaded by its user. That says nothing about the calls of its runs, so it is not
  // a takeover, which counts towards `limits.maxRecoveries`. A page that a call has crashed looks the same; there the
  // user decides whether to open it again.
  const isTaken = isHeld && present.pageOf(run.owner) !== 'gone';
  const token = run.token + 1;
  // An owner that repeats a claim, because the answer was lost, gets the same answer.
  const isTakeover = isTaken || (run.owner === owner && run.isTakeover);
  const takeovers = isTaken ? run.takeovers + 1 : run.takeovers;
  tables.runs.put({ ...run, owner, token, isTakeover, takeovers }, runId);
  return { token, isTakeover };
}

export async function owned(
  tables: Tables,
  owner: string,
  { hasCommands = false }: OwnedFilter,
): Promise<readonly OwnedRun[]> {
  return (await allUnfinished(tables))
    .filter((run) => run.owner === owner && (!hasCommands || run.waiting > 0))
    .map(({ runId, token }) => ({ runId, token }));
}

export async function claimable(
  tables: Tables,
  present: Present,
  after: string,
  limit: number,
): Promise<readonly ClaimableRun[]> {
  const found: ClaimableRun[] = [];
  for (const { runId, owner, takeovers } of await allUnfinished(tables)) {
    if (found.length === limit) break;
    if (runId > after && !(await isOwned(tables, owner, present))) found.push({ runId, takeovers });
  }
  return found;
}

export async function post(
  tables: Tables,
  runId: string,
  { id, at, command }: StoredCommand,
  pageOf: Present['pageOf'],
): Promise<PostedCommand & { readonly isNew: boolean }> {
  const run = await known(tables, runId);
  const standing = { isOwned: await isOwned(tables, run.owner, { now: at, pageOf }) };
  const posted = await tables.commandIds.get([runId, id]);
  if (typeof posted === 'number') return { ...standing, isNew: false };
  if (posted !== undefined)
    return {
      ...standing,
      answer: parseStored(posted, `The answer to command '${id}'`),
      isNew: false,
    };
  if (run.ended === 1) throw new RunConflictError(`Run '${runId}' has ended`);
  if (run.waiting >= INBOX_LIMIT)
    throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
  tables.commandIds.put(run.posted, [runId, id]);
  tables.commands.put({ id, body: JSON.stringify({ at, command }) }, [runId, run.posted]);
  tables.runs.put({ ...run, waiting: run.waiting + 1, posted: run.posted + 1 }, runId);
  return { ...standing, isNew: true };
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
  if (run?.token === token) tables.runs.put({ ...run, owner: null, isTakeover: false }, runId);
}

export async function deleteRun(tables: Tables, runId: string): Promise<void> {
  for (const table of [tables.entries, tables.commands, tables.commandIds]) {
    table.delete(allOf(runId));
  }
  for (const table of [tables.headers, tables.runs, tables.states]) table.delete(runId);
}
