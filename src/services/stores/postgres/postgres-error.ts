import type { PlanwrightError } from '../../../errors.js';
import { JournalCorruptError, StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';

/** Damaged pages and indexes, and tables or columns that were removed. */
const CORRUPT = /^(?:XX00[12]|42P01|42703|3F000)$/;

/** Converts a driver error into one of our errors: damage, or a server that cannot be used at the moment. */
export function storeError(thrown: unknown): PlanwrightError {
  const { code = '', message } = toFailure(thrown);
  if (CORRUPT.test(code)) {
    const text = `The tables in PostgreSQL are damaged: ${message} (${code})`;
    return new JournalCorruptError('torn', text, { cause: thrown });
  }
  const text = `PostgreSQL cannot be used: ${message}${code === '' ? '' : ` (${code})`}`;
  return new StoreUnavailableError(text, { cause: thrown });
}
