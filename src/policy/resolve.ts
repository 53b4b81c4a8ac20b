/** Defaults, preset and overrides become one policy: merged, checked as a whole, frozen. */

import type { z } from 'zod';

import { type Issue, PolicyError } from '../errors.js';
import { defaultPolicy } from './defaults.js';
import { describeValue } from './describe-value.js';
import { deepFreeze } from './freeze.js';
import { childOption, expectationOf, joinPath } from './options.js';
import { readOverrides } from './read-overrides.js';
import { policySchema } from './schema.js';
import type { Policy, PolicyOverrides } from '../model/policy.js';

/** Throws a PolicyError that lists everything that is wrong with the overrides. */
export function resolvePolicy<AgentName extends string>(
  preset: PolicyOverrides,
  overrides: PolicyOverrides<AgentName> | undefined,
): Policy<AgentName> {
  const { tree, issues } = readOverrides(overrides);
  const merged = mergeOptions(mergeOptions(defaultPolicy, preset), tree);
  const result = policySchema.safeParse(merged);
  if (!result.success || issues.length > 0) {
    throw new PolicyError([...issues, ...invalidOptions(result.error?.issues ?? [], merged)]);
  }
  return namingAgents<AgentName>(deepFreeze(result.data));
}

/** Option by option; lists and null replace as a whole, undefined leaves what is there. */
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

/** One issue per option, however many of zod's checks it failed. */
function invalidOptions(zodIssues: readonly z.core.$ZodIssue[], policy: unknown): readonly Issue[] {
  const invalid = new Map<string, Issue>();
  const conflicts: Issue[] = [];
  for (const { code, path, message } of zodIssues) {
    const place = path.reduce<string>(joinPath, '');
    if (code === 'custom') {
      conflicts.push({ code: 'conflicting-options', path: place, message });
    } else {
      invalid.set(place, invalidOption(place, path, policy));
    }
  }
  // An option out of range often conflicts with its neighbours too; one complaint about it is
  // enough.
  const invalidPlaces = [...invalid.keys()];
  const realConflicts = conflicts.filter(
    (conflict) => !invalidPlaces.some((place) => place.startsWith(`${conflict.path}.`)),
  );
  return [...invalid.values(), ...realConflicts];
}

function invalidOption(place: string, path: readonly PropertyKey[], policy: unknown): Issue {
  let option: z.core.$ZodType = policySchema;
  let value = policy;
  for (const name of path) {
    option = childOption(option, name);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return {
    code: 'invalid-option',
    path: place,
    message: `Expected \`${place}\` to be ${expectationOf(option)}, got ${describeValue(value)}`,
  };
}

/**
 * A policy whose agent names are taken on trust: the policy does not know the agents. The types of
 * createOrchestrator do, and check the names its user gave.
 */
function namingAgents<AgentName extends string>(policy: Policy): Policy<AgentName> {
  return policy as Policy<AgentName>;
}
