import { stableStringify } from '../../../canonical-json.js';
import { RunNotFoundError } from '../../../errors.js';
import type { AppendOptions, RunStanding, StoredEntry } from '../../../model/run-store.js';
import { refuseConflict } from '../../store-refusals.js';
import { lookupId } from '../../stored-id.js';
import { checksumOf } from '../sqlite/checksum.js';
import { bodyOf } from '../stored-json.js';
import type { Tables } from './database.js';
import { numberOf } from './database.js';
import { columnOf } from './json-column.js';
import { timeOf } from './server-time.js';

/**
 * One statement, so one round trip. It locks the row of the run first, so that it sees everything that earlier writers
 * have committed. It returns the state it found, so that a refusal can give the reason.
 *
 * $1 run id, $2 expected sequence, $3 token, $4 times of the entries, $5 their kinds, $6 their bodies, $7 their
 * checksum, $8 ids of taken commands, $9 their answers, $10 state, $11 ended, $12 has progressed, $13 status, $14
 * phase, $15 reason, $16 open approvals, $17 channel
 */
const appendSql = (schema: string): string => `WITH run AS MATERIALIZED (
    SELECT run_id, ended_at, owner, token, entry_count FROM ${schema}.runs WHERE run_id = $1 FOR UPDATE
  ), target AS MATERIALIZED (
    SELECT run_id FROM run WHERE ended_at IS NULL AND entry_count = $2::bigint
      AND CASE WHEN owner IS NULL THEN $3::bigint IS NULL ELSE token = $3::bigint END
  ), added AS (
    INSERT INTO ${schema}.entries (run_id, sequence, at, kind, body)
    SELECT target.run_id, $2::bigint + given.number - 1, ${timeOf('given.at')}, given.kind, given.body::jsonb
    FROM target, unnest($4::double precision[], $5::text[], $6::text[])
      WITH ORDINALITY AS given (at, kind, body, number)
  ), taken AS (
    UPDATE ${schema}.commands SET body = NULL, answer = given.answer::jsonb
    FROM target, unnest($8::text[], $9::text[]) AS given (command_id, answer)
    WHERE commands.run_id = target.run_id AND commands.command_id = given.command_id
      AND commands.body IS NOT NULL
    RETURNING commands.number
  ), kept AS (
    INSERT INTO ${schema}.states (run_id, sequence, body)
    SELECT run_id, $2::bigint + cardinality($6::text[]), $10::json FROM target WHERE $10::text IS NOT NULL
    ON CONFLICT (run_id) DO UPDATE SET sequence = excluded.sequence, body = excluded.body
  ), written AS (
    UPDATE ${schema}.runs SET
      status = coalesce($13::text, runs.status),
      phase = coalesce($14::text, runs.phase),
      reason = coalesce($15::text, runs.reason),
      open_approvals = coalesce($16::integer, runs.open_approvals),
      updated_at = coalesce(latest.at, runs.updated_at),
      ended_at = CASE WHEN $11::boolean THEN coalesce(latest.at, runs.updated_at) END,
      entry_count = runs.entry_count + cardinality($6::text[]),
      checksum = runs.checksum + $7::bigint,
      waiting_commands = runs.waiting_commands - counted.taken,
      takeovers = CASE WHEN $12::boolean THEN 0 ELSE runs.takeovers END
    FROM target, (SELECT count(*) AS taken FROM taken) AS counted,
      (SELECT ${timeOf('($4::double precision[])[cardinality($6::text[])]')} AS at) AS latest
    WHERE runs.run_id = target.run_id
    RETURNING runs.run_id
  )
  SELECT run.ended_at IS NOT NULL AS ended, run.owner, run.token, run.entry_count,
    written.run_id IS NOT NULL AS is_written,
    CASE WHEN written.run_id IS NOT NULL THEN pg_notify($17, $1) END
  FROM run LEFT JOIN written ON true`;

/** The sum of the checksums of all entries: the next append adds to it without reading the earlier ones. */
export const checksumOfEntries = (entries: readonly StoredEntry[]): number =>
  entries.reduce((sum, entry) => sum + checksumOf(stableStringify(entry as never)), 0);

export async function append(
  { ask, schema, channel }: Tables,
  runId: string,
  expectedSequence: number,
  entries: readonly StoredEntry[],
  { token, taken = [], standing = {}, state, ...options }: AppendOptions,
): Promise<void> {
  const [row] = await ask(
    appendSql(schema),
    lookupId(runId),
    integerOf(expectedSequence),
    token === undefined ? null : integerOf(token),
    entries.map(({ at }) => String(at)),
    entries.map(({ kind }) => kind),
    entries.map((entry) => columnOf(bodyOf(entry))),
    checksumOfEntries(entries),
    taken.map(({ id }) => lookupId(id)),
    taken.map(({ answer }) => columnOf(answer)),
    state === undefined ? null : JSON.stringify(state),
    options.ended === true,
    options.hasProgressed === true,
    ...standingValues(standing),
    channel,
  );
  if (row === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
  if (row['is_written'] === true) return;
  const found = {
    runId,
    ended: row['ended'] === true,
    owner: row['owner'] as string | null,
    token: numberOf(row, 'token'),
    entryCount: numberOf(row, 'entry_count'),
  };
  refuseConflict(found, expectedSequence, token);
}

/** Null where a column stays unchanged. */
const standingValues = ({
  status,
  phase,
  reason,
  openApprovals,
}: Partial<RunStanding>): (string | number | null)[] => [
  status ?? null,
  phase ?? null,
  reason ?? null,
  openApprovals ?? null,
];

/** A number that is not an integer equals no stored one. */
const integerOf = (number: number): number => (Number.isSafeInteger(number) ? number : -1);
