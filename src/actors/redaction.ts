import { REDACTED } from '../agents/secret.js';
import type { redactingPerform } from './redacting-perform.js';
import type { Perform, RedactText } from './team.types.js';

/** A text whose redaction fails is not written at all. */
export const safely =
  (redact: RedactText): RedactText =>
  (text) => {
    try {
      const redacted: unknown = redact(text);
      return typeof redacted === 'string' ? redacted : REDACTED;
    } catch {
      return REDACTED;
    }
  };

type RedactingPerform = typeof redactingPerform;

let loaded: RedactingPerform | undefined;

/** Most apps redact nothing, so this part is loaded before the first answer that needs it. */
export const loadRedaction = async (): Promise<RedactingPerform> =>
  (loaded ??= (await import('./redacting-perform.js')).redactingPerform);

/** `redactingPerform`, loaded on first use. */
export const lazyRedaction = (...parameters: Parameters<RedactingPerform>): Perform => {
  let perform: Perform | undefined;
  return async (input, surroundings) => {
    const redacting = loaded ?? (await loadRedaction());
    // After the wait: it remembers the answers of its runs, so all calls share one.
    perform ??= redacting(...parameters);
    return perform(input, surroundings);
  };
};
