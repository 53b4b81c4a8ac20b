import type { Issue } from '../errors.js';
import { ConfigurationError } from '../errors.js';
import type { Labels } from '../model/called-run.js';
import { NO_LABELS } from '../model/called-run.js';
import type { RunFilter, RunStore, RunSummary } from '../model/run-store.js';
import { isWhole } from './durability.js';

/** Which runs to list. All given members must match. */
export interface RunsQuery {
  /** `running`, or how the run ended: `completed`, `failed`, `aborted`, `timeExpired`, `budgetExhausted`. */
  readonly status?: string;
  /** Only runs with all of these labels. */
  readonly labels?: Labels;
  /** Only runs that were started at this time or later, in milliseconds since the epoch. */
  readonly since?: number;
  /** By the time of their start. @default 'newest' */
  readonly order?: 'newest' | 'oldest';
  /** The length of a page, from 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The cursor of the previous page. */
  readonly cursor?: string;
}

/** A run in a list. Times are milliseconds since the epoch. */
export interface ListedRun {
  readonly runId: string;
  readonly goal: string;
  readonly labels: Labels;
  readonly status: string;
  /** The phase that the goal's own plan entered last; null before the first. */
  readonly phase: string | null;
  /** Why the run ended; null before. */
  readonly reason: string | null;
  /** How many questions wait for a person; `connect(runId)` has their texts. */
  readonly openApprovals: number;
  readonly startedAt: number;
  /** The time of the last entry. */
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

export interface RunsPage {
  readonly runs: readonly ListedRun[];
  /** Passed with the same query it gives the next page; null when there is none. */
  readonly cursor: string | null;
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** One page of the runs in a store. */
export const listRuns = async (
  store: Pick<RunStore, 'list'>,
  { cursor, limit = LIMIT_DEFAULT, order = 'newest', ...query }: RunsQuery,
): Promise<RunsPage> => {
  const after = cursor === undefined ? undefined : positionOf(cursor);
  refuseIssues({ ...query, limit, order }, cursor !== undefined && after === undefined);
  const filter: RunFilter = {
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(query.labels === undefined ? {} : { labels: query.labels }),
    ...(query.since === undefined ? {} : { since: query.since }),
    ...(after === undefined ? {} : { after }),
    order,
    // One more than asked for tells whether there is another page.
    limit: limit + 1,
  };
  const found = await store.list(filter);
  const runs = found.slice(0, limit);
  const last = found.length > limit ? runs.at(-1) : undefined;
  return { runs: runs.map(listed), cursor: last === undefined ? null : cursorOf(last.header) };
};

const listed = ({ header, ended, updatedAt, ...standing }: RunSummary): ListedRun => {
  const { runId, goal, labels = NO_LABELS, startedAt } = header;
  const { status, phase, reason, openApprovals } = standing;
  const times = { startedAt, updatedAt, endedAt: ended ? updatedAt : null };
  return { runId, goal, labels, status, phase, reason, openApprovals, ...times };
};

type Position = NonNullable<RunFilter['after']>;

const cursorOf = ({ startedAt, runId }: Position): string => `${startedAt}.${runId}`;

const positionOf = (cursor: unknown): Position | undefined => {
  const [, startedAt, runId] = /^(\d{1,16})\.([\s\S]+)$/.exec(String(cursor)) ?? [];
  return runId === undefined ? undefined : { startedAt: Number(startedAt), runId };
};

const refuseIssues = (
  { status, labels, since, order, limit }: RunsQuery,
  isLost: boolean,
): void => {
  const issues: Issue[] = [];
  const refuse = (path: string, message: string): void => {
    issues.push({ code: 'invalid-option', path, message });
  };
  if (status !== undefined && typeof status !== 'string') refuse('status', 'Expected a text');
  if (since !== undefined && !Number.isFinite(since)) {
    refuse('since', 'Expected a time in milliseconds since the epoch');
  }
  if (order !== 'newest' && order !== 'oldest') refuse('order', "Expected 'newest' or 'oldest'");
  if (!isWhole(limit, 1, LIMIT_MAX)) {
    refuse('limit', `Expected a whole number from 1 to ${LIMIT_MAX}`);
  }
  if (isLost) refuse('cursor', 'Expected the cursor of the previous page');
  if (labels !== undefined && !isLabels(labels)) {
    refuse('labels', "Expected an object of texts, such as { tenant: 'acme' }");
  }
  if (issues.length > 0) throw new ConfigurationError(issues);
};

const isLabels = (labels: unknown): boolean =>
  typeof labels === 'object' &&
  labels !== null &&
  Object.values(labels).every((value) => typeof value === 'string');
