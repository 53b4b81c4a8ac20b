import type * as z from 'zod/mini';

import type { JsonValue } from '../canonical-json.js';
import { unknownOptions } from '../closest-name.js';
import type { Issue } from '../errors.js';
import { ConfigurationError } from '../errors.js';
import type { CalledRun } from '../model/called-run.js';
import type { AnyTeam, JsonOf } from '../model/outputs.js';
import type { AgentReport, DoneReport } from './report.js';

/** Agent names go into plans, prompts and child ids. */
const AGENT_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * The output of a step that the called step depends on. `isWhole` says that it is the finished answer of that step's
 * agent, checked by its schema; otherwise it is partial work, the outputs of a sub-plan, or null.
 */
export type Dependency<Team extends AnyTeam = AnyTeam> = { readonly stepId: string } & Team;

/** Why the work is asked for again: a verdict, failed tests or a person's answer. */
export interface Feedback {
  readonly from: 'supervisor' | 'tester' | 'human';
  readonly text: string;
  /** The tester's whole result, when it comes from the tester. */
  readonly details?: JsonValue;
}

/**
 * What an agent is given. A frozen copy: changing it changes nothing. `AgentCall<Ticket>` types its `input`, and
 * `AgentCall<Ticket, Team<{ coder: Draft }>>` also the outputs of the agents whose steps this one depends on;
 * `createOrchestrator` compares both with its schema and its team.
 */
export interface AgentCall<
  Input = JsonValue,
  Team extends AnyTeam = AnyTeam,
> extends CalledRun<Input> {
  readonly goal: string;
  readonly task: string;
  readonly step: {
    readonly id: string;
    /** 'Step 2 of 3' */
    readonly position: string;
    /** 1 for the first attempt at the step. */
    readonly attempt: number;
    /** 0 for the plan of the goal, 1 and more for sub-plans. */
    readonly depth: number;
    /** Which of several votes on this step the call is; null when the step is not voted on. */
    readonly vote: { readonly number: number; readonly of: number } | null;
  };
  /** 'fix' when the tester's fix plan is to be applied. */
  readonly mode: 'work' | 'fix';
  readonly dependencies: readonly Dependency<Team>[];
  readonly feedback: readonly Feedback[];
  /** What people had said to the run when the step started, oldest first: the last `policy.context.maxMessages` texts. */
  readonly conversation: readonly string[];
  /** The planner's analysis of the goal. */
  readonly summary: string;
  /** The most tokens that the call should use, as the agent declares it; null without such a limit. */
  readonly maxTokens: number | null;
  /** The idempotency key of this call: the same after a crash, so that a provider can recognise a repeat. */
  readonly key: string;
  /** Aborted when the call times out, its step is skipped or the run ends. Nothing waits for a call after that. */
  readonly signal: AbortSignal;
}

export interface AgentDefinition<
  Name extends string,
  Output,
  Target extends string,
  Input = JsonValue,
  Team extends AnyTeam = AnyTeam,
> {
  readonly name: Name;
  /** Shown to the planner. */
  readonly description: string;
  /** Checks every output before it is stored or passed on. */
  readonly output?: z.core.$ZodType<Output>;
  /** Returns an output, or a report: `done`, `handOff` and others. `null` is an output, too. */
  readonly run: (
    call: AgentCall<Input, Team>,
  ) => AgentReport<Output, Target> | Output | Promise<AgentReport<Output, Target> | Output>;
  /** Used once, when every try failed and `retry.fallback` is on. */
  readonly fallback?: (call: AgentCall<Input, Team>) => Output | Promise<Output>;
  /**
   * Whether a call may be made twice with the same key. When the process dies while a call is in flight, its outcome is
   * unknown. `true` makes the call again under the same key. `false` fails that try with the code `interrupted`; the
   * policy decides whether there is another try.
   *
   * @default true
   */
  readonly idempotent?: boolean;
  /**
   * Returns what is stored instead of an output, after fields marked with `secret` are removed. Dependent steps receive
   * the original output, in the process that made it.
   */
  readonly redact?: (output: JsonValue) => unknown;
  /** How long one try may take, instead of the policy's `time.stepTimeoutMs`. The clocks of step and run still hold. */
  readonly timeoutMs?: number;
  /** Tries and pauses of this agent, over those of the policy; at most as many tries as the policy allows. */
  readonly retry?: AgentRetry;
  /** The most tokens that one call should use: `call.maxTokens`. The model adapters limit the answer to it. */
  readonly maxTokensPerCall?: number;
}

/** The retries of one agent; what is left out is as in the policy. */
export interface AgentRetry {
  readonly attempts?: number;
  readonly backoffMs?: number;
  readonly maxBackoffMs?: number;
}

/** One agent. Made by {@link defineAgent}. */
export interface Agent<
  Name extends string = string,
  Target extends string = string,
  Output = unknown,
  Input = unknown,
  Team extends AnyTeam = AnyTeam,
> {
  readonly name: Name;
  readonly description: string;
  readonly output?: z.core.$ZodType;
  readonly run: (call: AgentCall) => unknown;
  readonly fallback?: (call: AgentCall) => unknown;
  readonly idempotent?: boolean;
  readonly redact?: (output: JsonValue) => unknown;
  readonly timeoutMs?: number;
  readonly retry?: AgentRetry;
  readonly maxTokensPerCall?: number;
  /** For the type checker only: the agents it may hand off to. */
  readonly targets?: Target;
  /** For the type checker only: its output, as dependent steps and the report get it. */
  readonly typeOfOutput?: Output;
  /** For the type checker only: the outputs that it expects of the team. */
  readonly typeOfTeam?: Team;
  /** For the type checker only: the input that it expects of a run. */
  readonly typeOfInput?: Input;
}

/** What is left of a return type without its reports: the compiler may infer them as a part of the output. */
export type FinishedOutput<Output> = [WithoutReports<Output>] extends [never]
  ? JsonValue
  : JsonOf<WithoutReports<Output>>;

type WithoutReports<Output> = Output extends AgentReport
  ? Output extends DoneReport<infer Inner>
    ? Inner
    : never
  : Output;

/** Every output is JSON, and JSON has no undefined: an agent without a result returns null. */
type ReturnsOutput<Output> = unknown extends Output
  ? unknown
  : undefined extends Output
    ? { readonly run: 'Return an output, a report such as done(output), or null' }
    : unknown;

/**
 * Defines an agent. The name and the agents it hands off to are checked by the compiler against the team.
 *
 * @example
 * const coder = defineAgent({
 *   name: 'coder',
 *   description: 'Implements one step with its tests',
 *   output: z.object({ files: z.array(z.string()) }),
 *   run: async (call) => done({ files: ['a.ts'] }, { confidence: 0.9 }),
 * });
 */
export const defineAgent = <
  const Name extends string,
  Output = unknown,
  Target extends string = never,
  Input = JsonValue,
  Team extends AnyTeam = AnyTeam,
>(
  definition: AgentDefinition<Name, Output, Target, Input, Team> & ReturnsOutput<Output>,
): Agent<Name, Target, FinishedOutput<Output>, NoInfer<Input>, Team> => agentOf(definition);

/** Like {@link defineAgent}, for callers whose output type is not known yet. */
export const agentOf = <
  Name extends string,
  Output,
  Target extends string,
  Input = JsonValue,
  Team extends AnyTeam = AnyTeam,
>(
  definition: AgentDefinition<Name, Output, Target, Input, Team>,
): Agent<Name, Target, FinishedOutput<Output>, Input, Team> => {
  const issues = [
    ...definitionIssues(definition),
    ...unknownOptions(definition, definitionMembers),
  ];
  if (issues.length > 0) throw new ConfigurationError(issues);
  // The types of createOrchestrator compare what an agent expects with the schema of the input and with the team.
  return Object.freeze({ ...definition }) as unknown as Agent<
    Name,
    Target,
    FinishedOutput<Output>,
    Input,
    Team
  >;
};

type Definition = AgentDefinition<string, unknown, string>;

const DEFINITION: Readonly<Record<keyof Definition, true>> = {
  name: true,
  description: true,
  output: true,
  run: true,
  fallback: true,
  idempotent: true,
  redact: true,
  timeoutMs: true,
  retry: true,
  maxTokensPerCall: true,
};

export const definitionMembers = Object.keys(DEFINITION);

/** What is wrong with the members of an agent. */
export const definitionIssues = (
  definition: Partial<Record<keyof Definition, unknown>>,
): Issue[] => {
  const issues: Issue[] = [];
  if (typeof definition.name !== 'string' || !AGENT_NAME_PATTERN.test(definition.name)) {
    const message = `Expected a name of letters, digits, _ or -, starting with a letter, at most 64 characters, got ${String(definition.name).slice(0, 80)}`;
    issues.push({ code: 'invalid-agent-name', path: 'name', message });
  }
  if (typeof definition.description !== 'string') {
    issues.push({
      code: 'invalid-agent',
      path: 'description',
      message: 'Expected a text for the planner',
    });
  }
  if (typeof definition.run !== 'function') {
    const message = `Expected a function that does the work, got ${typeof definition.run}: run: async (call) => output`;
    issues.push({ code: 'invalid-agent', path: 'run', message });
  }
  if (definition.idempotent !== undefined && typeof definition.idempotent !== 'boolean') {
    issues.push({ code: 'invalid-agent', path: 'idempotent', message: 'Expected true or false' });
  }
  if (definition.redact !== undefined && typeof definition.redact !== 'function') {
    issues.push({ code: 'invalid-agent', path: 'redact', message: 'Expected a function' });
  }
  return [...issues, ...limitIssues(definition)];
};

const limitIssues = ({
  timeoutMs,
  maxTokensPerCall,
  retry = {},
}: Partial<Record<keyof Definition, unknown>>): Issue[] => {
  if (typeof retry !== 'object' || retry === null) {
    const message = 'Expected { attempts, backoffMs, maxBackoffMs }, each of them optional';
    return [{ code: 'invalid-agent', path: 'retry', message }];
  }
  const { attempts, backoffMs, maxBackoffMs } = retry as Record<keyof AgentRetry, unknown>;
  const numbers: readonly (readonly [path: string, value: unknown, least: number])[] = [
    ['timeoutMs', timeoutMs, 1],
    ['maxTokensPerCall', maxTokensPerCall, 1],
    ['retry.attempts', attempts, 1],
    ['retry.backoffMs', backoffMs, 0],
    ['retry.maxBackoffMs', maxBackoffMs, 0],
  ];
  const issues = numbers.flatMap(([path, value, least]): Issue[] => {
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return [];
    const message = `Expected a whole number of at least ${least}, got ${typeof value === 'number' ? value : typeof value}`;
    return [{ code: 'invalid-agent', path, message }];
  });
  return [...issues, ...unknownOptions(retry, RETRY_MEMBERS, 'retry')];
};

const RETRY_MEMBERS = ['attempts', 'backoffMs', 'maxBackoffMs'];
