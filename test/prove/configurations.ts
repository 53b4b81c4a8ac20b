import { definePolicy } from '../../src/policy/policy.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import type { ProveOptions } from '../../src/proof/prove/prove.types.js';

/** The smallest value of every option. */
export const LEAST = {
  limits: {
    maxSteps: 1,
    maxReplans: 0,
    maxDepth: 0,
    maxAttempts: 1,
    maxFixCycles: 0,
    maxParallel: 1,
  },
  retry: { attempts: 1 },
  approval: { maxQuestions: 0 },
} as const satisfies PolicyOverrides;

/** The smallest policy, and what a test adds to it. */
export const small = (overrides: PolicyOverrides = {}): Policy =>
  definePolicy({
    ...LEAST,
    ...overrides,
    limits: { ...LEAST.limits, ...overrides.limits },
    retry: { ...LEAST.retry, ...overrides.retry },
    approval: { ...LEAST.approval, ...overrides.approval },
  });

export const TEAM = { agents: ['worker'] } as const satisfies ProveOptions;

export interface Configuration {
  readonly name: string;
  readonly policy: PolicyOverrides;
  readonly team?: Partial<ProveOptions>;
}

/** Every option that changes a bound, set by itself and together with the options it interacts with. */
export const CONFIGURATIONS: readonly Configuration[] = [
  { name: 'nothing', policy: {} },
  { name: 'a replan', policy: { limits: { maxReplans: 1 } } },
  { name: 'a plan of two at once', policy: { limits: { maxSteps: 2, maxParallel: 2 } } },
  { name: 'tries', policy: { retry: { attempts: 2 }, limits: { maxReplans: 1 } } },
  {
    name: 'attempts and questions',
    policy: { limits: { maxAttempts: 2 }, approval: { maxQuestions: 1 } },
  },
  {
    name: 'fixes, questions and the code gate',
    policy: {
      limits: { maxFixCycles: 1, maxAttempts: 2 },
      approval: { maxQuestions: 1 },
      gates: { code: 50 },
    },
    team: { tester: true },
  },
  { name: 'votes', policy: { limits: { maxVotes: 2 }, approval: { maxQuestions: 1 } } },
  {
    name: 'all gates, and a summary that one step does not need',
    policy: { gates: { plan: 50, code: 50, step: 50, goal: 50 } },
    team: { summarizer: true, tester: true },
  },
  {
    name: 'a summary of two',
    policy: { limits: { maxReplans: 1 } },
    team: { summarizer: true },
  },
  {
    name: 'replans by requests only, which end the step early',
    policy: {
      limits: { maxReplans: 1 },
      gates: { step: 50 },
      failure: { onStepFailure: 'continue' },
    },
  },
  {
    name: 'replans by requests only, the last of which comes with a fix',
    policy: {
      limits: { maxReplans: 1, maxFixCycles: 1 },
      gates: { code: 50 },
      approval: { maxQuestions: 1 },
      failure: { onStepFailure: 'continue' },
    },
    team: { tester: true },
  },
  {
    name: 'no planner: a step with votes hands off, then one without',
    policy: {
      limits: { maxReplans: 2, maxFixCycles: 1, maxVotes: 2 },
      gates: { code: 50 },
      approval: { maxQuestions: 1 },
    },
    team: { tester: true, planner: false },
  },
  {
    name: 'no planner: agents hand off',
    policy: { limits: { maxReplans: 1 }, gates: { step: 50 } },
    team: { planner: false },
  },
  {
    name: 'no planner: approval of hand-offs',
    policy: { limits: { maxReplans: 1 }, approval: { confidenceBelow: 0.5 } },
    team: { planner: false },
  },
  { name: 'a sub-plan', policy: { limits: { maxDepth: 1 } } },
  {
    name: 'a sub-plan with tests, each tried twice',
    policy: { limits: { maxDepth: 1 }, retry: { attempts: 2 } },
    team: { tester: true },
  },
  {
    name: 'plans that people read',
    policy: { limits: { maxReplans: 1 }, approval: { plan: true, onReject: 'replan' } },
  },
  {
    name: 'a person at the limit, plans that replace',
    policy: { limits: { maxReplans: 1 }, replan: { onLimit: 'askHuman' } },
  },
  {
    name: 'a person at the limit, plans that add up',
    policy: { limits: { maxReplans: 1 }, replan: { onLimit: 'askHuman', merge: 'append' } },
  },
  {
    name: 'a planner that is asked again',
    policy: { failure: { onPlannerFailure: 'interrupt' }, approval: { plan: true } },
  },
  {
    name: 'a plan that starts over',
    policy: { limits: { maxReplans: 1 }, replan: { merge: 'replaceAll' } },
  },
  {
    name: 'no planner: no confidence is below 0',
    policy: { limits: { maxReplans: 1 }, approval: { confidenceBelow: 0 } },
    team: { planner: false },
  },
  {
    name: 'a first plan that leaves no replan',
    policy: {
      limits: { maxReplans: 1 },
      replan: { maxByComplexity: { simple: 0, medium: 0, complex: 0 } },
    },
  },
  {
    name: 'one call: a question or another plan, and one more that is refused',
    policy: { limits: { maxReplans: 2, maxAgentCalls: 1 }, approval: { maxQuestions: 1 } },
  },
  {
    name: 'few calls: each of another plan takes two',
    policy: {
      limits: { maxReplans: 2, maxAgentCalls: 3 },
      approval: { onReject: 'skip' },
      failure: { onStepFailure: 'continue' },
    },
  },
  {
    name: 'few calls: a sub-plan with a question, which is closed at every level when it is answered',
    policy: { limits: { maxDepth: 1, maxAgentCalls: 3 }, approval: { maxQuestions: 1 } },
  },
  {
    name: 'plans of two that add up: later steps wait for earlier ones',
    policy: { limits: { maxSteps: 2, maxReplans: 1 }, replan: { merge: 'append' } },
  },
  {
    name: 'two replans in front of what waits',
    policy: { limits: { maxReplans: 2 }, replan: { merge: 'appendNext' } },
  },
  {
    name: 'a dependency that fails ends the run',
    policy: { limits: { maxSteps: 2 }, failure: { onDependencyFailure: 'stop' } },
  },
  {
    name: 'one failure is too many',
    policy: {
      limits: { maxSteps: 2, maxReplans: 1, maxFailures: 0 },
      failure: { onStepFailure: 'continue' },
    },
  },
  {
    name: 'one call, which reviews the plan: no call is in flight in the grace period',
    policy: { limits: { maxAgentCalls: 1 }, gates: { plan: 50 } },
  },
  {
    name: 'no more calls than it takes to open the breaker: it refuses none',
    policy: {
      limits: { maxReplans: 2, maxAgentCalls: 1 },
      approval: { onReject: 'skip' },
      breaker: { failures: 1, resetMs: 1_000 },
    },
  },
  {
    name: 'calls that a breaker refuses are paid for like those that open it',
    policy: {
      limits: { maxReplans: 2, maxAgentCalls: 3 },
      approval: { onReject: 'skip' },
      breaker: { failures: 1, resetMs: 1_000 },
    },
  },
  {
    name: 'few calls: a question closes a breaker, and a step that another plan comes of opens it again',
    policy: {
      limits: { maxReplans: 2, maxAgentCalls: 6 },
      approval: { maxQuestions: 1, onReject: 'skip' },
      failure: { onStepFailure: 'replan' },
      breaker: { failures: 1, resetMs: 1_000 },
    },
  },
  {
    name: 'one call, and a replan that is left: no replan request is refused',
    policy: {
      limits: { maxReplans: 1, maxAgentCalls: 1 },
      replan: { onLimit: 'askHuman' },
      approval: { onReject: 'skip' },
    },
  },
];
