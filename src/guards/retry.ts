import { textHash } from './text-hash.js';
import type { TryOutcome } from '../model/calls.js';
import type { Policy } from '../model/policy.js';

/** The part of a call that concerns its tries. */
interface TriedCall {
  readonly request: { readonly key: string };
  readonly retry: Pick<Policy['retry'], 'attempts' | 'backoffMs' | 'maxBackoffMs'>;
  /** Tries so far, the present one included. */
  readonly tries: number;
  readonly hasFallback: boolean;
  readonly isFallback: boolean;
  readonly isWindingDown: boolean;
  readonly outcome: TryOutcome | null;
}

/** Failures that a retry cannot fix: the callee is missing, or the budget is spent. */
const FINAL_CODES: ReadonlySet<string> = new Set(['unknown-agent', 'budget-exhausted']);

export const canRetry = ({ tries, retry, outcome, isFallback }: TriedCall): boolean =>
  !isFallback &&
  tries < retry.attempts &&
  outcome?.kind === 'failed' &&
  !FINAL_CODES.has(outcome.code);

/** The fallback is called once, and never beyond the budget. */
export const canFallBack = ({ hasFallback, outcome, isFallback }: TriedCall): boolean =>
  !isFallback && hasFallback && outcome?.kind === 'failed' && outcome.code !== 'budget-exhausted';

/** A retry would follow, but a run that winds down makes no new calls. */
export const isCutShort = (context: TriedCall): boolean =>
  context.isWindingDown && (canRetry(context) || canFallBack(context));

/**
 * How long to wait before the next try: exponential, capped, never shorter than the wait before, and spread by a hash
 * of the call's key. A hash, because a random number would not be the same on replay.
 */
export const retryBackoffMs = ({ request, tries, retry }: TriedCall): number => {
  let backoffMs = 0;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const fullMs = Math.min(retry.maxBackoffMs, retry.backoffMs * 2 ** (attempt - 1));
    const spreadMs = Math.round(
      fullMs * (0.5 + 0.5 * (textHash(`${request.key}#${attempt}`) / 0xffffffff)),
    );
    backoffMs = Math.max(backoffMs, spreadMs);
  }
  return backoffMs;
};
