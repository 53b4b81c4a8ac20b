import type { Policy, PolicyOverrides } from '../src/model/policy.js';
import type { ProveOptions } from '../src/proof/prove/prove.types.js';
import { defineAgent } from '../src/agents/agent.js';

/*
 * Every option of a policy and of a team that some guard reads, with the values to try. The first value is the
 * default. Options that no guard reads are left out: durations, sizes, and limits of prompts. A
 * new option does not compile until it is in one of the two lists.
 */

const fallback = defineAgent({
  name: 'worker',
  description: 'Works, or hands off',
  run: () => 'work',
  fallback: () => 'less',
});

type Section = 'limits' | 'time' | 'replan' | 'failure' | 'approval' | 'gates' | 'retry';

type Option =
  | { [Name in Section]: `${Name}.${keyof Policy[Name] & string}` }[Section]
  | 'escalation.issues'
  | 'breaker';

/** No guard reads these. */
type LeftOut =
  | 'limits.maxOutputBytes'
  | 'time.limitMs'
  | 'time.planningMs'
  | 'time.verificationMs'
  | 'approval.timeoutMs'
  | 'retry.backoffMs'
  | 'retry.maxBackoffMs';

const POLICY_KNOBS = {
  'limits.maxSteps': [1, 2],
  'limits.maxReplans': [0, 1, 2, 3],
  'limits.maxDepth': [0, 1, 2],
  'limits.maxAttempts': [1, 2],
  'limits.maxFixCycles': [0, 1, 2],
  'limits.maxParallel': [1, 2],
  'limits.maxVotes': [1, 2, 3],
  'limits.maxFailures': [null, 0, 1],
  'limits.maxAgentCalls': [null, 1, 2, 3, 4, 5, 6, 8],
  'limits.maxRecoveries': [5, 0],
  'limits.maxTokens': [null, 10],
  'limits.maxCostUsd': [null, 1],
  'time.stepShare': [false, true],
  'time.stepTimeoutMs': [60_000, null],
  'time.graceMs': [5_000, 0],
  'replan.maxByComplexity': [
    null,
    { simple: 0, medium: 0, complex: 0 },
    { simple: 0, medium: 0, complex: 1 },
  ],
  'replan.merge': ['replacePending', 'append', 'appendNext', 'replaceAll'],
  'replan.coalesce': ['batch', 'first', 'highestConfidence'],
  'replan.onLimit': ['continue', 'finish', 'fail', 'askHuman'],
  'replan.stopOnRepeatedPlan': [true, false],
  'failure.onStepFailure': ['replan', 'continue', 'stop'],
  'failure.onDependencyFailure': ['skip', 'run', 'stop'],
  'failure.onPlannerFailure': ['end', 'interrupt'],
  'approval.plan': [false, true],
  'approval.agents': [[], ['worker']],
  'approval.confidenceBelow': [null, 0, 0.5],
  'approval.autoApproveTrivial': [false, true],
  'approval.maxQuestions': [0, 1, 2, 3],
  'approval.onTimeout': ['reject', 'approve'],
  'approval.onReject': ['replan', 'skip', 'fail'],
  'gates.plan': [null, 0, 50],
  'gates.code': [null, 0, 50],
  'gates.step': [null, 0, 50],
  'gates.goal': [null, 0, 50],
  'escalation.issues': [
    { correct: 2, refocus: 3, critical: 4, abort: 5 },
    { correct: 1, refocus: 2, critical: 3, abort: 4 },
  ],
  'retry.attempts': [1, 2],
  'retry.fallback': [true, false],
  breaker: [null, { failures: 1, resetMs: 1_000 }, { failures: 2, resetMs: 1_000 }],
} as const satisfies Record<Exclude<Option, LeftOut>, readonly unknown[]>;

const TEAM_KNOBS = {
  planner: [true, false],
  supervisor: [undefined, false],
  tester: [false, true],
  summarizer: [false, true],
  agents: [['worker'], ['worker', 'other'], [fallback]],
} as const satisfies Record<string, readonly unknown[]>;

const KNOBS: Readonly<Record<string, readonly unknown[]>> = {
  ...POLICY_KNOBS,
  ...Object.fromEntries(
    Object.entries(TEAM_KNOBS).map(([name, values]) => [`team.${name}`, values]),
  ),
};

/** The varied options, with their values. */
export type Turned = Readonly<Record<string, number>>;

export interface Configuration {
  readonly policy: PolicyOverrides;
  readonly team: ProveOptions;
}

export const isKnob = (name: string): boolean => name in KNOBS;

/** Numbers from 0 up to 1 that depend on the seed alone: the states of a linear congruence. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Varies each option with the same probability, those in `always` every time; `random` returns numbers from 0 up to 1. */
export const turnedAtRandom = (
  random: () => number,
  probability: number,
  always: readonly string[],
): Turned =>
  Object.fromEntries(
    Object.entries(KNOBS).flatMap(([name, values]) =>
      random() < probability || always.includes(name)
        ? [[name, 1 + Math.floor(random() * (values.length - 1))]]
        : [],
    ),
  );

export const configurationOf = (turned: Turned): Configuration => {
  const sections: Record<string, Record<string, unknown>> = { team: { agents: ['worker'] } };
  const policy: Record<string, unknown> = {};
  for (const [knob, index] of Object.entries(turned)) {
    const value = KNOBS[knob]?.[index];
    const [section = '', option] = knob.split('.');
    if (option === undefined) policy[section] = value;
    else sections[section] = { ...sections[section], [option]: value };
  }
  const { team, ...others } = sections;
  return {
    policy: { ...policy, ...others },
    team: team as unknown as ProveOptions,
  };
};

/** The same with one varied option fewer, for every option. */
export const simplerThan = (turned: Turned): Turned[] =>
  Object.keys(turned).map((left) =>
    Object.fromEntries(Object.entries(turned).filter(([knob]) => knob !== left)),
  );
