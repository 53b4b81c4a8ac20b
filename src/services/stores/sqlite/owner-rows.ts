import { tornError } from '../stored-json.js';
import { checksumOf } from './checksum.js';
import type { Connection, Statement } from './connection.js';

/** Leases that ended longer ago are removed: an owner without a lease counts as one whose lease has ended. */
const KEPT_MS = 86_400_000;

/** The leases of owners. */
export class OwnerRows {
  readonly #renew: Statement;
  readonly #remove: Statement;
  readonly #removeOld: Statement;
  readonly #find: Statement;

  constructor({ prepare }: Connection) {
    this.#renew = prepare(
      'INSERT OR REPLACE INTO owners (owner, lease_ends_at, checksum) VALUES (?, ?, ?)',
    );
    this.#remove = prepare('DELETE FROM owners WHERE owner = ?');
    this.#removeOld = prepare('DELETE FROM owners WHERE lease_ends_at < ?');
    this.#find = prepare('SELECT lease_ends_at, checksum FROM owners WHERE owner = ?');
  }

  renew(owner: string, leaseMs: number, now: number): void {
    this.#removeOld.run(Math.floor(now - KEPT_MS));
    const leaseEndsAt = Math.floor(now + leaseMs);
    this.#renew.run(owner, leaseEndsAt, checksumOf(owner, leaseEndsAt));
  }

  remove(owner: string): void {
    this.#remove.run(owner);
  }

  hasLease(owner: string, now: number): boolean {
    const row = this.#find.get(owner);
    if (row === undefined) return false;
    const leaseEndsAt = Number(row['lease_ends_at']);
    if (row['checksum'] !== checksumOf(owner, leaseEndsAt))
      throw tornError(`The lease of ${owner}`);
    return now < leaseEndsAt;
  }
}
