import { counted } from '../proof/prove/counted.js';
import type { Noun } from '../proof/prove/counted.js';
import type { Metric } from '../proof/prove/metrics.js';
import { durationText } from './duration.js';

/** The nouns of the metrics; time has its own units. */
const NOUNS: Readonly<Record<Exclude<Metric, 'wallTimeMs'>, Noun>> = {
  plannerCalls: ['planner call', 'planner calls'],
  agentCalls: ['agent call', 'agent calls'],
  replans: ['replan', 'replans'],
  steps: ['step started', 'steps started'],
  depth: ['level of sub-plans', 'levels of sub-plans'],
  approvals: ['approval', 'approvals'],
};

/** The name of a row in a table. */
export const metricName = (metric: Metric): string =>
  metric === 'wallTimeMs' ? 'time in ms' : NOUNS[metric][1];

/** `1 step started`, `111 agent calls`, `2 h 5 min`. */
export const amountText = (
  metric: Metric,
  value: number,
  textOf: (value: number) => string = String,
): string =>
  metric === 'wallTimeMs' ? durationText(value) : counted(value, NOUNS[metric], textOf(value));
