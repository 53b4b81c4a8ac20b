import type { PlanwrightError } from '../../../errors.js';
import { JournalCorruptError, StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';

/** Damaged pages and indexes, and tables that somebody has taken away or changed. */
const CORRUPT = /^(?:XX00[12]|42P01|42703|3F000)$/;

/** Whatever the driver threw, as one of our errors: damage, or a server that cannot be used just now. */
export function storeError(thrown: unknown): PlanwrightError {
  const { code = '', message } = toFailure(thrown);
  if (CORRUPT.test(code)) {
    const text = `The tables in PostgreSQL are damaged: ${message} (${code})`;
    return new JournalCorruptError('torn', text, { cause: thrown });
  }
  const text = `PostgreSQL cannot be used: ${message}${code === '' ? '' : ` (${code})`}`;
  return new StoreUnavailableError(text, { cause: thrown });
}

/** The connection is gone: what was under way may or may not have happened. */
export const isConnectionLost = (thrown: unknown): boolean => {
  const { code = '' } = toFailure(thrown);
  return !/^[0-9A-Z]{5}$/.test(code) || /^(?:08|57P0)/.test(code);
};
