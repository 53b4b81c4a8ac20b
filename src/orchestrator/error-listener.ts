import { toFailure } from '../failure.js';
import type { ErrorContext, OnError } from '../run/live-run.types.js';

/** The callback belongs to the user: its errors change nothing, whether it throws or rejects. */
export const errorListener = (
  onError: OnError | undefined,
  redactText: ((text: string) => string) | undefined,
): OnError => {
  const listener = onError ?? printingOnce(redactText ?? ((text) => text));
  return (error, context) => {
    try {
      const returned = (listener as (...given: unknown[]) => unknown)(error, context);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // The error callback itself failed, so the error is dropped.
    }
  };
};

/** Long enough for the message of an error, short enough for one line of a log. */
const PRINTED_CHARACTERS = 300;

/** A wrong key or a broken agent shows up somewhere, even in a program that handles no errors. */
const printingOnce = (redactText: (text: string) => string): OnError => {
  let isPrinted = false;
  return (error, context) => {
    if (isPrinted) return;
    isPrinted = true;
    const { name, message } = toFailure(error, Infinity);
    const text = redactText(`${name}: ${message}`).replaceAll(/\s+/g, ' ');
    // oxlint-disable-next-line no-console -- the only place where an error without a listener can show up
    console.error(
      `planwright: ${placeOf(context)}${text.slice(0, PRINTED_CHARACTERS)}` +
        ' (only the first error is printed: pass onError to createOrchestrator to get all of them)',
    );
  };
};

const placeOf = (context: ErrorContext | undefined): string =>
  context === undefined ? '' : `${context.agent} failed in run ${context.runId}: `;
