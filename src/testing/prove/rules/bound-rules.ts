import type { ChartNode, KernelState, KernelStep } from '../../../kernel/kernel.types.js';
import type { AgentCallContext } from '../../../machines/agent-call.js';
import type { BreakerContext } from '../../../machines/breaker.js';
import type { OrchestratorContext } from '../../../machines/orchestrator.types.js';
import type { StepContext } from '../../../machines/step.types.js';
import { failureLimit } from '../../../policy/time.js';
import type { Frame, Violation } from '../model.types.js';

/*
 * What no state may exceed. Every counter that is part of a state is bounded here, so a chart that lost a bound is
 * refuted instead of explored for ever.
 */

interface Bound {
  readonly name: string;
  readonly value: number;
  readonly most: number;
}

export const boundViolations = ({ state }: Frame): Violation[] => {
  const violations: Violation[] = [];
  state.nodes.forEach((node, address) => {
    for (const { name, value, most } of boundsOf(node)) {
      if (value <= most) continue;
      const message = `${address === '' ? 'The run' : address} has ${value} ${name}, the policy allows ${most}`;
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
    { name: 'replans', value: context.replans, most: replansAllowed(context) },
    { name: 'replans', value: context.maxReplans, most: limits.maxReplans },
    { name: 'levels', value: context.depth, most: limits.maxDepth },
    { name: 'steps at once', value: progress.counts.running, most: context.slots.length },
    { name: 'slots', value: context.slots.length, most: limits.maxParallel },
    // The first plan, and as often again as a person may ask for it; hand-offs are replans without a call.
    { name: 'first plans', value: recoveries, most: 1 + limits.maxAttempts },
    {
      name: 'failed steps',
      value: progress.counts.failedSincePlan,
      // Those that ran beside the failure too many may fail, too.
      most: failureLimit(context.settings.policy, progress.steps.length) + limits.maxParallel,
    },
    {
      name: 'agent calls',
      value: context.spent.agentCalls,
      most: limits.maxAgentCalls ?? Number.POSITIVE_INFINITY,
    },
    {
      name: 'issues in a row',
      value: context.ladder.consecutiveIssues,
      most: context.settings.policy.escalation.issues.abort,
    },
    {
      name: 'open questions',
      value: context.questions.length,
      // A sub-plan has one slot, and asks nothing itself while a step runs.
      most: context.depth > 0 ? 1 : 1 + limits.maxParallel,
    },
  ];
};

/** The first plan may set a tighter bound than what was spent before there was one: see `replanViolations`. */
const replansAllowed = ({ revision, depth, maxReplans, settings }: OrchestratorContext): number =>
  revision >= 0 && depth === 0 ? settings.policy.limits.maxReplans : maxReplans;

/** No replan is begun beyond the bound that the first plan has set. */
export const replanViolations = (before: Frame, { state }: KernelStep): Violation[] => {
  const was = planAt(before.state);
  const is = planAt(state);
  if (is === undefined || is.revision < 0 || is.replans <= (was?.replans ?? 0)) return [];
  const { replans, maxReplans } = is;
  if (replans <= maxReplans) return [];
  return [
    {
      rule: 'bound',
      message: `The run has ${replans} replans, the policy allows ${maxReplans}`,
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
    { name: 'attempts', value: context.attempt, most: limits.maxAttempts },
    { name: 'fix cycles', value: context.fixCycles, most: limits.maxFixCycles },
    { name: 'questions', value: context.agentQuestions, most: approval.maxQuestions },
    { name: 'votes', value: context.ballots.length, most: context.votes?.count ?? 0 },
    { name: 'votes asked for', value: context.votes?.count ?? 1, most: limits.maxVotes },
    { name: 'time left', value: -context.remainingMs, most: 0 },
  ];
};

const callBounds = ({ tries, retry }: AgentCallContext): Bound[] => [
  { name: 'tries', value: tries, most: retry.attempts },
];

const breakerBounds = ({ failures, failureLimit: most }: BreakerContext): Bound[] => [
  { name: 'failures in a row', value: failures, most },
];
