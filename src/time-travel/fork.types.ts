import type { Engine } from '../run/engine.js';
import type { CallSurroundings } from '../actors/team.types.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import type { Command } from '../model/commands.js';
import type { Plan } from '../model/plan.js';
import type { Policy } from '../policy/policy.js';

/** Where a what-if leaves its parent, and what is different from there on. */
export interface ForkOptions<AgentName extends string = string> {
  /**
   * The number of the last fact that both runs share; 0 starts over. Facts that were decided together are shared
   * together.
   */
  readonly atSequence: number;
  /** Your own name for the new run; it must be new. @default a random one */
  readonly runId?: string;
  /** Without any, the new run goes the way of its parent. */
  readonly changes?: ForkChanges<AgentName>;
}

/** What is different in a what-if. */
export interface ForkChanges<AgentName extends string = string> {
  /** Another goal. A run begins with its goal, so this needs `atSequence: 0`. */
  readonly goal?: string;
  /** Another plan: the one the run begins with at 0, later the answer of the planner that is being asked. */
  readonly plan?: Plan<AgentName>;
  /** Another policy, for the whole run. It must lead to the same facts up to `atSequence`. */
  readonly policy?: Policy<AgentName>;
  /** Other answers of agents, planner, supervisor, tester or summarizer, by the keys of their calls in the parent. */
  readonly answers?: readonly ChangedAnswer[];
  /** What people say right after `atSequence`. They are asked again about whatever comes after the first difference. */
  readonly commands?: readonly SaidCommand[];
}

/** What a call gives back instead: a value as the agent would return it, or an error as it would throw it. */
export type ChangedAnswer =
  | { readonly key: string; readonly returns: unknown }
  | { readonly key: string; readonly throws: string };

type WithoutRoute<Each> = Each extends unknown ? Omit<Each, 'route'> : never;

/** A command as a person gives it: `{ type: 'approval.reject', requestId, reason }`. */
export type SaidCommand = WithoutRoute<Command>;

/** As well as calling people, it can be told what they answer. */
export interface ForkEngine extends Engine {
  /** One try of a call that is answered with this instead; held to the same bounds as a real one. */
  answerAs(
    answer: ChangedAnswer,
    input: CallInput,
    surroundings: CallSurroundings,
  ): Promise<CallOutcome>;
}
