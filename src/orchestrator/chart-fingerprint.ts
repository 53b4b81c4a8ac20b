import type { AnyStateMachine } from 'xstate';

import { fingerprint } from '../canonical-json.js';

/** Members for human readers. Editing a description changes no decision. */
const SAID_TO_PEOPLE: ReadonlySet<string> = new Set(['description', 'meta']);

/**
 * Identifies charts by their states, transitions, guards, actions and delays, all of which have names. The code behind
 * the names is not included, because it differs between bundles: a change there shows as different facts on replay.
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
