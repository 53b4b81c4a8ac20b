import type { Settings } from '../model/settings.js';

interface Takeovers {
  readonly settings: Settings;
  readonly takeovers: { readonly atProgress: number };
}

/**
 * The run has died with too many processes in a row: it was taken over more often than the policy bears since a step was
 * completed or a plan adopted. A run that comes on between its deaths may die as often as it has steps.
 */
export const areRecoveriesUsedUp = (
  { takeovers, settings }: Takeovers,
  event: { readonly takeovers: number },
): boolean => event.takeovers - takeovers.atProgress > settings.policy.limits.maxRecoveries;
