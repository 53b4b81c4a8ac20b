import type { ChartRunner } from './chart-runner.js';
import { savedSnapshot } from './chart-runner.js';
import { inertSelf } from './inert.js';
import type { ChartNode, Kernel, KernelState, SavedNode, SavedState } from './kernel.types.js';

type Constants = Readonly<Record<string, unknown>>;

/** A state as plain JSON: charts, calls and timers in their order. */
export const savedState = (
  { constants }: Pick<Kernel, 'constants'>,
  state: KernelState,
): SavedState => ({
  nodes: [...state.nodes].map(([address, node]) => savedNode(address, node, constants)),
  calls: [...state.calls].map(([address, call]) => ({ address, ...call })),
  timers: [...state.timers].map(([timer, node]) => ({ timer, ...node })),
  generation: state.generation,
  steps: state.steps,
});

const savedNode = (address: string, node: ChartNode, constants: Constants): SavedNode => {
  const { value, nodes, context, children } = savedSnapshot(node.snapshot);
  const own: Record<string, unknown> = {};
  const shared: string[] = [];
  for (const [name, member] of Object.entries(context) as [string, unknown][]) {
    if (Object.hasOwn(constants, name) && constants[name] === member) shared.push(name);
    else own[name] = member;
  }
  const { chart, id, parent } = node;
  return {
    address,
    chart,
    id,
    ...(parent === undefined ? {} : { parent }),
    value,
    nodes,
    context: own,
    children,
    constants: shared,
  };
};

/**
 * The state that was saved: the same events have the same consequences. Throws when the charts have changed. Parents
 * precede their children, as they were created.
 */
export const restoredState = (
  { runners, constants }: Pick<Kernel, 'runners' | 'constants'>,
  saved: SavedState,
): KernelState => {
  const nodes = new Map<string, ChartNode>();
  for (const node of saved.nodes) {
    nodes.set(node.address, restoredNode(node, nodes, runners, constants));
  }
  return {
    nodes,
    calls: new Map(saved.calls.map(({ address, ...call }) => [address, call])),
    timers: new Map(saved.timers.map(({ timer, ...node }) => [timer, node])),
    generation: saved.generation,
    steps: saved.steps,
  };
};

const restoredNode = (
  saved: SavedNode,
  nodes: ReadonlyMap<string, ChartNode>,
  runners: ReadonlyMap<string, ChartRunner>,
  constants: Constants,
): ChartNode => {
  const { chart, id, parent } = saved;
  const runner = runners.get(chart);
  if (runner === undefined) throw new Error(`There is no chart '${chart}'`);
  const context: Record<string, unknown> = { ...saved.context };
  for (const name of saved.constants) context[name] = constants[name];
  const parentSelf = parent === undefined ? undefined : nodes.get(parent)?.self;
  const snapshot = runner.restore({ ...saved, context });
  return { chart, id, parent, snapshot, self: inertSelf(id, parentSelf) };
};
