// Colours and fonts of the pictures. They follow the reader's light or dark scheme by themselves.
import type { TextStyle } from './card.js';
import { FONTS } from './card.js';

/** Wires have the colour of their target state; states with several wires get one of these, in turn. */
const WIRES: readonly (readonly [light: string, dark: string])[] = [
  ['#1d4ed8', '#60a5fa'],
  ['#b91c1c', '#f87171'],
  ['#15803d', '#4ade80'],
  ['#7e22ce', '#c084fc'],
  ['#a16207', '#facc15'],
  ['#0e7490', '#22d3ee'],
  ['#be185d', '#f472b6'],
  ['#c2410c', '#fb923c'],
  ['#4d7c0f', '#a3e635'],
  ['#1f2937', '#f3f4f6'],
  ['#86198f', '#e879f9'],
  ['#78492a', '#d6a77a'],
];

export const WIRE_COLOURS = WIRES.length;

const LIGHT = {
  canvas: '#f6f7f9',
  nest: '#eef0f4',
  card: '#ffffff',
  border: '#c3cad5',
  rule: '#e8ebf0',
  text: '#111827',
  muted: '#5b6472',
  badge: '#e7ebf8',
  invoke: '#3730a3',
  plain: '#64748b',
};

const DARK: typeof LIGHT = {
  canvas: '#0d1117',
  nest: '#131922',
  card: '#1b222d',
  border: '#3d4757',
  rule: '#2a323f',
  text: '#e6edf3',
  muted: '#9aa5b4',
  badge: '#2a2f4a',
  invoke: '#b4b9ff',
  plain: '#94a3b8',
};

const variables = (colours: typeof LIGHT, wires: readonly string[]): string =>
  [
    ...Object.entries(colours).map(([name, colour]) => `--${name}: ${colour};`),
    ...wires.map((colour, index) => `--wire-${index}: ${colour};`),
  ].join(' ');

const fontRule = (style: TextStyle): string => {
  const { size, isBold } = FONTS[style];
  return `.${style} { font-size: ${size}px;${isBold ? ' font-weight: bold;' : ''} }`;
};

export const stylesheet = (): string =>
  [
    `.chart { ${variables(
      LIGHT,
      WIRES.map(([light]) => light),
    )} }`,
    `@media (prefers-color-scheme: dark) { .chart { ${variables(
      DARK,
      WIRES.map(([, dark]) => dark),
    )} } }`,
    '.chart { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; }',
    'text { fill: var(--text); }',
    ...(Object.keys(FONTS) as TextStyle[]).map(fontRule),
    '.prose, .tag, .condition { fill: var(--muted); }',
    '.invoke { fill: var(--invoke); }',
    '.target { fill: var(--wire); }',
    '.canvas { fill: var(--canvas); }',
    '.box { fill: var(--card); stroke: var(--border); stroke-width: 1.25; }',
    '.nest { fill: var(--nest); }',
    '.region { stroke: var(--plain); stroke-dasharray: 6 4; }',
    '.anywhere { stroke: var(--plain); stroke-dasharray: 2 3; }',
    '.ring { fill: none; stroke: var(--border); stroke-width: 1.25; }',
    '.rule { stroke: var(--rule); }',
    '.header .rule { stroke: none; }',
    '.badge { fill: var(--badge); }',
    '.play { fill: var(--invoke); }',
    '.initial { fill: var(--text); }',
    '.wire { --wire: var(--plain); }',
    ...WIRES.map((_, index) => `.wire-${index} { --wire: var(--wire-${index}); }`),
    '.line { fill: none; stroke: var(--wire); stroke-width: 1.75; }',
    '.header text { paint-order: stroke; stroke: var(--nest); stroke-width: 4px; stroke-linejoin: round; }',
    '.halo { fill: none; stroke: var(--nest); stroke-width: 6; }',
    '.head { fill: var(--wire); }',
    '.wires:hover .line { stroke-width: 3; }',
  ].join('\n');
