import { JournalCorruptError, PlanwrightError } from '../errors.js';
import type { RunHeader, StoredRun, StoredState } from '../model/run-store.js';
import type { JournalEntry } from './entry.js';
import type { JournalFormat } from './format/journal-format.js';
import { PlainFormat } from './format/plain-format.js';
import { JOURNAL_FORMAT } from './sealed-header.js';

/** A journal as it was written, and what it takes to write on. */
export interface ReadJournal {
  readonly entries: readonly JournalEntry[];
  readonly format: JournalFormat;
  /** A state that was kept, and the number of entries it stands for; undefined when there is none that is whole. */
  readonly state: ReadState | undefined;
  /** What is wrong with the state that is stored. Its entries say all that it said, so nothing is lost but time. */
  readonly stateError: PlanwrightError | undefined;
}

interface ReadState {
  readonly sequence: number;
  readonly saved: unknown;
}

/** How the journal under a header is read and written. Throws JournalCorruptError for a format that this version cannot read. */
export const formatOf = (header: RunHeader): JournalFormat => {
  const format: unknown = header.format;
  if (format === JOURNAL_FORMAT) return new PlainFormat(header);
  if (typeof format === 'number' && format > JOURNAL_FORMAT) {
    const message = `The journal has format ${format}, and this version knows none after ${JOURNAL_FORMAT}: update planwright`;
    throw new JournalCorruptError('newer', message);
  }
  throw new JournalCorruptError('foreign', 'This is not the journal of a run');
};

/**
 * Reads what a store has of a run. A journal that is newer, of another program, or not as it was written is refused with
 * JournalCorruptError; nothing is changed by reading.
 */
export const readJournal = (stored: StoredRun, runId?: string): ReadJournal => {
  try {
    return read(stored, runId ?? stored.header.runId);
  } catch (cause) {
    if (PlanwrightError.isInstance(cause)) throw cause;
    // Something is missing, or is not what it was: whatever has become of it, it is no journal any more.
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

/** The state that stands for so many entries; undefined when the one that is stored stands for more or fewer. */
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
    const message = 'The stored state is not as it was written';
    return { state: undefined, stateError: new JournalCorruptError('torn', message, { cause }) };
  }
};
