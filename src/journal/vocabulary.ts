import { z } from 'zod';

/* The words that facts, records and reports share. */

export const runStatus = z.enum([
  'completed',
  'failed',
  'aborted',
  'timeExpired',
  'budgetExhausted',
]);

/** What the orchestrator chart is about; a state of it that a person should know of. */
export const phase = z.enum([
  'planning',
  'reviewingPlan',
  'awaitingPlanApproval',
  'executing',
  'draining',
  'replanning',
  'interrupted',
  'awaitingLimitDecision',
  'verifying',
  'summarizing',
  'windingDown',
]);

/** The rungs of the ladder, from the lowest to the highest. */
export const level = z.enum(['none', 'remind', 'correct', 'refocus', 'critical', 'abort']);
