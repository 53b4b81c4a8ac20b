import type { StoreUnavailableError } from '../../../errors.js';
import type { Clock } from '../../clock.js';
import type { MaybePromise } from '../../../model/run-store.js';
import { isBusyError } from './sqlite-error.js';

/** How long another process may hold the file before a call gives up. Its transactions take milliseconds. */
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Does the work at once. While another process holds the file, tries again later: waiting inside SQLite would block
 * the event loop, and with it every run of this process.
 */
export function unlessBusy<Result>(work: () => Result, clock: Clock): MaybePromise<Result> {
  try {
    return work();
  } catch (error) {
    if (!isBusyError(error)) throw error;
    return tryAgain(work, clock, error);
  }
}

async function tryAgain<Result>(
  work: () => Result,
  clock: Clock,
  first: StoreUnavailableError,
): Promise<Result> {
  const untilMs = clock.now() + PATIENCE_MS;
  let last = first;
  for (let pauseMs = FIRST_PAUSE_MS; clock.now() < untilMs; pauseMs *= 2) {
    await new Promise<void>((resolve) => {
      clock.setTimeout(resolve, Math.min(pauseMs, LONGEST_PAUSE_MS));
    });
    try {
      return work();
    } catch (error) {
      if (!isBusyError(error)) throw error;
      last = error;
    }
  }
  throw last;
}
