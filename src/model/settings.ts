import type { Policy } from './policy.js';

/** What every chart of one orchestrator knows and nothing in a run can change. */
export interface Settings {
  readonly policy: Policy;
  readonly team: Team;
}

/** Who there is to call. Names and facts about them only: charts never hold a function. */
export interface Team {
  readonly agents: readonly string[];
  /** Agents that have a fallback. */
  readonly fallbacks: readonly string[];
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
}
