import type { StoredEntry, StoredState } from '../../model/run-store.js';
import type { JournalEntry } from '../entry.js';

/** Converts the entries of one journal to and from their stored form. One object per journal, used in order. */
export interface JournalFormat {
  /** The next entry as it is stored. */
  encode(entry: JournalEntry): StoredEntry;
  /** The next entry from its stored form. Throws JournalCorruptError. */
  decode(stored: StoredEntry): JournalEntry;
  /** The state after the last entry as it is stored; undefined when none is to be stored now. */
  encodeState(save: () => unknown): unknown;
  /** The state after the last entry that was decoded; undefined where states are not kept. Throws when it is damaged. */
  decodeState(stored: StoredState): unknown;
}
