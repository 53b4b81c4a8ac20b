import type { Agent } from '../agents/agent.js';
import { definitionIssues, definitionMembers } from '../agents/agent.js';
import { closestName, suggestion, unknownOptions } from '../closest-name.js';
import type { Issue } from '../errors.js';
import { ConfigurationError, joinPath } from '../errors.js';
import type { OrchestratorOptions, StartInput } from './create-orchestrator.js';
import type { Policy } from '../policy/policy.js';
import { labelIssues } from './run-input.js';
import { durabilityIssues } from '../run/durability.js';

/* Validates the options of createOrchestrator and start; reports all issues at once. */

/** Run ids are part of keys, paths and URLs. */
const RUN_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** A longer goal is a document; it belongs in the agents' inputs, not in every prompt. */
const GOAL_CHARACTERS_MAX = 100_000;

const OPTIONS: Readonly<Record<keyof OrchestratorOptions<readonly Agent[]>, true>> = {
  agents: true,
  planner: true,
  supervisor: true,
  tester: true,
  summarizer: true,
  input: true,
  policy: true,
  store: true,
  durability: true,
  clock: true,
  dispatcher: true,
  redact: true,
  onError: true,
};

/** Reads the options once; each one that throws is an issue. */
export const readOptions = (
  options: OrchestratorOptions<readonly Agent[]>,
): OrchestratorOptions<readonly Agent[]> =>
  readFields(
    options,
    Object.keys(OPTIONS) as (keyof typeof OPTIONS)[],
    'createOrchestrator({ agents: [agent], planner })',
  );

/** Reads the start input once; each member that throws is an issue. */
export const readInput = (input: StartInput): StartInput =>
  readFields(
    input,
    ['goal', 'runId', 'plan', 'input', 'labels'],
    "orchestrator.start({ goal: 'Say hello' })",
  );

/** Reads members of a given object once; each one that throws, and each one that does not exist, is an issue. */
export const readFields = <Given extends object>(
  given: Given,
  names: readonly (keyof Given & string)[],
  example = `{ ${names.join(', ')} }`,
): Given => {
  if (!isObject(given) || isPromise(given)) {
    const message = `Expected options, such as ${example}, got ${kindOf(given)}`;
    throw new ConfigurationError([{ code: 'invalid-options', path: '', message }]);
  }
  const fields: Record<string, unknown> = {};
  const issues = names.flatMap((name) =>
    readable(name, () => {
      const value: unknown = Reflect.get(given, name);
      if (value !== undefined) fields[name] = value;
      return [];
    }),
  );
  issues.push(...readable('', () => unknownOptions(given, names)));
  if (issues.length > 0) throw new ConfigurationError(issues);
  return fields as Given;
};

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A revoked proxy throws here as well; it is reported with the options that cannot be read. */
const isPromise = (value: unknown): boolean => {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
};

const kindOf = (value: unknown): string => {
  if (isPromise(value)) return 'a promise: await it first';
  return value === null ? 'null' : typeof value;
};

/** Issues of one member; a getter or a proxy that throws there is an issue, too. */
const readable = (path: string, look: () => Issue[]): Issue[] => {
  try {
    return look();
  } catch {
    const message = `Expected \`${path}\` to be readable, but reading it threw an error`;
    return [{ code: 'unreadable-option', path, message }];
  }
};

export const configurationIssues = (
  options: OrchestratorOptions<readonly Agent[]>,
  policy: Policy,
): Issue[] => [
  ...readable('agents', () => agentIssues(options.agents)),
  ...functionIssues(options),
  ...readable('store', () => storeIssues(options.store)),
  ...policyIssues(options, policy),
  ...readable('input', () => schemaIssues(options.input)),
  ...gateIssues(options, policy),
  ...readable('durability', () => durabilityIssues(options.durability)),
];

const agentIssues = (agents: unknown): Issue[] => {
  if (!Array.isArray(agents) || agents.length === 0) {
    const message = 'Expected at least one agent, made by defineAgent';
    return [{ code: 'no-agents', path: 'agents', message }];
  }
  const seen = new Set<unknown>();
  return Array.from(agents.keys()).flatMap((index) => {
    const path = `agents[${index}]`;
    return readable(path, () => agentIssue(agents[index] as Partial<Agent> | null, path, seen));
  });
};

const agentIssue = (agent: Partial<Agent> | null, path: string, seen: Set<unknown>): Issue[] => {
  if (typeof agent?.name !== 'string' || typeof agent.run !== 'function') {
    return [{ code: 'invalid-agent', path, message: 'Expected an agent made by defineAgent' }];
  }
  if (seen.has(agent.name)) {
    const message = `There is already an agent called '${agent.name.slice(0, 80)}'`;
    return [{ code: 'duplicate-agent', path, message }];
  }
  seen.add(agent.name);
  return [...definitionIssues(agent), ...misspeltMembers(agent)].map((issue) => ({
    ...issue,
    path: joinPath(path, issue.path),
  }));
};

/** An agent may carry members of its owner; only those that look like a misspelt one of ours are refused. */
const misspeltMembers = (agent: object): Issue[] => {
  const known = definitionMembers;
  return unknownOptions(agent, known).filter(({ path }) => closestName(path, known) !== undefined);
};

const storeIssues = (store: unknown): Issue[] => {
  if (store === undefined) return [];
  if (typeof store === 'object' && store !== null && 'append' in store) return [];
  const message = `Expected a store, such as memoryStore() of planwright/store, got ${kindOf(store)}`;
  return [{ code: 'invalid-option', path: 'store', message }];
};

/** The compiler checks the names too, but only where it knows the team. */
const policyIssues = (options: OrchestratorOptions<readonly Agent[]>, policy: Policy): Issue[] => {
  const names = agentNames(options.agents);
  const unknown = policy.approval.agents.flatMap((name, index) => {
    if (names.includes(name)) return [];
    const path = `policy.approval.agents[${index}]`;
    const hint = suggestion(name, names) || `. The team is: ${names.join(', ')}`;
    const message = `There is no agent '${name.slice(0, 80)}' in the team${hint}`;
    return [{ code: 'unknown-agent', path, message }];
  });
  return [...unknown, ...readable('agents', () => retryIssues(options.agents, policy))];
};

/** The policy bounds every agent: `bounds()` and proofs hold whatever the agents declare. */
const retryIssues = (agents: unknown, { retry: { attempts: most } }: Policy): Issue[] => {
  if (!Array.isArray(agents)) return [];
  return (agents as readonly (Partial<Agent> | null)[]).flatMap((agent, index): Issue[] => {
    const attempts = agent?.retry?.attempts ?? 0;
    if (!(attempts > most)) return [];
    const path = `agents[${index}].retry.attempts`;
    const message = `Expected at most ${most} as in the policy, got ${attempts}: raise retry.attempts of the policy, and lower it for the other agents`;
    return [{ code: 'above-policy', path, message }];
  });
};

/** What is wrong with the agents themselves is reported by {@link agentIssues}. */
const agentNames = (agents: unknown): string[] => {
  try {
    return (agents as readonly Agent[]).map(({ name }) => name);
  } catch {
    return [];
  }
};

const functionIssues = (options: OrchestratorOptions<readonly Agent[]>): Issue[] =>
  (
    ['planner', 'supervisor', 'tester', 'summarizer', 'dispatcher', 'onError', 'redact'] as const
  ).flatMap((name) => {
    const given: unknown = options[name];
    if (given === undefined || typeof given === 'function') return [];
    return [
      { code: 'invalid-option', path: name, message: `Expected a function, got ${kindOf(given)}` },
    ];
  });

const schemaIssues = (schema: unknown): Issue[] => {
  const isSchema = typeof schema === 'object' && schema !== null && '_zod' in schema;
  if (schema === undefined || isSchema) return [];
  const message = 'Expected a schema of zod 4, such as z.object({ ticket: z.string() })';
  return [{ code: 'invalid-option', path: 'input', message }];
};

const gateIssues = (options: OrchestratorOptions<readonly Agent[]>, policy: Policy): Issue[] => {
  if (options.supervisor !== undefined) return [];
  return Object.entries(policy.gates).flatMap(([gate, threshold]) => {
    if (threshold === null) return [];
    const message = `The gate asks for a score of ${threshold}: pass a \`supervisor\`, or set \`gates.${gate}\` to null`;
    return [{ code: 'missing-supervisor', path: `policy.gates.${gate}`, message }];
  });
};

export const inputIssues = (
  { goal, runId, plan, labels }: Partial<Record<keyof StartInput, unknown>>,
  hasPlanner: boolean,
): Issue[] => {
  const issues: Issue[] = [];
  if (typeof goal !== 'string' || goal.trim() === '' || goal.length > GOAL_CHARACTERS_MAX) {
    const message = `Expected a goal of 1 to ${GOAL_CHARACTERS_MAX} characters`;
    issues.push({ code: 'invalid-goal', path: 'goal', message });
  }
  if (runId !== undefined && (typeof runId !== 'string' || !RUN_ID_PATTERN.test(runId))) {
    const message = 'Expected letters, digits, _ or -, at most 128 characters';
    issues.push({ code: 'invalid-run-id', path: 'runId', message });
  }
  if (plan === undefined && !hasPlanner) {
    const message = 'There is no planner: pass a `plan` here, or a `planner` to createOrchestrator';
    issues.push({ code: 'missing-plan', path: 'plan', message });
  }
  issues.push(...labelIssues(labels));
  return issues;
};
