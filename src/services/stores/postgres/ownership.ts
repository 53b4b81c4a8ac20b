import type { ClaimableRun, OwnedRun, RunClaim } from '../../../model/run-store.js';
import { lookupId } from '../../stored-id.js';
import type { Tables } from './database.js';
import { numberOf } from './database.js';
import { intervalOf, SERVER_NOW } from './server-time.js';

/* Leases of owners and claims of runs. An owner without a row has no lease. */

export async function renew(
  { ask, schema }: Tables,
  owner: string,
  leaseMs: number,
): Promise<void> {
  // Rows of processes that ended without `retire` are removed a day after their leases.
  // Rows that another process is about to remove, or to renew, are passed over: nothing waits here for another owner.
  const sql = `WITH forgotten AS (
      DELETE FROM ${schema}.owners WHERE owner IN (
        SELECT owner FROM ${schema}.owners
        WHERE owner <> $1 AND lease_ends_at < ${SERVER_NOW} - interval '1 day'
        FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO ${schema}.owners (owner, lease_ends_at) VALUES ($1, ${SERVER_NOW} + ${intervalOf('$2')})
    ON CONFLICT (owner) DO UPDATE SET lease_ends_at = excluded.lease_ends_at`;
  await ask(sql, owner, leaseMs);
}

export async function retire({ ask, schema }: Tables, owner: string): Promise<void> {
  await ask(`DELETE FROM ${schema}.owners WHERE owner = $1`, owner);
}

/**
 * Locks the lease of the previous owner before it is read, so that a concurrent renewal comes first, or waits until the
 * claim is made. The token shows whether another claim was made since the run was read.
 *
 * No row: the run cannot be claimed. A row without a token: another claim was faster.
 */
const claimSql = (schema: string): string => `WITH seen AS MATERIALIZED (
    SELECT run_id, owner, token FROM ${schema}.runs WHERE run_id = $1 AND ended_at IS NULL
  ), lease AS MATERIALIZED (
    SELECT owners.lease_ends_at FROM ${schema}.owners JOIN seen ON owners.owner = seen.owner
    WHERE owners.owner <> $2 FOR SHARE OF owners
  ), free AS MATERIALIZED (
    SELECT run_id, token FROM seen WHERE NOT EXISTS (SELECT 1 FROM lease WHERE lease_ends_at > ${SERVER_NOW})
  ), claimed AS (
    UPDATE ${schema}.runs SET
      owner = $2,
      token = runs.token + 1,
      is_takeover = runs.owner IS NOT NULL AND (runs.owner <> $2 OR runs.is_takeover),
      takeovers = runs.takeovers + CASE WHEN runs.owner <> $2 THEN 1 ELSE 0 END
    FROM free WHERE runs.run_id = free.run_id AND runs.token = free.token AND runs.ended_at IS NULL
    RETURNING runs.token, runs.is_takeover
  )
  SELECT claimed.token, claimed.is_takeover FROM free LEFT JOIN claimed ON true`;

export async function claim(
  { ask, schema }: Tables,
  runId: string,
  owner: string,
): Promise<RunClaim | undefined> {
  for (;;) {
    const [row] = await ask(claimSql(schema), lookupId(runId), owner);
    if (row === undefined) return undefined;
    if (row['token'] !== null) {
      return { token: numberOf(row, 'token'), isTakeover: row['is_takeover'] === true };
    }
  }
}

export async function release(
  { ask, schema }: Tables,
  runId: string,
  token: number,
): Promise<void> {
  if (!Number.isSafeInteger(token)) return;
  const sql = `UPDATE ${schema}.runs SET owner = NULL WHERE run_id = $1 AND token = $2`;
  await ask(sql, lookupId(runId), token);
}

/** Both ways read an index that has nothing else in it. */
export const ownedSql = (schema: string, hasCommands: boolean): string =>
  `SELECT run_id, token FROM ${schema}.runs
  WHERE owner = $1 AND ended_at IS NULL${hasCommands ? ' AND waiting_commands > 0' : ''} ORDER BY run_id`;

export async function owned(
  { ask, schema }: Tables,
  owner: string,
  hasCommands: boolean,
): Promise<readonly OwnedRun[]> {
  const rows = await ask(ownedSql(schema, hasCommands), owner);
  return rows.map((row) => ({ runId: String(row['run_id']), token: numberOf(row, 'token') }));
}

/**
 * Goes from owner to owner in the index of unfinished runs, and from each owner whose lease has ended to its runs. Runs
 * of owners with a valid lease are not read, whatever their number.
 */
export const claimableSql = (schema: string): string => `WITH RECURSIVE holder AS (
    (SELECT owner FROM ${schema}.runs WHERE ended_at IS NULL AND owner IS NOT NULL ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT (
      SELECT runs.owner FROM ${schema}.runs WHERE runs.ended_at IS NULL AND runs.owner > holder.owner
      ORDER BY runs.owner LIMIT 1
    ) FROM holder WHERE holder.owner IS NOT NULL
  ), expired AS (
    SELECT owner FROM holder WHERE owner IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${schema}.owners WHERE owners.owner = holder.owner AND lease_ends_at > ${SERVER_NOW}
    )
  )
  (SELECT run_id, takeovers FROM ${schema}.runs
    WHERE ended_at IS NULL AND owner IS NULL AND run_id > $1 ORDER BY run_id LIMIT $2)
  UNION ALL
  SELECT orphan.run_id, orphan.takeovers FROM expired CROSS JOIN LATERAL (
    SELECT run_id, takeovers FROM ${schema}.runs
    WHERE ended_at IS NULL AND runs.owner = expired.owner AND run_id > $1 ORDER BY run_id LIMIT $2
  ) AS orphan
  ORDER BY run_id LIMIT $2`;

export async function claimable(
  { ask, schema }: Tables,
  after: string,
  limit: number,
): Promise<readonly ClaimableRun[]> {
  const rows = await ask(claimableSql(schema), lookupId(after), limit);
  return rows.map((row) => ({
    runId: String(row['run_id']),
    takeovers: numberOf(row, 'takeovers'),
  }));
}
