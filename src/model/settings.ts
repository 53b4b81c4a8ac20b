import type { Policy } from './policy.js';

/** Constant data of every chart of one orchestrator. */
export interface Settings {
  readonly policy: Policy;
  readonly team: Team;
}

/** The agents and roles that can be called. Only names and flags: charts never hold a function. */
export interface Team {
  readonly agents: readonly string[];
  /** Agents that have a fallback. */
  readonly fallbacks: readonly string[];
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
}
