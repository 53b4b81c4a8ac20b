import type { KernelInput } from '../../kernel/kernel.types.js';
import { frameAfter } from './explore.js';
import type { Graph } from './graph.js';
import type { Frame, Move, System } from './model.types.js';
import type { Witness } from './prove.types.js';

/** A way through the graph as it can be told and replayed. */
export const witnessOf = (system: System, graph: Graph, edges: readonly number[]): Witness => ({
  sentences: edges.map((edge) => graph.edge(edge).label),
  inputs: inputsOf(system, graph, edges),
});

/**
 * The inputs that take a run along a way. Nodes stand for many states, so the way is walked anew: at each state the move
 * is taken that leads on, which is there because states that look alike have the same future.
 */
const inputsOf = (system: System, graph: Graph, edges: readonly number[]): KernelInput[] => {
  let frame: Frame = { state: system.kernel.initialState, calls: new Map() };
  const inputs: KernelInput[] = [];
  for (const index of edges) {
    const moves = inputs.length === 0 ? system.starts : system.moves(frame);
    const taken = moveAlong(system, graph, frame, moves, index);
    if (taken === undefined) break;
    inputs.push(taken.move.input);
    frame = taken.next;
  }
  return inputs;
};

const moveAlong = (
  system: System,
  graph: Graph,
  frame: Frame,
  moves: readonly Move[],
  index: number,
): { move: Move; next: Frame } | undefined => {
  const edge = graph.edge(index);
  // The move of the same name first: it is most likely the one.
  const likely = [...moves].sort(
    (left, right) => Number(right.label === edge.label) - Number(left.label === edge.label),
  );
  for (const move of likely) {
    const step = system.kernel.step(frame.state, move.input);
    const next = frameAfter(frame, step);
    const text = step.status === 'active' ? system.textOf(next) : `end: ${system.endOf(step)}`;
    if (graph.nodeOf(text) === edge.to && move.kind === edge.kind) return { move, next };
  }
  return undefined;
};
