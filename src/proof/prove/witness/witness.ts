import type { KernelInput, KernelStep } from '../../../kernel/kernel.types.js';
import { costOf, frameAfter, textAfter } from '../explore.js';
import type { Edge, Graph } from '../graph.js';
import type { Weights } from '../metrics.js';
import { METRICS } from '../metrics.js';
import type { Frame, Move, System } from '../model.types.js';
import type { Way, WayMove, Witness } from '../prove.types.js';

/** A path through the graph of a system without children. */
export const witnessOf = (system: System, graph: Graph, edges: readonly number[]): Witness => {
  const way = wayOf(system, graph, edges);
  // An edge stands for many moves, of steps with other names.
  const sentences = edges.map(
    (edge, place) => way.moves[place]?.sentence ?? graph.edge(edge).label,
  );
  return { ...way, sentences, parts: {} };
};

/**
 * The moves of a path. Nodes stand for many states, so the path is walked again: at each state the move with the same
 * target and cost is taken. It exists because states with the same text have the same future.
 */
export const wayOf = (system: System, graph: Graph, edges: readonly number[]): Way => {
  let frame: Frame = { state: system.kernel.initialState, calls: new Map() };
  const moves: WayMove[] = [];
  for (const index of edges) {
    const possible = moves.length === 0 ? system.starts : system.moves(frame);
    const taken = moveAlong(system, graph, frame, possible, graph.edge(index));
    if (taken === undefined) break;
    moves.push(taken.told);
    frame = taken.next;
  }
  return { system: system.name, moves };
};

const moveAlong = (
  system: System,
  graph: Graph,
  frame: Frame,
  moves: readonly Move[],
  edge: Edge,
): { readonly told: WayMove; readonly next: Frame } | undefined => {
  // The move of the same name first: it is the most likely one.
  const likely = [...moves].sort(
    (left, right) => Number(right.label === edge.label) - Number(left.label === edge.label),
  );
  for (const move of likely) {
    if (move.kind !== edge.kind) continue;
    const step = system.kernel.step(frame.state, move.input);
    const next = frameAfter(frame, step);
    if (graph.nodeOf(textAfter(system, step, next)) !== edge.to) continue;
    if (!isSame(costOf(system, frame, move, step), edge.cost)) continue;
    return { told: told(move, stoppedParts(system, frame, step)), next };
  }
  return undefined;
};

/** The names of the paths of calls that a step stopped. */
const stoppedParts = (system: System, { state, calls }: Frame, { effects }: KernelStep): string[] =>
  effects.flatMap((effect) => {
    if (effect.kind !== 'stopCall') return [];
    const call = calls.get(effect.address);
    const isOld = state.calls.get(effect.address)?.generation === effect.generation;
    return call !== undefined && isOld ? (system.detailOfStopped?.(call) ?? []) : [];
  });

const isSame = (left: Weights, right: Weights): boolean =>
  METRICS.every((metric) => left[metric] === right[metric]);

const told = ({ label, kind, input, detail }: Move, stopped: readonly string[]): WayMove => {
  const parts = [...(detail === undefined ? [] : [detail]), ...stopped];
  const move = { sentence: label, kind, input: withoutSettings(input) };
  return parts.length === 0 ? move : { ...move, parts };
};

/** A replay has its own policy and team. */
const withoutSettings = (input: KernelInput): KernelInput => {
  if (input.kind !== 'started') return input;
  const given = Object.entries(input.input as object).filter(([key]) => key !== 'settings');
  return { kind: 'started', input: Object.fromEntries(given) };
};
