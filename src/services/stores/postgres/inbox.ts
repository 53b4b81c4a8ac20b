import { InboxFullError, RunConflictError, RunNotFoundError } from '../../../errors.js';
import type { PostedCommand, StoredCommand } from '../../../model/run-store.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { lookupId } from '../../stored-id.js';
import { parseStored } from '../stored-json.js';
import { columnOf, textIn } from './json-column.js';
import type { SqlRow, Tables } from './database.js';
import { millisecondsOf, SERVER_NOW } from './server-time.js';

/** Returns the run and the command; no row when there is no such run. */
const postSql = (schema: string): string => `WITH run AS MATERIALIZED (
    SELECT run_id, ended_at, owner, waiting_commands FROM ${schema}.runs WHERE run_id = $1 FOR UPDATE
  ), known AS MATERIALIZED (
    SELECT commands.number, commands.answer::text AS answer FROM ${schema}.commands JOIN run ON commands.run_id = run.run_id
    WHERE commands.command_id = $2
  ), added AS (
    INSERT INTO ${schema}.commands (run_id, command_id, posted_at, body)
    SELECT run_id, $2, ${SERVER_NOW}, $3::jsonb FROM run WHERE ended_at IS NULL AND waiting_commands < $4
    ON CONFLICT DO NOTHING RETURNING run_id
  ), counted AS (
    UPDATE ${schema}.runs SET waiting_commands = runs.waiting_commands + 1
    FROM added WHERE runs.run_id = added.run_id
  )
  SELECT run.ended_at IS NOT NULL AS ended, known.answer,
    known.number IS NOT NULL OR added.run_id IS NOT NULL AS is_kept,
    EXISTS (
      SELECT 1 FROM ${schema}.owners WHERE owners.owner = run.owner AND lease_ends_at > ${SERVER_NOW}
    ) AS is_owned,
    CASE WHEN added.run_id IS NOT NULL THEN pg_notify($5, $1) END
  FROM run LEFT JOIN known ON true LEFT JOIN added ON true`;

export async function post(
  { ask, schema, channel }: Tables,
  runId: string,
  { id, command }: StoredCommand,
): Promise<PostedCommand> {
  const postOnce = async (): Promise<SqlRow> => {
    const body = columnOf(command);
    const [row] = await ask(postSql(schema), lookupId(runId), id, body, INBOX_LIMIT, channel);
    if (row === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
    return row;
  };
  let row = await postOnce();
  // A statement does not see a command that was posted while it waited for the lock. The next one does.
  if (row['is_kept'] !== true) row = await postOnce();
  if (row['is_kept'] !== true) {
    throw row['ended'] === true
      ? new RunConflictError(`Run '${runId}' has ended`)
      : new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
  }
  const isOwned = row['is_owned'] === true;
  if (row['answer'] === null) return { isOwned };
  return { isOwned, answer: parseStored(textIn(row['answer']), `The answer to command '${id}'`) };
}

export async function readInbox(
  { ask, schema }: Tables,
  runId: string,
): Promise<readonly StoredCommand[]> {
  const sql = `SELECT command_id, ${millisecondsOf('posted_at')} AS posted_at, body::text AS body
    FROM ${schema}.commands WHERE run_id = $1 AND body IS NOT NULL ORDER BY number`;
  const rows = await ask(sql, lookupId(runId));
  return rows.map((row) => {
    const id = String(row['command_id']);
    const command = parseStored(textIn(row['body']), `Command '${id}' of run '${runId}'`);
    return { id, at: Number(row['posted_at']), command };
  });
}
