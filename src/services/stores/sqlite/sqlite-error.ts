import type { PlanwrightError } from '../../../errors.js';
import { JournalCorruptError, StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';

const BUSY = 5;
const NOT_A_DATABASE = 26;

/** What is in the file cannot be what we wrote: ERROR, CORRUPT, CONSTRAINT, MISMATCH, FORMAT. */
const DAMAGES: readonly number[] = [1, 11, 19, 20, 24];

/** Whatever the driver threw, as one of our errors: damage, or a store that cannot be used just now. */
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

/** Another process holds the file at this moment. */
export const isBusyError = (error: unknown): error is StoreUnavailableError =>
  StoreUnavailableError.isInstance(error) && primaryCode(error.cause) === BUSY;

/** SQLite's own number, of which the driver knows not every variant by name; the lowest byte is the kind. */
const primaryCode = (thrown: unknown): number => {
  const { rawCode } = (thrown ?? {}) as { readonly rawCode?: unknown };
  return typeof rawCode === 'number' ? rawCode & 0xff : 0;
};
