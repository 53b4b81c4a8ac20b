import type { CallRequest } from '../model/calls.js';
import type { AgentCallInput } from './agent-call/chart.js';
import type { Settings } from '../model/settings.js';

/** A request with the agentCall chart's settings for retries, time and permits. */
export const callSettings = (
  { policy, team }: Settings,
  request: CallRequest,
  isWindingDown = false,
): AgentCallInput => ({
  request,
  isWindingDown,
  pauseLimitMs: policy.time.limitMs,
  retry: policy.retry,
  // Without its own limit a call ends with its step or phase, which have limits.
  timeoutMs: policy.time.stepTimeoutMs ?? policy.time.limitMs,
  needsPermit: needsPermit(policy),
  hasFallback:
    policy.retry.fallback && request.role === 'worker' && team.fallbacks.includes(request.agent),
  gateScore: request.role === 'supervisor' ? policy.gates[request.subject] : null,
});

const needsPermit = ({ breaker, limits }: Settings['policy']): boolean =>
  breaker !== null ||
  limits.maxAgentCalls !== null ||
  limits.maxTokens !== null ||
  limits.maxCostUsd !== null;
