import type { CallRequest } from '../model/calls.js';
import type { AgentCallInput } from './agent-call/chart.js';
import type { AgentLimits, Settings } from '../model/settings.js';

/** A request with the agentCall chart's settings for retries, time and permits. */
export const callSettings = (
  { policy, team }: Settings,
  request: CallRequest,
  isWindingDown = false,
): AgentCallInput => {
  const isWorker = request.role === 'worker';
  const own = isWorker ? limitsOf(team, request.agent) : NO_LIMITS;
  return {
    request,
    isWindingDown,
    pauseLimitMs: policy.time.limitMs,
    retry: own.retry === undefined ? policy.retry : { ...policy.retry, ...own.retry },
    // Without its own limit a call ends with its step or phase, which have limits.
    timeoutMs: own.timeoutMs ?? policy.time.stepTimeoutMs ?? policy.time.limitMs,
    needsPermit: needsPermit(policy),
    hasFallback: policy.retry.fallback && isWorker && team.fallbacks.includes(request.agent),
    gateScore: request.role === 'supervisor' ? policy.gates[request.subject] : null,
  };
};

const NO_LIMITS: AgentLimits = {};

/** A plan may name any agent, also `constructor`. */
const limitsOf = ({ limits }: Settings['team'], agent: string): AgentLimits =>
  limits !== undefined && Object.hasOwn(limits, agent) ? (limits[agent] ?? NO_LIMITS) : NO_LIMITS;

const needsPermit = ({ breaker, limits }: Settings['policy']): boolean =>
  breaker !== null ||
  limits.maxAgentCalls !== null ||
  limits.maxTokens !== null ||
  limits.maxCostUsd !== null;
