import * as z from 'zod/mini';

import type { Usage } from '../model/usage.js';
import { usageSchema } from '../model/usage.js';

const text = z.string().check(z.maxLength(20_000));

const texts = (most: number) => z._default(z.array(text).check(z.maxLength(most)), []);

/** A supervisor's judgement. The score is judged by the policy's gates, never by the supervisor itself. */
export const verdictSchema = z.object({
  score: z.number().check(z.minimum(0), z.maximum(100)),
  issues: texts(100),
  feedback: z._default(text, ''),
  usage: z.optional(usageSchema),
});

/** A tester's result; a fix plan tells the agent what to change. */
export const testResultSchema = z.object({
  passed: z.boolean(),
  failures: texts(1_000),
  fixPlan: z.optional(z.object({ summary: z._default(text, ''), steps: texts(100) })),
  usage: z.optional(usageSchema),
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
