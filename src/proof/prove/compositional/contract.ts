import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { Analysis } from '../analysis.js';
import { budgetedPaths } from '../budgeted-paths.js';
import type { CallProfile } from '../call-profile.js';
import { BUDGETED_METRICS, impossible, orNothing, profileOf } from '../call-profile.js';
import type { Metric, Weights } from '../metrics.js';
import { METRICS, NOTHING } from '../metrics.js';
import type { EnvironmentOutcome } from './environment.js';

/** One ending of a chart, and the maximum cost of reaching it. */
export interface ContractEnd {
  readonly name: string;
  readonly output: unknown;
  readonly cost: Weights;
  /** The name of the system and of the ending, to find the path. */
  readonly detail: string;
}

/** What the parent of a chart can rely on. */
export interface Contract {
  readonly ends: readonly ContractEnd[];
  /** The maximum cost when it is stopped in the middle. */
  readonly stopped: Weights;
  /** The same when its own call exceeds the budget; only with a budget. */
  readonly refused: Weights | undefined;
  /** The same when another call exceeds the budget: this chart may not have done anything yet. */
  readonly stoppedByRefusal: Weights | undefined;
  /** The same when the grace period ends: then a call is in flight, so the cost is not zero. */
  readonly cutOff: Weights | undefined;
  readonly analysis: Analysis;
}

/** The ending of a chart that its parent stopped. */
export const STOPPED = 'stopped';
/** The ending of a chart whose call exceeded the budget. */
const REFUSED = 'refused';
/** The ending of a chart that was still running when the grace period ended. */
const CUT_OFF = 'cut off';
const FROM_ABOVE: readonly string[] = [STOPPED, REFUSED, CUT_OFF];

/** The name of an ending: the part of the output that another chart can distinguish. */
export const endNamer =
  (nameOf: (output: unknown) => string) =>
  ({ output, status }: KernelStep): string => {
    if (status === 'error') return 'error';
    const { kind, output: inner } = output as EnvironmentOutcome;
    if (kind === 'ended') return nameOf(inner);
    return kind;
  };

/** A call that is refused because the budget is spent. */
export const OUT_OF_BUDGET = 'budget-exhausted';

/**
 * The endings of an explored chart with the longest path to each; with a budget also the amounts by number of calls.
 */
export const contractOf = (analysis: Analysis, callBudget: number | undefined): Contract => {
  const { exploration, system } = analysis;
  const profileTo = callBudget === undefined ? undefined : profiler(analysis, callBudget);
  const all = [...exploration.outputs].map(([node, outcome]) => {
    const name = exploration.graph.textOf(node).slice('end: '.length);
    const { output } = outcome as EnvironmentOutcome;
    const profile = profileTo?.(node, name);
    const cost = {
      ...costTo(analysis, node),
      ...(profile === undefined ? {} : { profile }),
    };
    return { name, output, cost, detail: detailOf(system.name, name) };
  });
  const costOf = (end: string): Weights | undefined => all.find(({ name }) => name === end)?.cost;
  const stopped = costOf(STOPPED) ?? NOTHING;
  return {
    ends: all.filter(({ name }) => !FROM_ABOVE.includes(name)),
    stopped,
    refused: costOf(REFUSED),
    stoppedByRefusal: orNothing(stopped),
    cutOff: costOf(CUT_OFF),
    analysis,
  };
};

export const detailOf = (system: string, end: string): string => `${system} ⇒ ${end}`;

const costTo = ({ paths }: Analysis, node: number): Weights => {
  const cost: Record<Metric, number> = { ...NOTHING };
  for (const metric of METRICS) cost[metric] = paths.most(metric, [node])?.value ?? 0;
  return cost;
};

/**
 * The cost of each ending under a call budget. A refused call ends the run, so it costs no more than being stopped,
 * which has its own ending.
 */
const profiler = (
  { exploration: { graph } }: Analysis,
  callBudget: number,
): ((node: number, name: string) => CallProfile) => {
  const paths = new Map(
    BUDGETED_METRICS.map((metric) => [metric, budgetedPaths(graph, metric, callBudget)]),
  );
  return (node, name) =>
    name === OUT_OF_BUDGET
      ? impossible(callBudget)
      : profileOf(callBudget, (metric) => paths.get(metric)?.fewestAt(node) ?? []);
};
