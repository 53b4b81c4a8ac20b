import { APIConnectionError, APIError, APIUserAbortError } from 'openai';

import { fingerprint } from '../../canonical-json.js';
import { toFailure } from '../../failure.js';
import { sleep, untilDateMs } from './abort.js';
import { cleanError } from './clean-error.js';
import type { OpenAiRequestCode } from './errors.js';
import { OpenAiRequestError } from './errors.js';
import type { Secrets } from './secrets.js';

/*
 * The retries of the official client, with two differences: a wait ends when the call is aborted, and no server can ask
 * for a wait of an hour. The client's own waits keep the process alive until they are over.
 */

/** A server that asks for a longer wait has refused the try. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_OWN_WAIT_MS = 8_000;

interface RetryRules {
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  /** Waits differ from call to call, and are the same when a call is repeated. */
  readonly key: string;
  /** Never shown in an error: servers may quote them. */
  readonly secrets: Secrets;
}

export const withRetries = async <Value>(
  attempt: () => Promise<Value>,
  rules: RetryRules,
): Promise<Value> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const error = asRequestError(thrown, rules);
      const waitMs = waitBefore(thrown, tries, rules.key);
      const isLast = tries > rules.maxRetries || waitMs > LONGEST_WAIT_MS;
      if (isLast || !isWorthARetry(thrown, error)) throw error;
      await sleep(waitMs, rules.signal);
    }
  }
};

const isWorthARetry = (thrown: unknown, { code, status }: OpenAiRequestError): boolean => {
  const told = apiErrorIn(thrown);
  if (told === undefined) return code === 'cut-off';
  const advice = told.headers?.get('x-should-retry');
  if (advice === 'true' || advice === 'false') return advice === 'true';
  // Waiting does not restore a spent quota.
  if (told.code === 'insufficient_quota') return false;
  return RETRIED_CODES.has(code) || status === 408 || status === 409;
};

const RETRIED_CODES = new Set<OpenAiRequestCode>([
  'connection-failed',
  'rate-limited',
  'server-error',
]);

const waitBefore = (thrown: unknown, tries: number, key: string): number => {
  const asked = askedWaitMs(apiErrorIn(thrown)?.headers);
  if (asked !== undefined) return Math.max(0, asked);
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_OWN_WAIT_MS);
  const share = Number.parseInt(fingerprint(`${key}#${tries}`).slice(0, 4), 16) / 0xffff;
  return longest * (1 - share / 4);
};

/** Narrowing a thrown value to this class alone would leave its members untyped. */
const apiErrorIn = (thrown: unknown): APIError | undefined =>
  thrown instanceof APIError ? (thrown as APIError) : undefined;

const askedWaitMs = (headers: Headers | undefined): number | undefined => {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (!Number.isNaN(milliseconds)) return milliseconds;
  const after = headers?.get('retry-after');
  if (after === null || after === undefined) return undefined;
  const seconds = Number.parseFloat(after);
  return Number.isNaN(seconds) ? untilDateMs(after) : seconds * 1_000;
};

/** The only place that makes an error from a failed request: neither the error nor its causes contain a secret. */
const asRequestError = (thrown: unknown, { secrets }: RetryRules): OpenAiRequestError => {
  const { message, cause, ...parts } = partsOf(thrown);
  return new OpenAiRequestError(parts.code, {
    message: secrets.inMessage(message),
    ...(parts.status === undefined ? {} : { status: parts.status }),
    ...(cause === undefined ? {} : { cause: cleanError(cause, secrets) }),
  });
};

interface ErrorParts {
  readonly code: OpenAiRequestCode;
  readonly message: string;
  readonly status: number | undefined;
  readonly cause: unknown;
}

const partsOf = (thrown: unknown): ErrorParts => {
  if (thrown instanceof OpenAiRequestError) {
    const { code, message, status, cause } = thrown;
    return { code, message, status: status ?? undefined, cause };
  }
  const status = apiErrorIn(thrown)?.status;
  const code = codeOf(thrown, status);
  const message = `${MEANINGS[code]}: ${toFailure(thrown, Infinity).message}`;
  return { code, message, status, cause: thrown };
};

const codeOf = (thrown: unknown, status: number | undefined): FailureCode => {
  if (thrown instanceof APIUserAbortError) return 'aborted';
  if (thrown instanceof APIConnectionError) return 'connection-failed';
  if (status === undefined) return 'request-rejected';
  if (status === 429) return 'rate-limited';
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 ? 'server-error' : 'request-rejected';
};

const MEANINGS = {
  aborted: 'The call was aborted',
  'connection-failed': 'The server could not be reached, or did not answer in time',
  'rate-limited': 'The server has received too many requests',
  unauthorized: 'The server does not accept the API key',
  'server-error': 'The server failed',
  'request-rejected': 'The server does not accept the request',
} as const;

type FailureCode = keyof typeof MEANINGS;
