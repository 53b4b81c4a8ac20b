import { JournalCorruptError } from '../../../errors.js';
import type {
  StoredCommand,
  StoredEntry,
  StoredState,
  TakenCommand,
} from '../../../model/run-store.js';
import { parseStored, tornError } from '../stored-json.js';
import { checksumOf } from './checksum.js';
import type { Connection, Statement } from './connection.js';
import { textColumn, textOf } from './connection.js';
import type { RunRow } from './run-row.js';
import { SEQUENCE_BITS } from './schema.js';

const PLACES = `place >= (? << ${SEQUENCE_BITS}) + ? AND place < ((? + 1) << ${SEQUENCE_BITS})`;
const BODY = textColumn('body');
const SEQUENCE = `place & ${2 ** SEQUENCE_BITS - 1}`;

const DAMAGED_STATE: StoredState = { sequence: 0, body: null };

/** The entries, the state and the inbox of runs, as rows. */
export class JournalRows {
  readonly #entries: Statement;
  readonly #insertEntry: Statement;
  readonly #state: Statement;
  readonly #replaceState: Statement;
  readonly #waiting: Statement;
  readonly #command: Statement;
  readonly #insertCommand: Statement;
  readonly #takeCommand: Statement;
  readonly #deletions: readonly Statement[];

  constructor({ prepare }: Connection) {
    this.#entries = prepare(
      `SELECT ${SEQUENCE} AS sequence, checksum, ${BODY} FROM entries WHERE ${PLACES} ORDER BY place`,
    );
    this.#insertEntry = prepare(
      `INSERT INTO entries (place, checksum, body) VALUES ((? << ${SEQUENCE_BITS}) + ?, ?, ?)`,
    );
    this.#state = prepare(`SELECT sequence, checksum, ${BODY} FROM states WHERE run = ?`);
    this.#replaceState = prepare(
      'INSERT OR REPLACE INTO states (run, sequence, checksum, body) VALUES (?, ?, ?, ?)',
    );
    this.#waiting = prepare(
      `SELECT ${textColumn('command_id')}, checksum, ${BODY} FROM commands WHERE run = ? AND commands.body IS NOT NULL ORDER BY id`,
    );
    this.#command = prepare(
      `SELECT checksum, ${textColumn('answer')} FROM commands WHERE run = ? AND command_id = ?`,
    );
    this.#insertCommand = prepare(
      'INSERT INTO commands (run, command_id, checksum, body) VALUES (?, ?, ?, ?)',
    );
    this.#takeCommand = prepare(
      'UPDATE commands SET body = NULL, answer = ?, checksum = ? WHERE run = ? AND command_id = ? AND body IS NOT NULL',
    );
    this.#deletions = [
      prepare(`DELETE FROM entries WHERE ${PLACES}`),
      prepare('DELETE FROM states WHERE run = ?'),
      prepare('DELETE FROM commands WHERE run = ?'),
    ];
  }

  /** The entries from a sequence on; all of them must be there. */
  entries(run: RunRow, from: number): StoredEntry[] {
    const first = Math.min(from, run.entryCount);
    const rows = this.#entries.all(run.id, first, run.id);
    const isWhole = rows.every(({ sequence }, index) => sequence === first + index);
    if (!isWhole || first + rows.length !== run.entryCount)
      throw tornError(`The journal of run '${run.runId}'`);
    return rows.map((row) => {
      const { sequence, checksum } = row;
      const what = `Entry ${Number(sequence)} of run '${run.runId}'`;
      const body = textOf(row['body'], what);
      if (checksum !== checksumOf(run.id, Number(sequence), body)) throw tornError(what);
      return parseStored(body, what) as StoredEntry;
    });
  }

  append(run: RunRow, from: number, entries: readonly StoredEntry[]): void {
    for (const [index, entry] of entries.entries()) {
      const body = JSON.stringify(entry);
      this.#insertEntry.run(run.id, from + index, checksumOf(run.id, from + index, body), body);
    }
  }

  /** The entries say all that the state does: one that is damaged is handed out as none, for whoever reads it to tell. */
  state(run: RunRow): StoredState | undefined {
    const row = this.#state.get(run.id);
    if (row === undefined) return undefined;
    const what = `The state of run '${run.runId}'`;
    const sequence = Number(row['sequence']);
    try {
      const body = textOf(row['body'], what);
      if (row['checksum'] !== checksumOf(run.id, sequence, body)) throw tornError(what);
      return { sequence, body: parseStored(body, what) };
    } catch (error) {
      if (!JournalCorruptError.isInstance(error)) throw error;
      return DAMAGED_STATE;
    }
  }

  keepState(run: RunRow, sequence: number, state: unknown): void {
    const body = JSON.stringify(state);
    this.#replaceState.run(run.id, sequence, checksumOf(run.id, sequence, body), body);
  }

  waiting(run: RunRow): StoredCommand[] {
    return this.#waiting.all(run.id).map((row) => {
      const id = textOf(row['command_id'], `A command of run '${run.runId}'`);
      const what = `Command '${id}' of run '${run.runId}'`;
      const body = textOf(row['body'], what);
      if (row['checksum'] !== checksumOf(run.id, id, body)) throw tornError(what);
      const kept = parseStored(body, what) as Pick<StoredCommand, 'at' | 'command'>;
      return { id, at: kept.at, command: kept.command };
    });
  }

  /** A command that was posted before, with its answer once it has one. */
  posted(run: RunRow, commandId: string): { readonly answer?: unknown } | undefined {
    const row = this.#command.get(run.id, commandId);
    if (row === undefined) return undefined;
    const what = `The answer to command '${commandId}' of run '${run.runId}'`;
    if (row['answer'] === null) return {};
    const answer = textOf(row['answer'], what);
    if (row['checksum'] !== checksumOf(run.id, commandId, answer)) throw tornError(what);
    return { answer: parseStored(answer, what) };
  }

  post(run: RunRow, { id, at, command }: StoredCommand): void {
    const body = JSON.stringify({ at, command });
    this.#insertCommand.run(run.id, id, checksumOf(run.id, id, body), body);
  }

  /** Replaces commands by their answers and returns how many; their ids stay, so that they are kept once. */
  take(run: RunRow, taken: readonly TakenCommand[]): number {
    return taken.reduce((count, { id, answer }) => {
      const body = JSON.stringify(answer);
      return count + this.#takeCommand.run(body, checksumOf(run.id, id, body), run.id, id);
    }, 0);
  }

  delete(run: RunRow): void {
    const [entries, ...others] = this.#deletions;
    entries?.run(run.id, 0, run.id);
    for (const deletion of others) deletion.run(run.id);
  }
}
