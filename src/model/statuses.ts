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
