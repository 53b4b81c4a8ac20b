import * as z from 'zod/mini';

/* The words that charts, facts, records and reports share. */

export const runStatus = z.enum([
  'completed',
  'failed',
  'aborted',
  'timeExpired',
  'budgetExhausted',
]);

export type RunStatus = z.infer<typeof runStatus>;

/** How a run ends, and why. */
export interface Ending {
  readonly status: RunStatus;
  readonly reason: string;
}

/** What a plan, an agent or a policy may request, and a bound may refuse. */
export const refusable = z.enum(['replan', 'handOff', 'subplan', 'question', 'fix', 'vote']);

/** The bound at which a request is refused. */
export const bound = z.enum([
  'replan-limit',
  'repeated-plan',
  'no-planner',
  'unknown-agent',
  'depth-limit',
  'question-limit',
  'fix-limit',
  'vote-limit',
]);

export type Bound = z.infer<typeof bound>;

/** The phase of the orchestrator chart that people see. */
export const phase = z.enum([
  'planning',
  'reviewingPlan',
  'awaitingPlanApproval',
  'executing',
  'draining',
  'replanning',
  'paused',
  'awaitingLimitApproval',
  'verifying',
  'summarizing',
  'windingDown',
]);

/** The levels of the escalation ladder, mildest first. */
export const LEVELS = ['none', 'remind', 'correct', 'refocus', 'critical', 'abort'] as const;

export type Level = (typeof LEVELS)[number];

export const level = z.enum(LEVELS);
