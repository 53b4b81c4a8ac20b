import { chartsOf } from '../../orchestrator/charts.js';
import type { Settings } from '../../model/settings.js';
import type { Policy } from '../../model/policy.js';
import { proveComposed } from './compositional/prove-composed.js';
import { proveWholeRun } from './prove-whole-run.js';
import type { Proof, ProveOptions } from './prove.types.js';
import { provedSettings } from './settings.js';
import type { Charts } from './whole-run.js';

/**
 * Proves the promises of a policy, or finds a counterexample. Every answer of every agent, planner, supervisor, tester
 * and person, and every timer, is a choice; all of them are explored to the end.
 *
 * @example
 * const proof = prove(presets.boundedReplan(), { agents: ['coder', 'reviewer'] });
 * proof.maxima?.agentCalls.value; // the maximum number of calls on any path
 */
export const prove = (policy: Policy, options: ProveOptions): Proof =>
  proveCharts(chartsOf, policy, options);

/** Like `prove`, for other charts than ours: a proof that cannot fail proves nothing. */
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
