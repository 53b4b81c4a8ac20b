/** Merges defaults, preset and overrides into one policy, checks it as a whole, and freezes it. */

import { deepFrozen } from '../deep-frozen.js';
import { PolicyError } from '../errors.js';
import { defaultPolicy } from './defaults.js';
import { issuesIn } from './options.js';
import { readOverrides } from './read-overrides.js';
import { policySchema } from './schema.js';
import type { Policy, PolicyOverrides } from '../model/policy.js';

/** Throws a PolicyError that lists all issues of the overrides. */
export function resolvePolicy<AgentName extends string>(
  preset: PolicyOverrides,
  overrides: PolicyOverrides<AgentName> | undefined,
): Policy<AgentName> {
  const { tree, issues } = readOverrides(overrides);
  const merged = mergeOptions(mergeOptions(defaultPolicy, preset), tree);
  const invalid = issuesIn(policySchema, merged);
  if (issues.length > 0 || invalid.length > 0) throw new PolicyError([...issues, ...invalid]);
  return namingAgents<AgentName>(deepFrozen(merged) as Policy);
}

/** Option by option; lists and null replace the whole value, undefined keeps the base. */
function mergeOptions(base: unknown, overrides: unknown): unknown {
  if (overrides === undefined) {
    return base;
  }
  if (!isSection(base) || !isSection(overrides)) {
    return overrides;
  }
  const names = new Set([...Object.keys(base), ...Object.keys(overrides)]);
  return Object.fromEntries(
    [...names].map((name) => [name, mergeOptions(base[name], overrides[name])]),
  );
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A policy whose agent names are not checked here: the policy does not know the agents. The types of createOrchestrator
 * do, and check the names.
 */
function namingAgents<AgentName extends string>(policy: Policy): Policy<AgentName> {
  return policy as Policy<AgentName>;
}
