import * as z from 'zod/mini';

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
}

export const usageSchema = z.object({
  inputTokens: z.optional(z.int().check(z.minimum(0))),
  outputTokens: z.optional(z.int().check(z.minimum(0))),
  costUsd: z.optional(z.number().check(z.minimum(0))),
});
