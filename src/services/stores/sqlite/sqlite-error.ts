import type { PlanwrightError } from '../../../errors.js';
import { JournalCorruptError, StoreUnavailableError, toFailure } from '../../../errors.js';

/** Codes that say what is in the file cannot be what we wrote. */
const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB|CONSTRAINT|MISMATCH|FORMAT|ERROR)/;

/** Whatever the driver threw, as one of our errors: damage, or a store that cannot be used just now. */
export function storeError(thrown: unknown, path: string): PlanwrightError {
  const { code = '', message } = toFailure(thrown);
  if (code === 'SQLITE_NOTADB') {
    return new JournalCorruptError('foreign', `'${path}' is not an SQLite file`, { cause: thrown });
  }
  if (CORRUPT.test(code)) {
    return new JournalCorruptError('torn', `'${path}' is damaged: ${message}`, { cause: thrown });
  }
  const text = `'${path}' cannot be used: ${message}${code === '' ? '' : ` (${code})`}`;
  return new StoreUnavailableError(text, { cause: thrown });
}
