// Finds free space for the head of a box: wires to inner states may enter from above.
import type { Box, Point, Wire } from './layout.js';

/** A stretch of a box's width, from its left border. */
export interface Room {
  readonly left: number;
  readonly width: number;
}

export type Rooms = ReadonlyMap<string, Room>;

/** Whether the head is inside its box, and no wire crosses it. */
export const hasRoom = (box: Box, wires: readonly Wire[]): boolean => {
  const { card, cardLeft, width } = box;
  if (card === undefined) return true;
  const right = cardLeft + card.width;
  return right <= width && crossings(box, wires).every((x) => x <= cardLeft || x >= right);
};

/** The widest stretch that no wire crosses. */
export const roomIn = (box: Box, wires: readonly Wire[]): Room => {
  const borders = [0, ...crossings(box, wires), box.width];
  const stretches = borders
    .slice(1)
    .map((right, index) => ({ left: borders[index] ?? 0, right }))
    .map(({ left, right }) => ({ left, width: right - left }));
  return stretches.reduce((widest, room) => (room.width > widest.width ? room : widest));
};

/** How far from the left border wires go down through the head, in order. */
const crossings = ({ x, y, width, card }: Box, wires: readonly Wire[]): number[] => {
  const bottom = y + (card?.height ?? 0);
  return wires
    .flatMap(({ points }) => segmentsOf(points))
    .filter(([from, to]) => Math.min(from.y, to.y) < bottom && Math.max(from.y, to.y) > y)
    .flatMap(([from, to]) => [from.x - x, to.x - x])
    .filter((left) => left > 0 && left < width)
    .sort((one, other) => one - other);
};

const segmentsOf = (points: readonly Point[]): [from: Point, to: Point][] =>
  points.slice(1).flatMap((to, index): [Point, Point][] => {
    const from = points[index];
    return from === undefined ? [] : [[from, to]];
  });
