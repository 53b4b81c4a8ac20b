import type { Engine } from '../run/engine.js';
import type { CallSurroundings } from '../actors/team.types.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import type { Command } from '../model/commands.js';
import type { Plan } from '../model/plan.js';
import type { Policy } from '../policy/policy.js';

/** Where a fork leaves its parent, and its changes from there on. */
export interface ForkOptions<AgentName extends string = string> {
  /**
   * The number of the last fact that both runs share; 0 starts over. Facts that were decided together are shared
   * together.
   */
  readonly atSequence: number;
  /** A name for the new run; it must be new. @default a random one */
  readonly runId?: string;
  /** Without changes, the new run repeats its parent. */
  readonly changes?: ForkChanges<AgentName>;
}

/** The changes of a fork. */
export interface ForkChanges<AgentName extends string = string> {
  /** Another goal. A run starts with its goal, so this needs `atSequence: 0`. */
  readonly goal?: string;
  /** Another plan: the first one at 0, later the answer to the planner call in flight. */
  readonly plan?: Plan<AgentName>;
  /** Another policy, for the whole run. It must lead to the same facts up to `atSequence`. */
  readonly policy?: Policy<AgentName>;
  /** Other answers of agents, planner, supervisor, tester or summarizer, by the keys of their calls in the parent. */
  readonly answers?: readonly ChangedAnswer[];
  /**
   * Commands right after `atSequence`, such as `{ type: 'approval.reject', requestId, reason }`. People are asked again
   * about everything after the first difference.
   */
  readonly commands?: readonly Command[];
}

/** The changed result of a call: a value as the agent would return it, or an error as it would throw it. */
export type ChangedAnswer =
  | { readonly key: string; readonly returns: unknown }
  | { readonly key: string; readonly throws: string };

/** An engine that can also answer calls with given results. */
export interface ForkEngine extends Engine {
  /** Answers one try of a call with this result, within the same bounds as a real one. */
  answerAs(
    answer: ChangedAnswer,
    input: CallInput,
    surroundings: CallSurroundings,
  ): Promise<CallOutcome>;
}
