import { systemClock } from '../clock.js';
import { OpenAiRequestError } from './errors.js';

const clock = systemClock();

/** The promise, or an error as soon as nobody waits any more: what is behind the promise may not listen. */
export const orAborted = async <Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> => {
  // Whatever becomes of it after an abort, somebody has to take note of its failure.
  promise.catch(() => undefined);
  throwIfAborted(signal);
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(abortError());
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** Waits, but no longer than anybody is interested; no timer is left behind. */
export const sleep = async (durationMs: number, signal: AbortSignal): Promise<void> => {
  let timer: unknown;
  const elapsed = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, durationMs);
  });
  try {
    await orAborted(elapsed, signal);
  } finally {
    clock.clearTimeout(timer);
  }
};

/** How long until a point in time, as an HTTP date; undefined when it is none. */
export const untilDateMs = (date: string): number | undefined => {
  const dateMs = Date.parse(date);
  return Number.isNaN(dateMs) ? undefined : dateMs - clock.now();
};

/** Before anything begins that nobody wants any more. */
export const throwIfAborted = (signal: AbortSignal): void => {
  if (signal.aborted) throw abortError();
};

const abortError = (): OpenAiRequestError =>
  new OpenAiRequestError('aborted', { message: 'Nobody waits for the answer any more' });
