import { textHash } from './text-hash.js';
import type { TryOutcome } from '../model/calls.js';
import type { Policy } from '../model/policy.js';

/** A call as far as its tries are concerned. */
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

/** Calling again cannot help when there is nobody to call, or no budget to call with. */
const FINAL_CODES: ReadonlySet<string> = new Set(['unknown-agent', 'budget-exhausted']);

export const canRetry = ({ tries, retry, outcome, isFallback }: TriedCall): boolean =>
  !isFallback &&
  tries < retry.attempts &&
  outcome?.kind === 'failed' &&
  !FINAL_CODES.has(outcome.code);

/** The fallback is asked once, and never beyond the budget. */
export const canFallBack = ({ hasFallback, outcome, isFallback }: TriedCall): boolean =>
  !isFallback && hasFallback && outcome?.kind === 'failed' && outcome.code !== 'budget-exhausted';

/** It would be tried once more, but nothing new goes out when the run winds down. */
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
