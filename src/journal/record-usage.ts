import type { Usage } from '../model/usage.js';
import type { RunUsage } from './record.js';

/** As the schema of facts gives it: what was left out may also be there as undefined. */
export type LooseUsage = { readonly [Name in keyof Usage]: Usage[Name] | undefined };

export const NO_USAGE: RunUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, costUsd: 0 });

export const sumOfUsage = (total: RunUsage, usage: LooseUsage): RunUsage => ({
  inputTokens: total.inputTokens + (usage.inputTokens ?? 0),
  outputTokens: total.outputTokens + (usage.outputTokens ?? 0),
  costUsd: total.costUsd + (usage.costUsd ?? 0),
});
