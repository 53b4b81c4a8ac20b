import type { Policy } from './policy.js';

/** Constant data of every chart of one orchestrator. */
export interface Settings {
  readonly policy: Policy;
  readonly team: Team;
}

/** Limits of one agent, over those of the policy. */
export interface AgentLimits {
  readonly timeoutMs?: number | undefined;
  readonly retry?:
    | Partial<Pick<Policy['retry'], 'attempts' | 'backoffMs' | 'maxBackoffMs'>>
    | undefined;
}

/** The agents and roles that can be called. Only names and flags: charts never hold a function. */
export interface Team {
  readonly agents: readonly string[];
  /** Agents that have a fallback. */
  readonly fallbacks: readonly string[];
  /** Limits of agents that have their own, by name. */
  readonly limits?: Readonly<Record<string, AgentLimits>>;
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
}
