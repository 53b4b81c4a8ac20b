import type { ChunkedList } from './chunked-list.js';
import { itemAt, withItem } from './chunked-list.js';
import type { Complexity } from './plan.js';

/** A step that was adopted into a run. Its index never changes and is never used again. */
export interface PlannedStep {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  readonly complexity: Complexity;
  readonly requiresApproval: boolean;
  /** Indexes of the steps it waits for. */
  readonly dependsOn: readonly number[];
  /** Lower runs first among the ready; 'appendNext' gives new steps a lower rank than the waiting ones. */
  readonly rank: number;
  /** The plan revision that brought it. */
  readonly revision: number;
}

export type SettledStatus = 'completed' | 'failed' | 'skipped' | 'cancelled';

export interface StepState {
  readonly status: 'pending' | 'running' | SettledStatus;
  /** Dependencies that are not satisfied yet. */
  readonly unmet: number;
  /** Where the outputs are in the journal; one key, or several when a sub-plan did the work. */
  readonly outputKeys: readonly string[];
  /** Why it failed, was skipped or was cancelled; null otherwise. */
  readonly reason: string | null;
}

export interface ProgressCounts {
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled: number;
  /** Failed, or skipped behind a failure, and not yet answered by a new plan. */
  readonly unresolved: number;
  /** Failed and not yet answered by a new plan: what `limits.maxFailures` bounds. */
  readonly failedSincePlan: number;
}

/** Everything the charts know about the steps of a run. Every function here costs O(dependents), not O(plan). */
export interface Progress {
  readonly steps: readonly PlannedStep[];
  /** For each step the indexes of the steps that wait for it. */
  readonly dependents: readonly (readonly number[])[];
  readonly states: ChunkedList<StepState>;
  /** Indexes of runnable steps by rank; those before `readyHead` were taken. */
  readonly ready: readonly number[];
  readonly readyHead: number;
  readonly counts: ProgressCounts;
}

export const emptyProgress: Progress = {
  steps: [],
  dependents: [],
  states: [],
  ready: [],
  readyHead: 0,
  counts: {
    pending: 0,
    running: 0,
    completed: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
    unresolved: 0,
    failedSincePlan: 0,
  },
};

/** How a step ended. */
export interface Settlement {
  readonly status: SettledStatus;
  readonly outputKeys: readonly string[];
  readonly reason: string | null;
}

/** A human's skip satisfies the steps behind it; a skip behind a failure does not. */
export const SKIPPED_BY_HUMAN = 'human';
export const SKIPPED_BY_DEPENDENCY = 'dependency';

export const stateOf = (progress: Progress, index: number): StepState | undefined =>
  itemAt(progress.states, index);

/** The runnable step that comes next, or undefined. Steps that settled while they waited are passed over. */
export const nextReady = (progress: Progress): number | undefined => {
  for (let position = progress.readyHead; position < progress.ready.length; position += 1) {
    const index = progress.ready[position];
    if (index !== undefined && stateOf(progress, index)?.status === 'pending') return index;
  }
  return undefined;
};

export const startStep = (progress: Progress, index: number): Progress => {
  const state = stateOf(progress, index);
  if (state?.status !== 'pending') return progress;
  const position = progress.ready.indexOf(index, progress.readyHead);
  return {
    ...progress,
    states: withItem(progress.states, index, { ...state, status: 'running' }),
    readyHead: position < 0 ? progress.readyHead : position + 1,
    counts: {
      ...progress.counts,
      pending: progress.counts.pending - 1,
      running: progress.counts.running + 1,
    },
  };
};

export interface Settled {
  readonly progress: Progress;
  /** Steps that were skipped because this one failed, in order. */
  readonly skipped: readonly number[];
}

/** Settles a step once and hands the consequence to the steps behind it; a settled step never changes again. */
export const settleStep = (
  progress: Progress,
  index: number,
  settlement: Settlement,
  onDependencyFailure: 'skip' | 'run' | 'stop',
): Settled => {
  const settledOnce = recordSettlement(progress, index, settlement);
  if (settledOnce === progress) return { progress, skipped: [] };
  if (isSatisfying(settlement) || onDependencyFailure === 'run') {
    return { progress: releaseDependents(settledOnce, index), skipped: [] };
  }
  return skipDependents(settledOnce, index);
};

/** Whether steps that wait for a step that ended this way may run. */
export const isSatisfying = ({ status, reason }: Pick<StepState, 'status' | 'reason'>): boolean =>
  status === 'completed' || (status === 'skipped' && reason === SKIPPED_BY_HUMAN);

const recordSettlement = (progress: Progress, index: number, settlement: Settlement): Progress => {
  const state = stateOf(progress, index);
  if (state === undefined || (state.status !== 'pending' && state.status !== 'running')) {
    return progress;
  }
  return {
    ...progress,
    states: withItem(progress.states, index, { unmet: state.unmet, ...settlement }),
    counts: settledCounts(progress.counts, state.status, settlement),
  };
};

const settledCounts = (
  counts: ProgressCounts,
  from: 'pending' | 'running',
  { status, reason }: Settlement,
): ProgressCounts => {
  const failed = status === 'failed' ? 1 : 0;
  const unresolved = failed === 1 || reason === SKIPPED_BY_DEPENDENCY ? 1 : 0;
  return {
    ...counts,
    unresolved: counts.unresolved + unresolved,
    failedSincePlan: counts.failedSincePlan + failed,
    [from]: counts[from] - 1,
    [status]: counts[status] + 1,
  };
};

const releaseDependents = (progress: Progress, index: number): Progress => {
  let { states } = progress;
  const released: number[] = [];
  for (const dependent of progress.dependents[index] ?? []) {
    const state = itemAt(states, dependent);
    if (state?.status !== 'pending') continue;
    const unmet = state.unmet - 1;
    states = withItem(states, dependent, { ...state, unmet });
    if (unmet === 0) released.push(dependent);
  }
  if (states === progress.states) return progress;
  return withReady({ ...progress, states }, released);
};

const skipDependents = (progress: Progress, index: number): Settled => {
  const skipped: number[] = [];
  const queue = [...(progress.dependents[index] ?? [])];
  let next = progress;
  // The queue grows while it is read: what a skipped step leaves behind is skipped too.
  for (const dependent of queue) {
    const after = recordSettlement(next, dependent, {
      status: 'skipped',
      outputKeys: [],
      reason: SKIPPED_BY_DEPENDENCY,
    });
    if (after === next) continue;
    next = after;
    skipped.push(dependent);
    queue.push(...(progress.dependents[dependent] ?? []));
  }
  return { progress: next, skipped };
};

/** Adds runnable steps to the ready list, by rank. The taken part of the list is dropped when it must be copied anyway. */
export const withReady = (progress: Progress, indexes: readonly number[]): Progress => {
  if (indexes.length === 0) return progress;
  const rankOf = (index: number): number => progress.steps[index]?.rank ?? index;
  const added = [...indexes].sort((left, right) => rankOf(left) - rankOf(right));
  const waiting = progress.ready.slice(progress.readyHead);
  const lastWaiting = waiting.at(-1);
  const firstAdded = added[0];
  const isAppend =
    lastWaiting === undefined ||
    firstAdded === undefined ||
    rankOf(lastWaiting) <= rankOf(firstAdded);
  const ready = isAppend
    ? [...waiting, ...added]
    : [...waiting, ...added].sort((left, right) => rankOf(left) - rankOf(right));
  return { ...progress, ready, readyHead: 0 };
};
