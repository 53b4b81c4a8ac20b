import { readSafely, toFailure } from '../../failure.js';
import type { Secrets } from './secrets.js';

/** A longer chain of causes is cut. */
const CAUSES_MAX = 8;

/**
 * A copy of an error that can be logged: its name, message, code, stack and causes, without secrets. Other members that
 * clients add to errors, such as headers, bodies and requests, are left out.
 */
export const cleanError = (thrown: unknown, secrets: Secrets, depth = 1): Error => {
  const { name, message, code } = toFailure(thrown, Infinity);
  const cause = readSafely(thrown, 'cause');
  const hasCause = cause !== undefined && cause !== null && depth < CAUSES_MAX;
  const copy = new Error(
    secrets.inMessage(message),
    hasCause ? { cause: cleanError(cause, secrets, depth + 1) } : {},
  );
  copy.name = secrets.inMessage(name);
  const stack = readSafely(thrown, 'stack');
  copy.stack =
    typeof stack === 'string' ? secrets.inMessage(stack) : `${copy.name}: ${copy.message}`;
  return code === undefined ? copy : Object.assign(copy, { code: secrets.inMessage(code) });
};
