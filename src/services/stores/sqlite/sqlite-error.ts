import type { PlanwrightError } from '../../../errors.js';
import { JournalCorruptError, StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';

const BUSY = 5;
const NOT_A_DATABASE = 26;

/** The content cannot be what we wrote: ERROR, CORRUPT, CONSTRAINT, MISMATCH, FORMAT. */
const DAMAGES: readonly number[] = [1, 11, 19, 20, 24];

/** Converts a driver error into one of our errors: damage, or a store that cannot be used at the moment. */
export function storeError(thrown: unknown, path: string): PlanwrightError {
  const { code = '', message } = toFailure(thrown);
  const primary = primaryCode(thrown);
  if (primary === NOT_A_DATABASE) {
    return new JournalCorruptError('foreign', `'${path}' is not an SQLite file`, { cause: thrown });
  }
  if (DAMAGES.includes(primary)) {
    return new JournalCorruptError('torn', `'${path}' is damaged: ${message}`, { cause: thrown });
  }
  const text = `'${path}' cannot be used: ${message}${code === '' ? '' : ` (${code})`}`;
  return new StoreUnavailableError(text, { cause: thrown });
}

/** Another process has locked the file. */
export const isBusyError = (error: unknown): error is StoreUnavailableError =>
  StoreUnavailableError.isInstance(error) && primaryCode(error.cause) === BUSY;

/** SQLite's own number: the driver does not name every variant. The lowest byte is the kind. */
const primaryCode = (thrown: unknown): number => {
  const { rawCode } = (thrown ?? {}) as { readonly rawCode?: unknown };
  return typeof rawCode === 'number' ? rawCode & 0xff : 0;
};
