import { z } from 'zod';

/** What decides how a run goes on: the charts and the policy, each by its fingerprint. */
export const runVersion = z.object({
  chartFingerprint: z.string(),
  policyFingerprint: z.string(),
});

export type RunVersion = Readonly<z.infer<typeof runVersion>>;

/** Told before anything else when a stored run goes on under other charts or another policy than before. */
export interface RunUpgraded {
  readonly type: 'run.upgraded';
  readonly from: RunVersion;
  readonly to: RunVersion;
}
