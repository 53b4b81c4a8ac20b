import { JournalCorruptError } from '../../../errors.js';
import type {
  StoredCommand,
  StoredEntry,
  StoredState,
  TakenCommand,
} from '../../../model/run-store.js';
import { bodyOf, jsonOf, parseStored, tornError } from '../stored-json.js';
import { checksumOf } from './checksum.js';
import type { Connection, Statement } from './connection.js';
import { textColumn, textOf } from './connection.js';
import type { RunRow } from './run-row.js';

const BODY = textColumn('body');

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
      `SELECT sequence, at, ${textColumn('kind')}, ${BODY}, checksum FROM entries WHERE run_id = ? AND sequence >= ? ORDER BY sequence`,
    );
    this.#insertEntry = prepare(
      'INSERT INTO entries (run_id, sequence, at, kind, body, checksum) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#state = prepare(`SELECT sequence, checksum, ${BODY} FROM states WHERE run_id = ?`);
    this.#replaceState = prepare(
      'INSERT OR REPLACE INTO states (run_id, sequence, body, checksum) VALUES (?, ?, ?, ?)',
    );
    this.#waiting = prepare(
      `SELECT ${textColumn('command_id')}, posted_at, ${BODY}, checksum FROM commands WHERE run_id = ? AND commands.body IS NOT NULL ORDER BY number`,
    );
    this.#command = prepare(
      `SELECT ${textColumn('answer')}, checksum FROM commands WHERE run_id = ? AND command_id = ?`,
    );
    this.#insertCommand = prepare(
      'INSERT INTO commands (run_id, command_id, posted_at, body, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#takeCommand = prepare(
      'UPDATE commands SET body = NULL, answer = ?, checksum = ? WHERE run_id = ? AND command_id = ? AND body IS NOT NULL',
    );
    this.#deletions = ['entries', 'states', 'commands'].map((table) =>
      prepare(`DELETE FROM ${table} WHERE run_id = ?`),
    );
  }

  /** The entries from a sequence on; throws when one is missing. */
  entries(run: RunRow, from: number): StoredEntry[] {
    const first = Math.min(from, run.entryCount);
    const rows = this.#entries.all(run.runId, first);
    const isWhole = rows.every(({ sequence }, index) => sequence === first + index);
    if (!isWhole || first + rows.length !== run.entryCount)
      throw tornError(`The journal of run '${run.runId}'`);
    return rows.map((row) => {
      const sequence = Number(row['sequence']);
      const what = `Entry ${sequence} of run '${run.runId}'`;
      const at = Number(row['at']);
      const kind = textOf(row['kind'], what);
      const body = textOf(row['body'], what);
      if (row['checksum'] !== checksumOf(run.runId, sequence, at, kind, body))
        throw tornError(what);
      return { sequence, at, kind, ...(parseStored(body, what) as object) };
    });
  }

  append(run: RunRow, from: number, entries: readonly StoredEntry[]): void {
    for (const [index, entry] of entries.entries()) {
      const { at, kind } = entry;
      const row = [run.runId, from + index, at, kind, JSON.stringify(bodyOf(entry))] as const;
      this.#insertEntry.run(...row, checksumOf(...row));
    }
  }

  /**
   * The entries contain the same information as the state: a damaged state is returned as invalid, and its reader
   * reports it.
   */
  state(run: RunRow): StoredState | undefined {
    const row = this.#state.get(run.runId);
    if (row === undefined) return undefined;
    const what = `The state of run '${run.runId}'`;
    const sequence = Number(row['sequence']);
    try {
      const body = textOf(row['body'], what);
      if (row['checksum'] !== checksumOf(run.runId, sequence, body)) throw tornError(what);
      return { sequence, body: parseStored(body, what) };
    } catch (error) {
      if (!JournalCorruptError.isInstance(error)) throw error;
      return DAMAGED_STATE;
    }
  }

  keepState(run: RunRow, sequence: number, state: unknown): void {
    const body = JSON.stringify(state);
    this.#replaceState.run(run.runId, sequence, body, checksumOf(run.runId, sequence, body));
  }

  waiting(run: RunRow): StoredCommand[] {
    return this.#waiting.all(run.runId).map((row) => {
      const id = textOf(row['command_id'], `A command of run '${run.runId}'`);
      const what = `Command '${id}' of run '${run.runId}'`;
      const body = textOf(row['body'], what);
      const at = Number(row['posted_at']);
      if (row['checksum'] !== checksumOf(run.runId, id, at, body)) throw tornError(what);
      return { id, at, command: parseStored(body, what) };
    });
  }

  /** A command that was posted before, with its answer once it has one. */
  posted(run: RunRow, commandId: string): { readonly answer?: unknown } | undefined {
    const row = this.#command.get(run.runId, commandId);
    if (row === undefined) return undefined;
    const what = `The answer to command '${commandId}' of run '${run.runId}'`;
    if (row['answer'] === null) return {};
    const answer = textOf(row['answer'], what);
    if (row['checksum'] !== checksumOf(run.runId, commandId, answer)) throw tornError(what);
    return { answer: parseStored(answer, what) };
  }

  post(run: RunRow, { id, at, command }: StoredCommand): void {
    const posted = [run.runId, id, Math.floor(at), jsonOf(command)] as const;
    this.#insertCommand.run(...posted, checksumOf(...posted));
  }

  /**
   * Replaces commands by their answers and returns their number; the ids stay, so that a repeated post is recognised.
   */
  take(run: RunRow, taken: readonly TakenCommand[]): number {
    return taken.reduce((count, { id, answer }) => {
      const body = jsonOf(answer);
      const checksum = checksumOf(run.runId, id, body);
      return count + this.#takeCommand.run(body, checksum, run.runId, id);
    }, 0);
  }

  delete(run: RunRow): void {
    for (const deletion of this.#deletions) deletion.run(run.runId);
  }
}
