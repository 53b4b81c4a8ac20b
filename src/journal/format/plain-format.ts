import { JournalCorruptError } from '../../errors.js';
import type { StoredEntry } from '../../model/run-store.js';
import type { JournalEntry } from '../entry.js';
import { factSchema } from '../../model/facts.js';
import type { JournalFormat } from './journal-format.js';

/**
 * Format 1: entries as they are. It has no checksums, so what is read is looked at closely; what is wrong with its events
 * shows when they are replayed.
 */
export const plainFormat: JournalFormat = {
  encode: (entry) => entry,
  decode: (stored) => {
    if (!isEntry(stored)) {
      const message = `Entry ${String(stored.sequence)} is none of this package`;
      throw new JournalCorruptError('torn', message);
    }
    return stored;
  },
  encodeState: () => undefined,
  decodeState: () => undefined,
};

const isEntry = (stored: StoredEntry): stored is JournalEntry => {
  const { at, event, facts, intents } = stored as Partial<Record<keyof JournalEntry, unknown>>;
  return (
    typeof at === 'number' &&
    typeof event === 'object' &&
    event !== null &&
    'kind' in event &&
    typeof event.kind === 'string' &&
    Array.isArray(facts) &&
    facts.every((fact) => factSchema.safeParse(fact).success) &&
    Array.isArray(intents) &&
    intents.every((intent) => typeof intent === 'string')
  );
};
