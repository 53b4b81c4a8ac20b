/** Policies by their options. `presets.ts` has the ready-made ones; `model/policy.ts` explains each option. */

import { resolvePolicy } from './resolve.js';
import type { Policy, PolicyOverrides } from '../model/policy.js';

export { defaultPolicy } from './defaults.js';
export type { Policy, PolicyOverrides } from '../model/policy.js';

/**
 * A complete, checked and deeply frozen policy: the defaults with some options changed.
 *
 * An option that is missing or undefined keeps its default; it never means "no limit". Throws a `PolicyError` with one
 * issue for each mistake: unknown options, wrong types, numbers out of range, options in conflict.
 *
 * @example
 * ```ts
 * const policy = definePolicy({ limits: { maxReplans: 2 }, time: { limitMs: 60_000 } });
 * ```
 */
export function definePolicy<const AgentName extends string = never>(
  overrides?: PolicyOverrides<AgentName>,
): Policy<AgentName> {
  return resolvePolicy({}, overrides);
}
