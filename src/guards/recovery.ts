import type { Settings } from '../model/settings.js';

interface Takeovers {
  readonly settings: Settings;
  readonly takeovers: { readonly atProgress: number };
}

/**
 * The run was taken over more than `limits.maxRecoveries` times since a step was completed or a plan adopted. A run
 * that makes progress between takeovers may be taken over once per step and more.
 */
export const areRecoveriesUsedUp = (
  { takeovers, settings }: Takeovers,
  event: { readonly takeovers: number },
): boolean => event.takeovers - takeovers.atProgress > settings.policy.limits.maxRecoveries;
