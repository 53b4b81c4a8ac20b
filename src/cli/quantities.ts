import { counted } from '../testing/prove/counted.js';
import type { Noun } from '../testing/prove/counted.js';
import type { Metric } from '../testing/prove/metrics.js';
import { durationText } from './duration.js';

/** What a proof finds the most of, as people say it; time is told in units of its own. */
const NOUNS: Readonly<Record<Exclude<Metric, 'wallTimeMs'>, Noun>> = {
  plannerCalls: ['call of the planner', 'calls of the planner'],
  agentCalls: ['call of anybody', 'calls of anybody'],
  replans: ['replan', 'replans'],
  steps: ['step started', 'steps started'],
  depth: ['level of sub-plans', 'levels of sub-plans'],
  approvals: ['question to people', 'questions to people'],
};

/** The name of a row in a table. */
export const metricName = (metric: Metric): string =>
  metric === 'wallTimeMs' ? 'time in ms' : NOUNS[metric][1];

/** `1 step started`, `111 calls of anybody`, `2 h 5 min`. */
export const amountText = (
  metric: Metric,
  value: number,
  textOf: (value: number) => string = String,
): string =>
  metric === 'wallTimeMs' ? durationText(value) : counted(value, NOUNS[metric], textOf(value));
