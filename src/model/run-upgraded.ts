import * as z from 'zod/mini';

/** What decides how a run goes on: the charts and the policy, each by its fingerprint, and the names of the agents. */
export const runVersion = z.object({
  chartFingerprint: z.string(),
  policyFingerprint: z.string(),
  agents: z.array(z.string()),
});

export type RunVersion = z.infer<typeof runVersion>;

/** Told before anything else when a stored run goes on under other charts, another policy or with another team. */
export interface RunUpgraded {
  readonly type: 'run.upgraded';
  readonly from: RunVersion;
  readonly to: RunVersion;
}
