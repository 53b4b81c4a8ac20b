import type { CallFailure } from '../model/calls.js';
import { failed } from './outcome.js';
import type { CallSurroundings } from './team.types.js';

/**
 * The failure of a call whose run another process has taken over; undefined when this process owns the run. Asked right
 * before the user's code. Without a promise when the lease is valid: most calls need no answer of the store.
 */
export const lostRun = (
  surroundings: CallSurroundings,
): Promise<CallFailure | undefined> | undefined =>
  surroundings
    .confirm?.()
    ?.then(() =>
      surroundings.signal.aborted
        ? failed('interrupted', 'Another process owns the run')
        : undefined,
    );
