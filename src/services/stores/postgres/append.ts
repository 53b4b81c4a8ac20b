import { RunNotFoundError } from '../../../errors.js';
import type { AppendOptions, StoredEntry } from '../../../model/run-store.js';
import { refuseConflict } from '../../store-refusals.js';
import { lookupId } from '../../stored-id.js';
import { checksumOf } from '../sqlite/checksum.js';
import type { Tables } from './database.js';
import { numberOf } from './database.js';

/**
 * One statement, so one trip to the server. It locks the row of the run first, so it checks what earlier writers have
 * committed. It returns what it found, so that a refusal can say why.
 *
 * $1 run id, $2 expected sequence, $3 token, $4 entries, $5 their checksum, $6 ids of taken commands, $7 their answers,
 * $8 state, $9 ended, $10 has progressed, $11 channel
 */
const appendSql = (schema: string): string => `WITH run AS MATERIALIZED (
    SELECT id, ended, owner, token, entry_count FROM ${schema}.runs WHERE run_id = $1 FOR UPDATE
  ), target AS MATERIALIZED (
    SELECT id FROM run WHERE NOT ended AND entry_count = $2::bigint
      AND CASE WHEN owner IS NULL THEN $3::bigint IS NULL ELSE token = $3::bigint END
  ), added AS (
    INSERT INTO ${schema}.entries (run, sequence, body)
    SELECT target.id, $2::bigint + given.number - 1, given.body
    FROM target, unnest($4::text[]) WITH ORDINALITY AS given (body, number)
  ), taken AS (
    UPDATE ${schema}.commands SET body = NULL, answer = given.answer
    FROM target, unnest($6::text[], $7::text[]) AS given (command_id, answer)
    WHERE commands.run = target.id AND commands.command_id = given.command_id AND commands.body IS NOT NULL
    RETURNING commands.id
  ), kept AS (
    INSERT INTO ${schema}.states (run, sequence, body)
    SELECT id, $2::bigint + cardinality($4::text[]), $8::text FROM target WHERE $8::text IS NOT NULL
    ON CONFLICT (run) DO UPDATE SET sequence = excluded.sequence, body = excluded.body
  ), written AS (
    UPDATE ${schema}.runs SET
      ended = $9::boolean,
      entry_count = runs.entry_count + cardinality($4::text[]),
      checksum = runs.checksum + $5::bigint,
      waiting = runs.waiting - counted.taken,
      takeovers = CASE WHEN $10::boolean THEN 0 ELSE runs.takeovers END
    FROM target, (SELECT count(*) AS taken FROM taken) AS counted
    WHERE runs.id = target.id
    RETURNING runs.id
  )
  SELECT run.ended, run.owner, run.token, run.entry_count, written.id IS NOT NULL AS is_written,
    CASE WHEN written.id IS NOT NULL THEN pg_notify($11, $1) END
  FROM run LEFT JOIN written ON true`;

/** The sum of the checksums of all entries: the next append adds to it without reading the earlier ones. */
export const checksumOfEntries = (from: number, bodies: readonly string[]): number =>
  bodies.reduce((sum, body, index) => sum + checksumOf(from + index, body), 0);

export async function append(
  { ask, schema, channel }: Tables,
  runId: string,
  expectedSequence: number,
  entries: readonly StoredEntry[],
  { token, ended = false, taken = [], state, hasProgressed = false }: AppendOptions,
): Promise<void> {
  const bodies = entries.map((entry) => JSON.stringify(entry));
  const [row] = await ask(
    appendSql(schema),
    lookupId(runId),
    integerOf(expectedSequence),
    token === undefined ? null : integerOf(token),
    bodies,
    checksumOfEntries(expectedSequence, bodies),
    taken.map(({ id }) => lookupId(id)),
    taken.map(({ answer }) => jsonOf(answer)),
    state === undefined ? null : JSON.stringify(state),
    ended,
    hasProgressed,
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

/** A number that is no integer equals none that is stored. */
const integerOf = (number: number): number => (Number.isSafeInteger(number) ? number : -1);

/** JSON has no undefined. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value === undefined ? null : value);
