// A chart as a graph for ELK: nesting, sizes and links.
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk.bundled.js';

import { anywhereCard, headerCard, stateCard } from './card.js';
import type { ChartState, Choice } from './chart.js';
import { allStates } from './chart.js';
import type { BoxContent } from './layout.js';
import type { Rooms } from './head-space.js';

export interface Graph {
  readonly node: ElkNode;
  /** The card of a node, by its id. */
  readonly contents: ReadonlyMap<string, BoxContent>;
  /** The ends of an edge, by its id. Other edges only keep boxes in their places. */
  readonly links: ReadonlyMap<string, Link>;
}

export interface Link {
  readonly sourceId: string;
  readonly targetId: string;
}

const DOWN = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '10',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.thoroughness': '40',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
};

/** A fan of many wires out of one box is easier to read beside it. */
const SIDEWAYS = {
  ...DOWN,
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.spacing.nodeNode': '16',
};
const FAN_WIRES_MIN = 4;

/** `rooms` is the free space for the heads of boxes in earlier layouts. */
export const graphOf = (chart: ChartState, rooms: Rooms): Graph => {
  const states = allStates(chart);
  const nests = new Set(states.filter(hasChildren).map(({ id }) => id));
  const contents = new Map<string, BoxContent>();
  const links = new Map<string, Link>();

  const cardNode = (state: ChartState, side: 'NORTH' | 'WEST'): ElkNode => {
    const card = stateCard(state);
    contents.set(state.id, {
      id: state.id,
      kind: state.kind,
      isRegion: state.isRegion,
      card,
      href: state.href,
    });
    return {
      id: state.id,
      width: card.width,
      height: card.height,
      ports: [
        { id: entryId(state.id), width: 0, height: 0, layoutOptions: { 'elk.port.side': side } },
      ],
      layoutOptions: { 'elk.portConstraints': 'FIXED_SIDE' },
    };
  };
  const nestNode = (state: ChartState): ElkNode => {
    const card = headerCard(state, rooms.get(state.id)?.width);
    contents.set(state.id, { id: state.id, kind: state.kind, isRegion: state.isRegion, card });
    const isFan = isFanOut(state);
    const side = isFan ? 'WEST' : 'NORTH';
    return {
      id: state.id,
      children: [
        ...initialNode(state),
        ...withClosedAside(state, (child) =>
          hasChildren(child) ? nestNode(child) : cardNode(child, side),
        ),
        ...anywhereNode(state),
      ],
      edges: isFan ? innerEdges(state) : [],
      layoutOptions: {
        ...(isFan ? SIDEWAYS : DOWN),
        'elk.padding': `[top=${card.height + 14},left=24,bottom=24,right=24]`,
      },
    };
  };
  const initialNode = (state: ChartState): ElkNode[] => {
    if (state.initialId === undefined) return [];
    const id = initialMarkId(state);
    contents.set(id, { id, kind: 'initial', isRegion: false, card: undefined });
    return [{ id, width: 14, height: 14 }];
  };
  const anywhereNode = (state: ChartState): ElkNode[] => {
    if (state.innerChoices.length === 0) return [];
    const id = anywhereId(state);
    const card = anywhereCard(state);
    contents.set(id, { id, kind: 'anywhere', isRegion: false, card });
    const layoutOptions = { 'elk.layered.layering.layerConstraint': 'FIRST' };
    return [{ id, width: card.width, height: card.height, layoutOptions }];
  };

  const edgesTo = (sourceId: string, targetIds: readonly string[]): ElkExtendedEdge[] =>
    targetIds.map((targetId) => {
      const id = `${sourceId} ${targetId}`;
      links.set(id, { sourceId, targetId });
      return {
        id,
        sources: [sourceId],
        targets: [nests.has(targetId) ? targetId : entryId(targetId)],
      };
    });
  /** From the marks in a box: its initial state, and transitions from every state in it. */
  const innerEdges = (state: ChartState): ElkExtendedEdge[] => [
    ...edgesTo(initialMarkId(state), state.initialId === undefined ? [] : [state.initialId]),
    ...edgesTo(anywhereId(state), targetsOf(state.innerChoices)),
  ];

  const inFan = new Set(states.filter(isFanOut).flatMap(allStates));
  const node: ElkNode = {
    id: 'picture',
    children: [nestNode(chart)],
    edges: states.flatMap((state) => [
      ...(inFan.has(state) ? [] : innerEdges(state)),
      ...edgesTo(state.id, targetsOf(state.choices)),
    ]),
    layoutOptions: { ...DOWN, 'elk.padding': '[top=0,left=0,bottom=0,right=0]' },
  };
  return { node, contents, links };
};

const hasChildren = ({ children }: ChartState): boolean => children.length > 0;

const entryId = (id: string): string => `${id}/entry`;
const initialMarkId = ({ id }: ChartState): string => `${id}/initial`;
const anywhereId = ({ id }: ChartState): string => `${id}/anywhere`;

/** Several transitions between the same two states are one edge. */
const targetsOf = (choices: readonly Choice[]): string[] => [
  ...new Set(
    choices.filter(({ isElsewhere }) => isElsewhere !== true).map(({ targetId }) => targetId),
  ),
];

/** Only wires from everywhere to its own states. */
const isFanOut = (state: ChartState): boolean =>
  targetsOf(state.innerChoices).length >= FAN_WIRES_MIN &&
  state.children.every((child) => child.choices.length === 0 && !hasChildren(child));

/** Regions without a way out are placed below each other, beside the other regions. */
const withClosedAside = (state: ChartState, nodeOf: (child: ChartState) => ElkNode): ElkNode[] => {
  const closed = state.kind === 'parallel' ? state.children.filter(isClosed) : [];
  if (closed.length < 2) return state.children.map(nodeOf);
  return [
    ...state.children.filter((child) => !closed.includes(child)).map(nodeOf),
    {
      id: `${state.id}/aside`,
      children: closed.map(nodeOf),
      edges: closed.slice(1).map((region, index) => ({
        id: `stack ${region.id}`,
        sources: [closed[index]?.id ?? region.id],
        targets: [region.id],
      })),
      layoutOptions: {
        ...DOWN,
        'elk.alignment': 'TOP',
        'elk.padding': '[top=0,left=0,bottom=0,right=0]',
      },
    },
  ];
};

const isClosed = (state: ChartState): boolean => {
  const inside = new Set(allStates(state).map(({ id }) => id));
  return allStates(state).every(({ choices }) => targetsOf(choices).every((id) => inside.has(id)));
};
