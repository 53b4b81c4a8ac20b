import { performCall, performUncut } from '../actors/perform-call.js';
import { lazyRedaction, safely } from '../actors/redaction.js';
import type { Callable, Perform } from '../actors/team.types.js';
import type { Agent } from '../agents/agent.js';
import { hasSecrets } from '../agents/secret.js';
import { fingerprint, stableStringify } from '../canonical-json.js';
import { chartFingerprint } from './chart-fingerprint.js';
import { createKernel } from '../kernel/kernel.js';
import { chartsOf } from './charts.js';
import type { Settings } from '../model/settings.js';
import { givenProposal } from '../plan/given-plan.js';
import type { Policy } from '../policy/policy.js';
import type { Engine, StartInputOfChart } from '../run/engine.js';
import { startOf } from '../run/engine.js';
import type { OrchestratorOptions } from './create-orchestrator.js';
import { once } from './once.js';

/** One set for all orchestrators of a process: creating and tracing charts is most of an orchestrator's cost. */
const sharedCharts = once(() => chartsOf());

/** Computed once: charts do not change, and every run needs it. */
const sharedFingerprint = once(() => chartFingerprint(sharedCharts()));

/** The engine of runs under one policy. */
export const engineOf = (
  options: OrchestratorOptions<readonly Agent[]>,
  policy: Policy,
  runnerOf: Parameters<typeof createKernel>[1],
): Engine => {
  const team = callableOf(options, policy);
  const settings = settingsOf(options, policy);
  const charts = { root: 'orchestrator', machines: sharedCharts(), constants: { settings } };
  return {
    kernel: createKernel(charts, runnerOf),
    perform: performOf(options, team),
    startInput: ({ plan, ...given }) => {
      const start = startOf(given) as StartInputOfChart;
      return plan === undefined ? start : { ...start, proposal: givenProposal(settings, plan) };
    },
    mayRepeat: ({ request }) =>
      request.role !== 'worker' || team.agents.get(request.agent)?.idempotent !== false,
    policyFingerprint: fingerprint(stableStringify(policy as never)),
    chartFingerprint: sharedFingerprint,
    team,
  };
};

/** Redaction reads every answer, so it runs only when it is configured. */
const performOf = (options: OrchestratorOptions<readonly Agent[]>, team: Callable): Perform => {
  const isNeeded =
    options.redact !== undefined ||
    options.agents.some((agent) => agent.redact !== undefined || hasSecrets(agent.output));
  if (!isNeeded) return (input, surroundings) => performCall(team, input, surroundings);
  const perform: Perform = (input, surroundings) => performUncut(team, input, surroundings);
  return lazyRedaction(perform, team.agents, team.redactText, team.maxOutputBytes);
};

export const settingsOf = (
  options: OrchestratorOptions<readonly Agent[]>,
  policy: Policy,
): Settings => ({
  policy,
  team: {
    agents: options.agents.map((agent) => agent.name),
    fallbacks: options.agents
      .filter((agent) => agent.fallback !== undefined)
      .map((agent) => agent.name),
    ...ownLimits(options.agents),
    hasPlanner: options.planner !== undefined,
    hasSupervisor: options.supervisor !== undefined,
    hasTester: options.tester !== undefined,
    hasSummarizer: options.summarizer !== undefined,
  },
});

/** Left out when no agent has limits: the settings are part of every proof and replay. */
const ownLimits = (agents: readonly Agent[]): Pick<Settings['team'], 'limits'> => {
  const limits = agents
    .filter(({ timeoutMs, retry }) => timeoutMs !== undefined || retry !== undefined)
    .map(({ name, timeoutMs, retry }) => [name, { timeoutMs, retry }] as const);
  return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) };
};

const callableOf = (options: OrchestratorOptions<readonly Agent[]>, policy: Policy): Callable => ({
  agents: new Map(options.agents.map((agent) => [agent.name, agent])),
  planner: options.planner,
  supervisor: options.supervisor,
  tester: options.tester,
  summarizer: options.summarizer,
  dispatcher: options.dispatcher ?? ((agent, call) => agent.run(call)),
  maxOutputBytes: policy.limits.maxOutputBytes,
  maxSteps: policy.limits.maxSteps,
  maxVotes: policy.limits.maxVotes,
  thresholds: policy.gates,
  redactText: options.redact && safely(options.redact),
});
