// The picture of a chart as SVG, without scripts, fonts and external files.
import type { AnyStateMachine } from 'xstate';

import type { Card, PlacedText } from './card.js';
import type { ChartState } from './chart.js';
import { allStates, chartOf, overviewOf, phaseChart, phasesOf, withPhasesClosed } from './chart.js';
import type { Box, Layout, Point } from './layout.js';
import { isNest, layoutOf } from './layout.js';
import { legendOf } from './legend.js';
import { drawBadge, drawInitial, drawOutline, escaped, group, round } from './symbols.js';
import { stylesheet, WIRE_COLOURS } from './theme.js';

const MARGIN = 16;
const CORNER = 8;
const HEAD_LENGTH = 9;

export const pictureOf = (machine: AnyStateMachine): Promise<string> => drawn(chartOf(machine));

/** The overview: small enough to read as a whole. */
export const overviewPictureOf = (machine: AnyStateMachine): Promise<string> =>
  drawn(overviewOf(chartOf(machine)));

/** The chart with its phases as boxes, each of which opens its own picture. */
export const phasesPictureOf = (
  machine: AnyStateMachine,
  hrefOf: (phase: string) => string,
): Promise<string> => drawn(overviewOf(withPhasesClosed(chartOf(machine), hrefOf)));

/** The pictures of the phases, by their names. */
export const phasePicturesOf = async (
  machine: AnyStateMachine,
): Promise<readonly (readonly [name: string, svg: string])[]> =>
  Promise.all(
    phasesOf(chartOf(machine)).map(
      async (phase) => [phase.name, await drawn(phaseChart(phase))] as const,
    ),
  );

const drawn = async (chart: ChartState): Promise<string> => {
  const layout = await layoutOf(chart);
  const colours = coloursOf(chart);
  const legend = legendOf(chart, layout.width, layout.height + MARGIN);
  const width = layout.width + 2 * MARGIN;
  const height = layout.height + legend.height + 3 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby="title desc" width="${round(width)}" height="${round(height)}" viewBox="${-MARGIN} ${-MARGIN} ${round(width)} ${round(height)}">`,
    `<title id="title">Statechart ${escaped(chart.name)}</title>`,
    `<desc id="desc">${escaped(describe(chart))}</desc>`,
    `<style>\n${stylesheet()}\n</style>`,
    `<rect class="canvas" x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%"/>`,
    ...layout.boxes.filter(isNest).map(drawFrame),
    ...drawWires(layout, colours),
    ...layout.boxes.map((box) => (isNest(box) ? drawHeader(box, colours) : drawBox(box, colours))),
    legend.svg,
    '</svg>',
    '',
  ].join('\n');
};

const describe = (chart: ChartState): string => {
  const names = allStates(chart)
    .slice(1)
    .map(({ name }) => name);
  return `${chart.description} States: ${names.join(', ')}.`;
};

// ---- Boxes ------------------------------------------------------------------------------------

/** Boxes with inner boxes are drawn below the wires, their texts above. */
const drawFrame = ({ id, x, y, width, height, isRegion }: Box): string =>
  `<rect class="box nest frame${isRegion ? ' region' : ''}" ${stateMark(id)} x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="10"/>`;

const drawHeader = ({ id, x, y, card, cardLeft }: Box, colours: Colours): string =>
  group(
    x + cardLeft,
    y,
    'header',
    card === undefined ? [] : drawCard(card, card.width, colours),
    stateMark(id),
  );

/** The state of a shape, so that the page of a proof can mark it. */
const stateMark = (id: string): string => `data-state="${escaped(id)}"`;

const drawBox = (box: Box, colours: Colours): string => {
  const { id, x, y, width, height, kind, card } = box;
  if (card === undefined) return drawInitial(x + width / 2, y + height / 2, width / 2);
  const content = [...drawOutline(kind, width, height), ...drawCard(card, width, colours)];
  const svg = group(x, y, 'state', content, stateMark(id));
  return box.href === undefined ? svg : `<a href="${escaped(box.href)}">${svg}</a>`;
};

const drawCard = ({ rules, badges, texts }: Card, width: number, colours: Colours): string[] => [
  ...rules.map(
    (y) => `<line class="rule" x1="1" y1="${round(y)}" x2="${round(width - 1)}" y2="${round(y)}"/>`,
  ),
  ...badges.map(drawBadge),
  ...texts.map((text) => drawText(text, colours)),
];

/** With its length, so that another font cannot make it leave its box. */
const drawText = ({ text, style, x, y, width, targetId }: PlacedText, colours: Colours): string => {
  const wire = targetId === undefined ? '' : ` ${wireClass(targetId, colours)}`;
  return `<text class="${style}${wire}" x="${round(x)}" y="${round(y)}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
};

// ---- Wires ------------------------------------------------------------------------------------

/** The number of its colour, by the state that a wire leads to. */
type Colours = ReadonlyMap<string, number>;

/** Only states that are reached from several states need a colour. */
const coloursOf = (chart: ChartState): Colours => {
  const arrows = allStates(chart).flatMap(({ id, choices, innerChoices }) =>
    [...choices, ...innerChoices].map(({ targetId }) => ({ id, targetId })),
  );
  const targets = [...new Set(arrows.map(({ targetId }) => targetId))];
  const shared = targets.filter((target) => {
    const sources = arrows.filter(({ id, targetId }) => targetId === target && id !== target);
    return new Set(sources.map(({ id }) => id)).size > 1;
  });
  return new Map(shared.map((id, index) => [id, index % WIRE_COLOURS]));
};

const wireClass = (targetId: string, colours: Colours): string => {
  const colour = colours.get(targetId);
  return colour === undefined ? 'wire' : `wire wire-${colour}`;
};

const drawWires = ({ wires }: Layout, colours: Colours): string[] => {
  const targets = [...new Set(wires.map(({ targetId }) => targetId))];
  return targets.map((target) => {
    const group = wires.filter(({ targetId }) => targetId === target);
    const paths = group.map(({ points }) => roundedPath(points));
    return [
      `<g class="wires ${wireClass(target, colours)}" data-target="${escaped(target)}">`,
      ...paths.map((path) => `<path class="halo" d="${path}"/>`),
      ...paths.map(
        (path, index) =>
          `<path class="line" data-source="${escaped(group[index]?.sourceId ?? '')}" d="${path}"/>`,
      ),
      ...new Set(group.map(({ points }) => drawHead(points))),
      '</g>',
    ].join('\n');
  });
};

const drawHead = (points: readonly Point[]): string => {
  const [from, tip] = points.slice(-2);
  if (from === undefined || tip === undefined) return '';
  const [dx, dy] = [Math.sign(tip.x - from.x), Math.sign(tip.y - from.y)];
  const corner = (side: number): string => {
    const [x, y] = [tip.x - dx * HEAD_LENGTH, tip.y - dy * HEAD_LENGTH];
    return `${round(x + dy * side)} ${round(y + dx * side)}`;
  };
  return `<path class="head" d="M${round(tip.x)} ${round(tip.y)}L${corner(5)}L${corner(-5)}z"/>`;
};

/** Right angles with round corners. */
const roundedPath = (points: readonly Point[]): string =>
  points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${round(point.x)} ${round(point.y)}`;
      if (after === undefined) return `L${round(point.x)} ${round(point.y)}`;
      const radius = Math.min(CORNER, distance(before, point) / 2, distance(point, after) / 2);
      const [start, end] = [towards(point, before, radius), towards(point, after, radius)];
      return `L${round(start.x)} ${round(start.y)}Q${round(point.x)} ${round(point.y)} ${round(end.x)} ${round(end.y)}`;
    })
    .join('');

const distance = (from: Point, to: Point): number => Math.hypot(to.x - from.x, to.y - from.y);

const towards = (from: Point, to: Point, length: number): Point => {
  const share = length / (distance(from, to) || 1);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
};
