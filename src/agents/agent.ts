import type * as z from 'zod/mini';

import type { JsonValue } from '../canonical-json.js';
import type { Issue } from '../errors.js';
import { ConfigurationError } from '../errors.js';
import type { CalledRun } from '../model/called-run.js';
import type { AgentReport } from './report.js';

/** Agent names go into plans, prompts and child ids. */
const AGENT_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The output of a step that the called step depends on. */
export interface Dependency {
  readonly stepId: string;
  readonly agent: string;
  readonly output: JsonValue;
}

/** Why the work is asked for again: a verdict, failed tests or a person's answer. */
export interface Feedback {
  readonly from: 'supervisor' | 'tester' | 'human';
  readonly text: string;
  /** The tester's whole result, when it comes from the tester. */
  readonly details?: JsonValue;
}

/**
 * What an agent is given. A frozen copy: changing it changes nothing. `AgentCall<Ticket>` types its `input`;
 * `createOrchestrator` compares that with its `input` schema.
 */
export interface AgentCall<Input = JsonValue> extends CalledRun<Input> {
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
  readonly dependencies: readonly Dependency[];
  readonly feedback: readonly Feedback[];
  /** What people had said to the run when the step started, oldest first: the last `policy.context.maxMessages` texts. */
  readonly conversation: readonly string[];
  /** The planner's analysis of the goal. */
  readonly summary: string;
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
> {
  readonly name: Name;
  /** Shown to the planner. */
  readonly description: string;
  /** Checks every output before it is stored or passed on. */
  readonly output?: z.core.$ZodType<Output>;
  readonly run: (
    call: AgentCall<Input>,
  ) => AgentReport<Output, Target> | Output | Promise<AgentReport<Output, Target> | Output>;
  /** Used once, when every try failed and `retry.fallback` is on. */
  readonly fallback?: (call: AgentCall<Input>) => Output | Promise<Output>;
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
}

/** One agent. Made by {@link defineAgent}. */
export interface Agent<
  Name extends string = string,
  Target extends string = string,
  Input = unknown,
> {
  readonly name: Name;
  readonly description: string;
  readonly output?: z.core.$ZodType;
  readonly run: (call: AgentCall) => unknown;
  readonly fallback?: (call: AgentCall) => unknown;
  readonly idempotent?: boolean;
  readonly redact?: (output: JsonValue) => unknown;
  /** For the type checker only: the agents it may hand off to. */
  readonly targets?: Target;
  /** For the type checker only: the input that it expects of a run. */
  readonly typeOfInput?: Input;
}

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
>(
  definition: AgentDefinition<Name, Output, Target, Input>,
): Agent<Name, Target, NoInfer<Input>> => {
  const issues = definitionIssues(definition);
  if (issues.length > 0) throw new ConfigurationError(issues);
  // The types of createOrchestrator compare the input of an agent with the schema.
  return Object.freeze({ ...definition }) as unknown as Agent<Name, Target, Input>;
};

const definitionIssues = (
  definition: Partial<Record<keyof AgentDefinition<string, unknown, string>, unknown>>,
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
    issues.push({ code: 'invalid-agent', path: 'run', message: 'Expected a function' });
  }
  if (definition.idempotent !== undefined && typeof definition.idempotent !== 'boolean') {
    issues.push({ code: 'invalid-agent', path: 'idempotent', message: 'Expected true or false' });
  }
  if (definition.redact !== undefined && typeof definition.redact !== 'function') {
    issues.push({ code: 'invalid-agent', path: 'redact', message: 'Expected a function' });
  }
  return issues;
};
