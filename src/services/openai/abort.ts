import { systemClock } from '../clock.js';
import { OpenAiRequestError } from './errors.js';

const clock = systemClock();

/** The promise, or an error as soon as the signal is aborted: the code behind the promise may ignore the signal. */
export const orAborted = async <Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> => {
  // A rejection after the abort must not go unhandled.
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

/** Waits until the delay has passed or the signal is aborted; leaves no timer behind. */
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

/** The time until an HTTP date; undefined when it is not a date. */
export const untilDateMs = (date: string): number | undefined => {
  const dateMs = Date.parse(date);
  return Number.isNaN(dateMs) ? undefined : dateMs - clock.now();
};

/** Throws when the call was aborted before it began. */
export const throwIfAborted = (signal: AbortSignal): void => {
  if (signal.aborted) throw abortError();
};

const abortError = (): OpenAiRequestError =>
  new OpenAiRequestError('aborted', { message: 'The call was aborted' });
