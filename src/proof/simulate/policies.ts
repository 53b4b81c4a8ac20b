import type { Preset } from '../../policy/presets.js';
import { presets } from '../../policy/presets.js';
import type { Policy, PolicyOverrides } from '../../model/policy.js';
import type { FaultKind } from './fault-kinds.js';
import { Random } from './random.js';

/** A policy with a matching team. */
export interface Setting {
  readonly policy: Policy;
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
}

/** The number of settings per pace: few enough that each is built once and reused. */
export const SETTING_COUNTS: Readonly<Record<Pace, number>> = { usual: 36, short: 12, endless: 12 };

/**
 * One of the settings of simulated worlds: every preset in turn, with random overrides. Timeouts longer than any
 * platform timer, and early limits, are separate settings, for worlds with those faults.
 */
export const settingOf = (number: number, pace: Pace): Setting => {
  const names = Object.keys(presets) as (keyof typeof presets)[];
  const name = names[number % names.length] ?? 'dynamic';
  const random = new Random(`setting ${number} ${pace}`);
  const make: Preset = presets[name];
  const hasPlanner = random.chance(0.9);
  const hasSupervisor = name === 'supervised' || random.chance(0.3);
  const { limits, ...others } = overridesOf(random, pace, { hasPlanner, hasSupervisor });
  // Worlds crash one to three times: in some settings that is too often.
  const maxRecoveries = number % STRICT_EVERY === 0 ? 1 : 5;
  return {
    policy: make({ ...others, limits: { ...limits, maxRecoveries } }),
    hasPlanner,
    hasSupervisor,
    hasTester: random.chance(0.3),
    hasSummarizer: random.chance(0.5),
  };
};

const STRICT_EVERY = 5;

/** How the time of a world is measured. */
export type Pace = 'usual' | 'short' | 'endless';

export const paceOf = (kinds: ReadonlySet<FaultKind>): Pace => {
  if (kinds.has('time-short')) return 'short';
  return kinds.has('time-endless') ? 'endless' : 'usual';
};

const overridesOf = (
  random: Random,
  pace: Pace,
  team: { readonly hasPlanner: boolean; readonly hasSupervisor: boolean },
): PolicyOverrides => ({
  limits: limitsOf(random),
  time: timeOf(random, pace),
  replan: {
    merge: random.pick(['replacePending', 'append', 'appendNext', 'replaceAll', undefined]),
    coalesce: random.pick(['batch', 'first', 'highestConfidence']),
    onLimit: random.pick(['continue', 'finish', 'fail', 'askHuman', undefined]),
    stopOnRepeatedPlan: random.chance(0.6),
  },
  failure: {
    onStepFailure: random.pick(['replan', 'continue', 'stop', undefined]),
    onDependencyFailure: random.pick(['skip', 'run', 'stop', undefined]),
    onPlannerFailure: random.pick(['end', 'interrupt', undefined]),
  },
  approval: approvalOf(random),
  gates: team.hasSupervisor ? gatesOf(random) : { plan: null, code: null, step: null, goal: null },
  retry: {
    attempts: random.integer(1, 3),
    backoffMs: random.pick([0, 100, 1_000]),
    maxBackoffMs: random.pick([500, 5_000]),
    fallback: random.chance(0.7),
  },
  breaker: random.chance(0.3)
    ? { failures: random.integer(1, 3), resetMs: random.pick([1, 300, 2_000]) }
    : null,
});

const limitsOf = (random: Random): PolicyOverrides['limits'] => ({
  maxReplans: random.integer(0, 3),
  maxDepth: random.pick([0, 1, 1, 2]),
  maxAttempts: random.integer(1, 3),
  maxFixCycles: random.integer(0, 2),
  maxParallel: random.integer(1, 4),
  maxSteps: random.integer(3, 8),
  maxVotes: random.pick([1, 2, 3]),
  maxFailures: random.pick([null, null, 0, 1, 5]),
  maxAgentCalls: random.pick([null, null, 8, 20]),
  maxTokens: random.pick([null, null, 500]),
  maxCostUsd: random.pick([null, null, 1]),
  maxOutputBytes: random.pick([1_024, 2_048]),
});

const timeOf = (random: Random, pace: Pace): PolicyOverrides['time'] => {
  const stepShare = random.chance(0.3);
  const graceMs = random.pick([0, 1, 1_000, 1_000]);
  if (pace === 'endless') {
    const stepTimeoutMs = random.pick([2 ** 31, 2 ** 31 + 1_000]);
    return { limitMs: 2 ** 33, stepTimeoutMs, stepShare: false, graceMs };
  }
  const limitMs = random.pick(pace === 'short' ? [1, 50, 2_000, 6_000] : [60_000, 600_000]);
  const stepTimeoutMs = random.pick([400, 2_000, 2_000, 10_000, null]);
  return { limitMs, stepTimeoutMs, stepShare, graceMs };
};

const approvalOf = (random: Random): PolicyOverrides['approval'] => ({
  plan: random.chance(0.2),
  agents: random.chance(0.4) ? [random.pick(['architect', 'reviewer'], 'architect')] : [],
  confidenceBelow: random.pick([null, null, 0.5]),
  autoApproveTrivial: random.chance(0.4),
  timeoutMs: random.pick([1_000, 5_000]),
  onTimeout: random.pick(['reject', 'approve']),
  maxQuestions: random.integer(0, 3),
  onReject: random.pick(['replan', 'skip', 'fail']),
});

const gatesOf = (random: Random): PolicyOverrides['gates'] => ({
  plan: random.pick([null, 70, undefined]),
  code: random.pick([null, 60, undefined]),
  step: random.pick([null, 70, undefined]),
  goal: random.pick([null, 80, undefined]),
});
