import type { ProposedPlan } from './plan.js';
import type { Issue } from '../errors.js';
import type { Route } from './commands.js';

/** A proposed plan under review. */
export interface Proposal {
  readonly plan: ProposedPlan | null;
  readonly issues: readonly Issue[];
  readonly origin: 'planner' | 'given';
}

export interface OpenQuestion {
  readonly requestId: string;
  readonly stepId: string | null;
  /** The text that a person reads. */
  readonly question: string;
  readonly route: Route;
}
