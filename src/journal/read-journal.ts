import { JournalCorruptError, PlanwrightError } from '../errors.js';
import type { RunHeader, StoredRun, StoredState } from '../model/run-store.js';
import type { JournalEntry } from './entry.js';
import type { JournalFormat } from './format/journal-format.js';
import { PlainFormat } from './format/plain-format.js';
import { JOURNAL_FORMAT } from './sealed-header.js';

/** A journal with everything needed to append to it. */
export interface ReadJournal {
  readonly entries: readonly JournalEntry[];
  readonly format: JournalFormat;
  /** A stored state and the number of entries it covers; undefined when there is no intact one. */
  readonly state: ReadState | undefined;
  /** The error of the stored state. Its entries contain the same information, so only time is lost. */
  readonly stateError: PlanwrightError | undefined;
}

interface ReadState {
  readonly sequence: number;
  readonly saved: unknown;
}

/** The format of the journal under a header. Throws JournalCorruptError for a format that this version cannot read. */
export const formatOf = (header: RunHeader): JournalFormat => {
  const format: unknown = header.format;
  if (format === JOURNAL_FORMAT) return new PlainFormat(header);
  if (typeof format === 'number' && format > JOURNAL_FORMAT) {
    const message = `The journal has format ${format}; this version reads formats up to ${JOURNAL_FORMAT}: update planwright`;
    throw new JournalCorruptError('newer', message);
  }
  throw new JournalCorruptError('foreign', 'This is not a planwright journal');
};

/**
 * Reads a stored run. Refuses a journal that is newer, foreign or damaged with JournalCorruptError. Reading changes
 * nothing.
 */
export const readJournal = (stored: StoredRun, runId?: string): ReadJournal => {
  try {
    return read(stored, runId ?? stored.header.runId);
  } catch (cause) {
    if (PlanwrightError.isInstance(cause)) throw cause;
    // Something is missing or changed, so this is not a readable journal.
    throw new JournalCorruptError('torn', 'The journal cannot be read', { cause });
  }
};

const read = (stored: StoredRun, runId: string): ReadJournal => {
  const { header, entries } = stored;
  if (header.runId !== runId) {
    throw new JournalCorruptError('foreign', `Run '${runId}' has the journal of another run`);
  }
  const format = formatOf(header);
  let found = stateAt(0, stored.state, format);
  const decodedEntries = entries.map((entry, position) => {
    if (entry.sequence !== position) {
      const message = `Entry ${position} of run '${runId}' is missing`;
      throw new JournalCorruptError('torn', message);
    }
    const decoded = format.decode(entry);
    found ??= stateAt(position + 1, stored.state, format);
    return decoded;
  });
  if (stored.state !== undefined && stored.state.sequence > entries.length) {
    throw new JournalCorruptError('torn', `Run '${runId}' has lost the end of its journal`);
  }
  return { entries: decodedEntries, format, state: found?.state, stateError: found?.stateError };
};

/** The state that covers so many entries; undefined when the stored one covers more or fewer. */
const stateAt = (
  position: number,
  stored: StoredState | undefined,
  format: JournalFormat,
): Pick<ReadJournal, 'state' | 'stateError'> | undefined => {
  if (stored?.sequence !== position) return undefined;
  try {
    const saved = format.decodeState(stored);
    const state = saved === undefined ? undefined : { sequence: position, saved };
    return { state, stateError: undefined };
  } catch (cause) {
    const message = 'The stored state was changed after it was written';
    return { state: undefined, stateError: new JournalCorruptError('torn', message, { cause }) };
  }
};
