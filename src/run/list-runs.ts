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
  { cursor, limit = LIMIT_DEFAULT, order = 'newest', ...filter }: RunsQuery,
): Promise<RunsPage> => {
  refuseIssues({ ...filter, limit, order, ...(cursor === undefined ? {} : { cursor }) });
  const after = positionOf(cursor);
  // One more than asked for tells whether there is another page.
  const page = { order, limit: limit + 1, ...(after === undefined ? {} : { after }) };
  const found = await store.list({ ...filter, ...page });
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

const refuseIssues = (query: RunsQuery): void => {
  const issues = Object.entries(query).flatMap(([path, value]: [string, unknown]): Issue[] => {
    const { isValid, expected } = MEMBERS[path as keyof RunsQuery];
    if (isValid(value)) return [];
    return [{ code: 'invalid-option', path, message: `Expected ${expected}` }];
  });
  if (issues.length > 0) throw new ConfigurationError(issues);
};

const MEMBERS: Readonly<
  Record<
    keyof RunsQuery,
    { readonly isValid: (value: unknown) => boolean; readonly expected: string }
  >
> = {
  status: { isValid: (value) => typeof value === 'string', expected: 'a text' },
  labels: { isValid: isLabels, expected: "an object of texts, such as { tenant: 'acme' }" },
  since: { isValid: Number.isFinite, expected: 'a time in milliseconds since the epoch' },
  order: {
    isValid: (value) => value === 'newest' || value === 'oldest',
    expected: "'newest' or 'oldest'",
  },
  limit: {
    isValid: (value) => isWhole(value, 1, LIMIT_MAX),
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
  },
  cursor: {
    isValid: (value) => positionOf(value) !== undefined,
    expected: 'the cursor of the previous page',
  },
};

function isLabels(labels: unknown): boolean {
  return (
    typeof labels === 'object' &&
    labels !== null &&
    Object.values(labels).every((value) => typeof value === 'string')
  );
}
