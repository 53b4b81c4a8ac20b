import { checkRanking } from './check-ranking.js';
import type { Exploration, ExploreOptions } from './explore.js';
import { explore } from './explore.js';
import type { Edge, Graph } from './graph.js';
import type { LongestPaths } from './longest-path.js';
import { longestPaths } from './longest-path.js';
import type { System } from './model.types.js';
import type { Explored, Rule } from './prove.types.js';
import { rankingOf } from './ranking.js';
import { unfold } from './unfold.js';

/** A refuted system: the path to the violation and, for a loop, the loop. */
export interface Refutation {
  readonly rule: Rule;
  readonly message: string;
  readonly edges: readonly number[];
}

export interface Analysis {
  readonly system: System;
  readonly exploration: Exploration;
  readonly paths: LongestPaths;
  readonly explored: Explored;
  readonly refutation: Refutation | undefined;
}

/** Explores a system, checks its rules, and proves that it terminates. */
export const analyse = (system: System, options: ExploreOptions = {}): Analysis => {
  const folded = explore(system, options);
  const exploration = system.standInsFor === undefined ? folded : unfold(folded);
  const { graph } = exploration;
  const { ranks } = rankingOf(graph);
  const paths = longestPaths(graph);
  const verdict = checkRanking(ranks, edgesOf(graph));
  const explored: Explored = {
    system: system.name,
    nodes: folded.graph.size,
    edges: folded.graph.edgeCount,
    highestRank: ranks.reduce((highest, rank) => Math.max(highest, rank), 0),
  };
  const refutation =
    unsafe(exploration) ?? unbounded(graph, paths) ?? endless(graph, verdict.culprit);
  return { system, exploration, paths, explored, refutation };
};

function* edgesOf(graph: Graph): Iterable<Edge> {
  for (let edge = 0; edge < graph.edgeCount; edge += 1) yield graph.edge(edge);
}

const unsafe = ({ graph, refutation }: Exploration): Refutation | undefined => {
  if (refutation === undefined) return undefined;
  const { node, edge, violation } = refutation;
  const edges =
    edge === undefined ? graph.wayTo(node) : [...graph.wayTo(graph.edge(edge).from), edge];
  return { ...violation, edges };
};

const unbounded = (graph: Graph, { unbounded: found }: LongestPaths): Refutation | undefined => {
  if (found === undefined) return undefined;
  const edge = graph.edge(found.edge);
  return {
    rule: 'finite cost',
    message: `There is no bound on ${found.metric}: "${edge.label}" can happen again and again`,
    edges: [
      ...graph.wayTo(edge.from),
      found.edge,
      ...wayBack(graph, edge.to, edge.from, () => true),
    ],
  };
};

const endless = (
  graph: Graph,
  culprit: { readonly from: number; readonly to: number } | undefined,
): Refutation | undefined => {
  if (culprit === undefined) return undefined;
  const isUnprompted = (edge: number): boolean => !graph.isKind(edge, 'nudge');
  const [first, end] = graph.edgesOf(culprit.from);
  const index = Array.from({ length: end - first }, (_, offset) => first + offset).find(
    (edge) => graph.target(edge) === culprit.to && isUnprompted(edge),
  );
  const circle =
    index === undefined ? [] : [index, ...wayBack(graph, culprit.to, culprit.from, isUnprompted)];
  return {
    rule: 'termination',
    message: 'The run can loop forever without a command',
    edges: [...graph.wayTo(culprit.from), ...circle],
  };
};

/** A shortest path from one node to another. */
const wayBack = (
  graph: Graph,
  from: number,
  to: number,
  isFollowed: (edge: number) => boolean,
): number[] => {
  const cameBy = new Map<number, number>([[from, -1]]);
  const queue = [from];
  for (const node of queue) {
    if (node === to) break;
    const [first, end] = graph.edgesOf(node);
    for (let edge = first; edge < end; edge += 1) {
      const next = graph.target(edge);
      if (cameBy.has(next) || !isFollowed(edge)) continue;
      cameBy.set(next, edge);
      queue.push(next);
    }
  }
  const way: number[] = [];
  for (let edge = cameBy.get(to) ?? -1; edge >= 0; edge = cameBy.get(graph.edge(edge).from) ?? -1) {
    way.push(edge);
  }
  return way.reverse();
};
