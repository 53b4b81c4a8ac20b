import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { Analysis } from '../analysis.js';
import { budgetedPaths } from '../budgeted-paths.js';
import type { CallProfile } from '../call-profile.js';
import { BUDGETED_METRICS, impossible, orNothing, profileOf } from '../call-profile.js';
import type { Metric, Weights } from '../metrics.js';
import { METRICS, NOTHING } from '../metrics.js';
import type { EnvironmentOutcome } from './environment.js';

/** One way a chart can end, and the most it can cost to end like that. */
export interface ContractEnd {
  readonly name: string;
  readonly output: unknown;
  readonly cost: Weights;
  /** Where to read how: the name of the system and of the end. */
  readonly detail: string;
}

/** What whoever starts a chart can rely on. */
export interface Contract {
  readonly ends: readonly ContractEnd[];
  /** The most that it can cost when it is stopped in the middle. */
  readonly stopped: Weights;
  /** The same when a call of its own is the one too many; only with a budget. */
  readonly refused: Weights | undefined;
  /** The same when the call of another is: it may not have done anything yet. */
  readonly stoppedByRefusal: Weights | undefined;
  /** The same when the grace period ends: then a call is out, so it is not for nothing. */
  readonly cutOff: Weights | undefined;
  readonly analysis: Analysis;
}

/** The end of a chart that the one above gave up. */
export const STOPPED = 'stopped';
/** The end of one that asked for a call when none was left. */
const REFUSED = 'refused';
/** The end of one that was still at work when the grace period was over. */
const CUT_OFF = 'cut off';
const FROM_ABOVE: readonly string[] = [STOPPED, REFUSED, CUT_OFF];

/** The name of an end: the part of the output that somebody can tell from another. */
export const endNamer =
  (nameOf: (output: unknown) => string) =>
  ({ output, status }: KernelStep): string => {
    if (status === 'error') return 'error';
    const { kind, output: inner } = output as EnvironmentOutcome;
    if (kind === 'ended') return nameOf(inner);
    return kind;
  };

/** A call that is refused because the budget is used up. */
export const OUT_OF_BUDGET = 'budget-exhausted';

/**
 * The ends of an explored chart with the longest way to each; with a budget also what of it can be had with how many
 * calls.
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
 * What each end costs under a budget of calls. A call that is refused ends the run: nothing more comes of it than of
 * being stopped, which is an end of its own.
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
