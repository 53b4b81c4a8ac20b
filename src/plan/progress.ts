import type { Progress, StepState, ProgressCounts, Settlement } from '../model/progress.js';
import { itemAt, withItem } from './chunked-list.js';

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

/** A skip by a person satisfies dependent steps; a skip behind a failure does not. */
export const SKIPPED_BY_HUMAN = 'human';
export const SKIPPED_BY_DEPENDENCY = 'dependency';
/**
 * The reason of a running step that was cancelled for a plan that replaces everything, and of the skipped steps behind
 * it.
 */
export const GIVEN_UP = 'given-up';

/** The reason of a step that a person skipped, with the person's comment, if any. */
export const humanSkip = (said = ''): string =>
  said === '' ? SKIPPED_BY_HUMAN : `${SKIPPED_BY_HUMAN}: ${said}`;

const isHumanSkip = (reason: string | null): boolean =>
  reason === SKIPPED_BY_HUMAN || reason?.startsWith(`${SKIPPED_BY_HUMAN}: `) === true;

export const stateOf = (progress: Progress, index: number): StepState | undefined =>
  itemAt(progress.states, index);

/** The next runnable step, or undefined. Steps that settled while they waited are passed over. */
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
  const { unmet, outputKeys, reason } = state;
  const running = { status: 'running', unmet, outputKeys, reason } as const;
  return changedProgress(progress, {
    states: withItem(progress.states, index, running),
    readyHead: position < 0 ? progress.readyHead : position + 1,
    counts: movedCounts(progress.counts, 'pending', 'running'),
  });
};

/*
 * Spelled out instead of spread: these copies are made for every step of every run, and a spread copy of a copy takes
 * V8 ten times as long (docs/decisions/0005).
 */

const changedProgress = (progress: Progress, change: Partial<Progress>): Progress => ({
  steps: change.steps ?? progress.steps,
  dependents: change.dependents ?? progress.dependents,
  states: change.states ?? progress.states,
  ready: change.ready ?? progress.ready,
  readyHead: change.readyHead ?? progress.readyHead,
  counts: change.counts ?? progress.counts,
});

const movedCounts = (
  counts: ProgressCounts,
  from: StepState['status'],
  to: StepState['status'],
  failed = 0,
  unresolved = 0,
): ProgressCounts => {
  const moved = {
    pending: counts.pending,
    running: counts.running,
    completed: counts.completed,
    failed: counts.failed,
    skipped: counts.skipped,
    cancelled: counts.cancelled,
    unresolved: counts.unresolved + unresolved,
    failedSincePlan: counts.failedSincePlan + failed,
  };
  moved[from] -= 1;
  moved[to] += 1;
  return moved;
};

export interface Settled {
  readonly progress: Progress;
  /** Steps that were skipped because this one failed or was given up, in order. */
  readonly skipped: readonly number[];
}

/** Settles a step once and updates the steps that depend on it; a settled step never changes again. */
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
  const isGivenUp = settlement.reason === GIVEN_UP;
  return skipDependents(settledOnce, index, isGivenUp ? GIVEN_UP : SKIPPED_BY_DEPENDENCY);
};

/** Whether steps that depend on a step with this ending may run. */
export const isSatisfying = ({ status, reason }: Pick<StepState, 'status' | 'reason'>): boolean =>
  status === 'completed' || (status === 'skipped' && isHumanSkip(reason));

const recordSettlement = (progress: Progress, index: number, settlement: Settlement): Progress => {
  const state = stateOf(progress, index);
  if (state === undefined || (state.status !== 'pending' && state.status !== 'running')) {
    return progress;
  }
  const { status, outputKeys, reason } = settlement;
  return changedProgress(progress, {
    states: withItem(progress.states, index, { status, unmet: state.unmet, outputKeys, reason }),
    counts: settledCounts(progress.counts, state.status, settlement),
  });
};

const settledCounts = (
  counts: ProgressCounts,
  from: 'pending' | 'running',
  { status, reason }: Settlement,
): ProgressCounts => {
  const failed = status === 'failed' ? 1 : 0;
  const unresolved = failed === 1 || reason === SKIPPED_BY_DEPENDENCY ? 1 : 0;
  return movedCounts(counts, from, status, failed, unresolved);
};

const releaseDependents = (progress: Progress, index: number): Progress => {
  let { states } = progress;
  const released: number[] = [];
  for (const dependent of progress.dependents[index] ?? []) {
    const state = itemAt(states, dependent);
    if (state?.status !== 'pending') continue;
    const unmet = state.unmet - 1;
    const { status, outputKeys, reason } = state;
    states = withItem(states, dependent, { status, unmet, outputKeys, reason });
    if (unmet === 0) released.push(dependent);
  }
  if (states === progress.states) return progress;
  return withReady(changedProgress(progress, { states }), released);
};

const skipDependents = (progress: Progress, index: number, reason: string): Settled => {
  const skipped: number[] = [];
  const queue = [...(progress.dependents[index] ?? [])];
  let next = progress;
  // The queue grows while it is read: steps behind a skipped step are skipped too.
  for (const dependent of queue) {
    const after = recordSettlement(next, dependent, {
      status: 'skipped',
      outputKeys: [],
      reason,
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
  const added =
    indexes.length === 1
      ? indexes
      : [...indexes].sort((left, right) => rankOf(left) - rankOf(right));
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
  return changedProgress(progress, { ready, readyHead: 0 });
};
