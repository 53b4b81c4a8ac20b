import { InboxFullError, RunConflictError, RunNotFoundError } from '../../../errors.js';
import type { PostedCommand, StoredCommand } from '../../../model/run-store.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { lookupId } from '../../stored-id.js';
import { parseStored } from '../stored-json.js';
import { jsonOf } from './append.js';
import type { SqlRow, Tables } from './database.js';
import { SERVER_NOW } from './server-time.js';

/** Tells about the run and the command; no row when there is no such run. */
const postSql = (schema: string): string => `WITH run AS MATERIALIZED (
    SELECT id, ended, owner, waiting FROM ${schema}.runs WHERE run_id = $1 FOR UPDATE
  ), known AS MATERIALIZED (
    SELECT commands.id, commands.answer FROM ${schema}.commands JOIN run ON commands.run = run.id
    WHERE commands.command_id = $2
  ), added AS (
    INSERT INTO ${schema}.commands (run, command_id, posted_at, body)
    SELECT id, $2, ${SERVER_NOW}, $3 FROM run WHERE NOT ended AND waiting < $4
    ON CONFLICT DO NOTHING RETURNING run
  ), counted AS (
    UPDATE ${schema}.runs SET waiting = runs.waiting + 1 FROM added WHERE runs.id = added.run
  )
  SELECT run.ended, known.answer, known.id IS NOT NULL OR added.run IS NOT NULL AS is_kept,
    EXISTS (
      SELECT 1 FROM ${schema}.owners WHERE owners.owner = run.owner AND lease_ends_at > ${SERVER_NOW}
    ) AS is_owned,
    CASE WHEN added.run IS NOT NULL THEN pg_notify($5, $1) END
  FROM run LEFT JOIN known ON true LEFT JOIN added ON true`;

export async function post(
  { ask, schema, channel }: Tables,
  runId: string,
  { id, command }: StoredCommand,
): Promise<PostedCommand> {
  const postOnce = async (): Promise<SqlRow> => {
    const body = jsonOf(command);
    const [row] = await ask(postSql(schema), lookupId(runId), id, body, INBOX_LIMIT, channel);
    if (row === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
    return row;
  };
  let row = await postOnce();
  // A statement does not see a command that was posted while it waited for the run. The next one does.
  if (row['is_kept'] !== true) row = await postOnce();
  if (row['is_kept'] !== true) {
    throw row['ended'] === true
      ? new RunConflictError(`Run '${runId}' has ended`)
      : new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
  }
  const isOwned = row['is_owned'] === true;
  if (row['answer'] === null) return { isOwned };
  return { isOwned, answer: parseStored(row['answer'], `The answer to command '${id}'`) };
}

export async function readInbox(
  { ask, schema }: Tables,
  runId: string,
): Promise<readonly StoredCommand[]> {
  const sql = `SELECT commands.command_id, commands.posted_at, commands.body FROM ${schema}.commands
    JOIN ${schema}.runs ON runs.id = commands.run
    WHERE runs.run_id = $1 AND commands.body IS NOT NULL ORDER BY commands.id`;
  const rows = await ask(sql, lookupId(runId));
  return rows.map((row) => {
    const id = String(row['command_id']);
    const command = parseStored(row['body'], `Command '${id}' of run '${runId}'`);
    return { id, at: Number(row['posted_at']), command };
  });
}
