import * as z from 'zod/mini';

/** The version of a run: its charts and policy, each by its fingerprint, and the names of the agents. */
export const runVersion = z.object({
  chartFingerprint: z.string(),
  policyFingerprint: z.string(),
  agents: z.array(z.string()),
});

export type RunVersion = z.infer<typeof runVersion>;

/** Sent before anything else when a stored run is resumed with other charts, another policy or another team. */
export interface RunUpgraded {
  readonly type: 'run.upgraded';
  readonly from: RunVersion;
  readonly to: RunVersion;
}
