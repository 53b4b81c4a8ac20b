import { chartsOf } from '../../orchestrator/charts.js';
import type { Settings } from '../../model/settings.js';
import type { Policy } from '../../model/policy.js';
import { proveComposed } from './compositional/prove-composed.js';
import { proveWholeRun } from './prove-whole-run.js';
import type { Proof, ProveOptions } from './prove.types.js';
import { provedSettings } from './settings.js';
import type { Charts } from './whole-run.js';

/**
 * Proves what a policy promises, or shows how it is broken. Every answer of every agent, planner, supervisor, tester and
 * person, and every timer, is a choice; all of them are followed to the end.
 *
 * @example
 * const proof = prove(presets.boundedReplan(), { agents: ['coder', 'reviewer'] });
 * proof.maxima?.agentCalls.value; // the most calls, whatever anybody answers
 */
export const prove = (policy: Policy, options: ProveOptions): Proof =>
  proveCharts(chartsOf, policy, options);

/** As `prove`, for other charts than ours: a proof that could not fail would prove nothing. */
export const proveCharts = (
  chartsFor: (settings: Settings) => Charts,
  policy: Policy,
  options: ProveOptions,
): Proof => {
  const settings = provedSettings(policy, options);
  return options.method === 'wholeRun'
    ? proveWholeRun(chartsFor(settings), settings, options)
    : proveComposed(chartsFor, settings, options);
};
