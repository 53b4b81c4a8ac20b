import type { Settings, Team } from '../../src/model/settings.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { definePolicy } from '../../src/policy/policy.js';

const SMALL_TEAM: Team = {
  agents: ['coder', 'reviewer'],
  fallbacks: [],
  hasPlanner: true,
  hasSupervisor: false,
  hasTester: false,
  hasSummarizer: false,
};

/** A policy with small bounds: a bound of 1 shows the same behaviour as one of 10. */
export const settingsOf = (policy: PolicyOverrides = {}, team: Partial<Team> = {}): Settings => ({
  policy: definePolicy({
    ...policy,
    limits: { maxReplans: 1, maxAttempts: 2, maxFixCycles: 1, maxDepth: 0, ...policy.limits },
    approval: { maxQuestions: 1, timeoutMs: 300, ...policy.approval },
    time: { limitMs: 1_000, graceMs: 50, stepTimeoutMs: 100, ...policy.time },
    retry: { attempts: 2, backoffMs: 10, ...policy.retry },
  }),
  team: { ...SMALL_TEAM, ...team },
});
