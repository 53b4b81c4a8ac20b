import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { Analysis } from '../analysis.js';
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
  readonly analysis: Analysis;
}

/** The end of a chart that the one above gave up. */
export const STOPPED = 'stopped';

/** The name of an end: the part of the output that somebody can tell from another. */
export const endNamer =
  (nameOf: (output: unknown) => string) =>
  ({ output, status }: KernelStep): string => {
    if (status === 'error') return 'error';
    const { kind, output: inner } = output as EnvironmentOutcome;
    if (kind === 'ended') return nameOf(inner);
    return kind === 'stopped' ? STOPPED : 'crashed';
  };

/** The ends of an explored chart with the longest way to each. */
export const contractOf = (analysis: Analysis): Contract => {
  const { exploration, system } = analysis;
  const all = [...exploration.outputs].map(([node, outcome]) => {
    const name = exploration.graph.textOf(node).slice('end: '.length);
    const { output } = outcome as EnvironmentOutcome;
    return { name, output, cost: costTo(analysis, node), detail: detailOf(system.name, name) };
  });
  return {
    ends: all.filter(({ name }) => name !== STOPPED),
    stopped: all.find(({ name }) => name === STOPPED)?.cost ?? NOTHING,
    analysis,
  };
};

export const detailOf = (system: string, end: string): string => `${system} ⇒ ${end}`;

const costTo = ({ paths }: Analysis, node: number): Weights => {
  const cost: Record<Metric, number> = { ...NOTHING };
  for (const metric of METRICS) cost[metric] = paths.most(metric, [node])?.value ?? 0;
  return cost;
};
