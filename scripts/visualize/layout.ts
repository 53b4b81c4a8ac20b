// Places the boxes of a chart and routes the wires between them, by ELK's layered algorithm, from top to bottom.
import type { ElkNode, ElkPoint, ElkExtendedEdge } from 'elkjs/lib/elk.bundled.js';
import elkModule from 'elkjs/lib/elk.bundled.js';

import type { Card } from './card.js';
import type { ChartState } from './chart.js';
import { graphOf } from './graph.js';
import type { Rooms } from './head-space.js';
import { hasRoom, roomIn } from './head-space.js';

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Outer boxes before inner ones. */
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

export interface Box extends BoxContent {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where the card begins in the box. */
  readonly cardLeft: number;
}

export interface BoxContent {
  readonly id: string;
  readonly kind: ChartState['kind'] | 'anywhere' | 'initial';
  readonly isRegion: boolean;
  readonly card: Card | undefined;
  /** The picture of its inside. */
  readonly href?: string | undefined;
}

/** A wire from one box to another. Wires to the same state end in the same point, where ELK can do it. */
export interface Wire {
  readonly sourceId: string;
  readonly targetId: string;
  readonly points: readonly Point[];
}

export type Point = Readonly<ElkPoint>;

/** The free space for the head of a box is known only after a layout, and changes the next layout. */
const LAYOUTS_MAX = 3;

export const layoutOf = async (chart: ChartState): Promise<Layout> => {
  let layout = await laidOut(chart, new Map());
  for (let count = 1; count < LAYOUTS_MAX; count += 1) {
    const { boxes, wires } = layout;
    if (boxes.filter(isNest).every((box) => hasRoom(box, wires))) break;
    const rooms = boxes.filter(isNest).map((box) => {
      const { id, cardLeft, width } = box;
      const kept = { left: cardLeft, width: width - cardLeft };
      return [id, hasRoom(box, wires) ? kept : roomIn(box, wires)] as const;
    });
    layout = await laidOut(chart, new Map(rooms));
  }
  return layout;
};

/** Whether it has inner boxes. */
export const isNest = ({ kind }: BoxContent): boolean =>
  kind === 'machine' || kind === 'compound' || kind === 'parallel';

const laidOut = async (chart: ChartState, rooms: Rooms): Promise<Layout> => {
  const { node, contents, links } = graphOf(chart, rooms);
  const elk = new elkModule.default();
  const placed: ElkNode = await elk.layout(node);
  return {
    width: placed.width ?? 0,
    height: placed.height ?? 0,
    boxes: nodesIn(placed).flatMap((box) => {
      const content = contents.get(box.id);
      const { x = 0, y = 0, width = 0, height = 0 } = box;
      const cardLeft = rooms.get(box.id)?.left ?? 0;
      return content === undefined ? [] : [{ ...content, x, y, width, height, cardLeft }];
    }),
    wires: edgesIn(placed).flatMap(({ id, sections = [] }) => {
      const link = links.get(id);
      if (link === undefined) return [];
      return sections.map(({ startPoint, bendPoints = [], endPoint }) => ({
        ...link,
        points: [startPoint, ...bendPoints, endPoint],
      }));
    }),
  };
};

const nodesIn = (node: ElkNode): ElkNode[] =>
  (node.children ?? []).flatMap((child) => [child, ...nodesIn(child)]);

const edgesIn = (node: ElkNode): ElkExtendedEdge[] =>
  [node, ...nodesIn(node)].flatMap(({ edges = [] }) => edges);
