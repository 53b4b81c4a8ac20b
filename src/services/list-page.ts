import type { RunFilter, RunSummary } from '../model/run-store.js';
import { listLimit } from './store-limits.js';

/** A page of runs, for stores that have all of them at hand. */
export const pageOf = (
  runs: readonly RunSummary[],
  { after, limit, order = 'id', ...filter }: RunFilter,
): readonly RunSummary[] => {
  const most = listLimit(limit);
  const sign = order === 'newest' ? -1 : 1;
  const compare = (left: Position, right: Position): number =>
    sign * ((order === 'id' ? 0 : left.startedAt - right.startedAt) || idOrder(left, right));
  return runs
    .filter((run) => isMeant(run, filter) && (!after || compare(run.header, after) > 0))
    .sort((left, right) => compare(left.header, right.header))
    .slice(0, most);
};

type Position = NonNullable<RunFilter['after']>;

const idOrder = (left: Position, right: Position): number => {
  if (left.runId === right.runId) return 0;
  return left.runId < right.runId ? -1 : 1;
};

const isMeant = (
  { header, ...run }: RunSummary,
  { ended, status, labels = {}, since }: RunFilter,
): boolean =>
  (ended === undefined || run.ended === ended) &&
  (status === undefined || run.status === status) &&
  (since === undefined || header.startedAt >= since) &&
  Object.entries(labels).every(([name, value]) => ownLabel(header.labels, name) === value);

const ownLabel = (labels: RunSummary['header']['labels'], name: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, name) ? labels[name] : undefined;
