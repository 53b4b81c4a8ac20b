import type { EventObject } from 'xstate';

import type { FactBody } from '../../model/facts.js';
import type { CallProfile } from './call-profile.js';
import { profileOfSum } from './call-profile.js';

/** The metrics of a proof. The names are those of `orchestrator.bounds()`. */
export const METRICS = [
  'plannerCalls',
  'agentCalls',
  'replans',
  'steps',
  'depth',
  'approvals',
  'wallTimeMs',
] as const;

export type Metric = (typeof METRICS)[number];

/** A cost in each metric. */
export interface Weights extends Readonly<Record<Metric, number>> {
  /** The reachable amounts by number of calls, where calls are bounded and not all maxima can be reached at once. */
  readonly profile?: CallProfile;
}

export const NOTHING: Weights = Object.freeze({
  plannerCalls: 0,
  agentCalls: 0,
  replans: 0,
  steps: 0,
  depth: 0,
  approvals: 0,
  wallTimeMs: 0,
});

export const isNothing = (cost: Weights): boolean =>
  cost.profile === undefined && METRICS.every((metric) => cost[metric] === 0);

/** Depths do not add up; every other metric does. */
export const together = (metric: Metric, left: number, right: number): number =>
  metric === 'depth' ? Math.max(left, right) : left + right;

export const sumOf = (left: Weights, right: Weights): Weights =>
  combined(left, right, (metric) => together(metric, left[metric], right[metric]));

const combined = (left: Weights, right: Weights, valueOf: (metric: Metric) => number): Weights => {
  if (right === NOTHING) return left;
  if (left === NOTHING) return right;
  const result: Record<Metric, number> = { ...NOTHING };
  for (const metric of METRICS) result[metric] = valueOf(metric);
  const profile = profileOfSum(left, right);
  return profile === undefined ? result : { ...result, profile };
};

/** The cost of one kernel step, by its facts. */
export const weightsOf = (emitted: readonly EventObject[]): Weights => {
  let weights: Record<Metric, number> | undefined;
  for (const event of emitted) {
    const metric = metricOf(event as unknown as FactBody);
    if (metric === undefined) continue;
    weights ??= { ...NOTHING };
    if (metric === 'depth') {
      weights.depth = Math.max(
        weights.depth,
        (event as unknown as FactBody<'subplan.started'>).depth,
      );
    } else {
      weights[metric] += 1;
    }
  }
  return weights ?? NOTHING;
};

const METRIC_OF_FACT: Partial<Record<FactBody['type'], Metric>> = {
  'agent.called': 'agentCalls',
  'replan.started': 'replans',
  'step.started': 'steps',
  'approval.requested': 'approvals',
  'subplan.started': 'depth',
};

const metricOf = (fact: FactBody): Metric | undefined => {
  if (fact.type === 'phase.entered') {
    return fact.phase === 'planning' || fact.phase === 'replanning' ? 'plannerCalls' : undefined;
  }
  // A hand-off changes the plan without the planner and spends a replan.
  if (fact.type === 'plan.proposed') return fact.origin === 'handOff' ? 'replans' : undefined;
  return METRIC_OF_FACT[fact.type];
};
