import type { AnyStateMachine } from 'xstate';

import { fingerprint } from '../canonical-json.js';

/** What charts say to people. Whoever mends a description changes no decision. */
const SAID_TO_PEOPLE: ReadonlySet<string> = new Set(['description', 'meta']);

/**
 * Tells charts apart by their states, transitions, guards, actions and delays, all of which have names. What the names stand
 * for is code, which has no form that is the same in every bundle: when that has changed, the facts differ on replay.
 */
export const chartFingerprint = (machines: Readonly<Record<string, AnyStateMachine>>): string =>
  fingerprint(
    Object.entries(machines)
      .map(([name, machine]) => `${name}:${JSON.stringify(machine.config, withoutWords)}`)
      .sort()
      .join('\n'),
  );

const withoutWords = (key: string, value: unknown): unknown => {
  if (SAID_TO_PEOPLE.has(key)) return undefined;
  return typeof value === 'function' ? 'function' : value;
};
