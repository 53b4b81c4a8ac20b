import type { ChartNode, KernelState, KernelStep } from '../../../kernel/kernel.types.js';
import type { AgentCallContext } from '../../../machines/agent-call/chart.js';
import type { BreakerContext } from '../../../machines/breaker/chart.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { StepContext } from '../../../machines/step/context.js';
import { failureLimit } from '../../../guards/time-budgets.js';
import type { Noun } from '../counted.js';
import { counted } from '../counted.js';
import type { Frame, Violation } from '../model.types.js';

/*
 * Upper limits for every state. Every counter in a state is bounded here, so that a chart without a bound is refuted
 * instead of explored forever.
 */

const REPLANS: Noun = ['replan', 'replans'];

interface Bound {
  readonly noun: Noun;
  readonly value: number;
  readonly most: number;
}

export const boundViolations = ({ state }: Frame): Violation[] => {
  const violations: Violation[] = [];
  state.nodes.forEach((node, address) => {
    for (const { noun, value, most } of boundsOf(node)) {
      if (value <= most) continue;
      const message = `${address === '' ? 'The run' : address} has ${counted(value, noun)}, the policy allows ${most}`;
      violations.push({ rule: 'bound', message });
    }
  });
  return violations;
};

const boundsOf = ({ chart, snapshot }: ChartNode): Bound[] => {
  const context: unknown = snapshot.context;
  switch (chart) {
    case 'orchestrator':
      return planBounds(context as OrchestratorContext);
    case 'step':
      return stepBounds(context as StepContext);
    case 'agentCall':
      return callBounds(context as AgentCallContext);
    case 'breaker':
      return breakerBounds(context as BreakerContext);
    default:
      return [];
  }
};

const planBounds = (context: OrchestratorContext): Bound[] => {
  const { limits } = context.settings.policy;
  const { progress } = context;
  const recoveries = context.plannerCalls - context.replans;
  return [
    { noun: REPLANS, value: context.replans, most: replansAllowed(context) },
    { noun: REPLANS, value: context.maxReplans, most: limits.maxReplans },
    { noun: ['level', 'levels'], value: context.depth, most: limits.maxDepth },
    {
      noun: ['step at once', 'steps at once'],
      value: progress.counts.running,
      most: context.slots.length,
    },
    { noun: ['slot', 'slots'], value: context.slots.length, most: limits.maxParallel },
    // The first plan, and as many more as a person may request; hand-offs are replans without a call.
    { noun: ['first plan', 'first plans'], value: recoveries, most: 1 + limits.maxAttempts },
    {
      noun: ['failed step', 'failed steps'],
      value: progress.counts.failedSincePlan,
      // Steps that ran beside the last failure may fail, too.
      most: failureLimit(context.settings.policy, progress.steps.length) + limits.maxParallel,
    },
    {
      noun: ['agent call', 'agent calls'],
      value: context.spent.agentCalls,
      most: limits.maxAgentCalls ?? Number.POSITIVE_INFINITY,
    },
    {
      noun: ['issue in a row', 'issues in a row'],
      value: context.ladder.consecutiveIssues,
      most: context.settings.policy.escalation.issues.abort,
    },
    {
      noun: ['open question', 'open questions'],
      value: context.questions.length,
      // A sub-plan has one slot, and asks nothing itself while a step runs.
      most: context.depth > 0 ? 1 : 1 + limits.maxParallel,
    },
  ];
};

/** The first plan may set a bound below what was spent before it: see `replanViolations`. */
const replansAllowed = ({ revision, depth, maxReplans, settings }: OrchestratorContext): number =>
  revision >= 0 && depth === 0 ? settings.policy.limits.maxReplans : maxReplans;

/** No replan starts beyond the bound that the first plan has set. */
export const replanViolations = (before: Frame, { state }: KernelStep): Violation[] => {
  const was = planAt(before.state);
  const is = planAt(state);
  if (is === undefined || is.revision < 0 || is.replans <= (was?.replans ?? 0)) return [];
  const { replans, maxReplans } = is;
  if (replans <= maxReplans) return [];
  return [
    {
      rule: 'bound',
      message: `The run has ${counted(replans, REPLANS)}, the policy allows ${maxReplans}`,
    },
  ];
};

const planAt = ({ nodes }: KernelState): OrchestratorContext | undefined => {
  const root = nodes.get('');
  return root?.chart === 'orchestrator'
    ? (root.snapshot.context as OrchestratorContext)
    : undefined;
};

const stepBounds = (context: StepContext): Bound[] => {
  const { limits, approval } = context.settings.policy;
  return [
    { noun: ['attempt', 'attempts'], value: context.attempt, most: limits.maxAttempts },
    { noun: ['fix cycle', 'fix cycles'], value: context.fixCycles, most: limits.maxFixCycles },
    { noun: ['question', 'questions'], value: context.agentQuestions, most: approval.maxQuestions },
    { noun: ['vote', 'votes'], value: context.ballots.length, most: context.votes?.count ?? 0 },
    {
      noun: ['vote asked for', 'votes asked for'],
      value: context.votes?.count ?? 1,
      most: limits.maxVotes,
    },
    {
      noun: ['ms more than its time', 'ms more than its time'],
      value: -context.remainingMs,
      most: 0,
    },
  ];
};

const callBounds = ({ tries, retry }: AgentCallContext): Bound[] => [
  { noun: ['try', 'tries'], value: tries, most: retry.attempts },
];

const breakerBounds = ({ failures, failureLimit: most }: BreakerContext): Bound[] => [
  { noun: ['failure in a row', 'failures in a row'], value: failures, most },
];
