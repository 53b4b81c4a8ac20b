import { RunConflictError } from '../errors.js';

/** The stored state that an append is checked against. */
interface AppendTarget {
  readonly runId: string;
  readonly ended: boolean;
  /** Null when the run has no owner. */
  readonly owner: string | null;
  /** The token of the latest claim. */
  readonly token: number;
  readonly entryCount: number;
}

/** Refuses an append by the rules of the port; all stores share them. */
export function refuseConflict(
  { runId, ended, owner, token, entryCount }: AppendTarget,
  expectedSequence: number,
  givenToken: number | undefined,
): void {
  if (ended) throw new RunConflictError(`Run '${runId}' has ended`);
  if ((owner === null ? undefined : token) !== givenToken) {
    const holder = owner === null ? 'has no owner' : `is claimed by ${owner}`;
    throw new RunConflictError(`Run '${runId}' ${holder}`);
  }
  if (entryCount !== expectedSequence) {
    throw new RunConflictError(
      `Expected run '${runId}' to have ${expectedSequence} entries, got ${entryCount}`,
    );
  }
}
