import { z } from 'zod';

import type { Usage } from '../model/usage.js';
import { usageSchema } from '../model/usage.js';

const text = z.string().max(20_000);

/** A supervisor's judgement. The score is judged by the policy's gates, never by the supervisor itself. */
export const verdictSchema = z.object({
  score: z.number().min(0).max(100),
  issues: z.array(text).max(100).default([]),
  feedback: text.default(''),
  usage: usageSchema.optional(),
});

/** A tester's result; a fix plan tells the agent what to change. */
export const testResultSchema = z.object({
  passed: z.boolean(),
  failures: z.array(text).max(1_000).default([]),
  fixPlan: z
    .object({ summary: text.default(''), steps: z.array(text).max(100).default([]) })
    .optional(),
  usage: usageSchema.optional(),
});

/** What a supervisor function returns. */
export interface Verdict {
  /** 0 to 100. */
  readonly score: number;
  readonly issues?: readonly string[];
  readonly feedback?: string;
  readonly usage?: Usage;
}

/** What a tester function returns. */
export interface TestResult {
  readonly passed: boolean;
  readonly failures?: readonly string[];
  readonly fixPlan?: { readonly summary?: string; readonly steps?: readonly string[] };
  readonly usage?: Usage;
}
