// The few shapes of the pictures, as SVG; the legend draws the same ones in small.
import type { Badge } from './card.js';
import type { Box } from './layout.js';

/** Rounded to a tenth of a pixel, so that the picture is the same on every machine. */
export const round = (value: number): string => String(Math.round(value * 10) / 10);

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const drawInitial = (x: number, y: number, radius: number): string =>
  `<circle class="initial" cx="${round(x)}" cy="${round(y)}" r="${round(radius)}"/>`;

/** The border of a box without inner boxes: double for a final state, dotted for "anywhere in". */
export const drawOutline = (kind: Box['kind'], width: number, height: number): string[] => [
  `<rect class="box${kind === 'anywhere' ? ' anywhere' : ''}" width="${round(width)}" height="${round(height)}" rx="${radiusOf(height)}"/>`,
  ...(kind === 'final'
    ? [
        `<rect class="ring" x="3" y="3" width="${round(width - 6)}" height="${round(height - 6)}" rx="${radiusOf(height - 12)}"/>`,
      ]
    : []),
];

const radiusOf = (height: number): string => round(Math.min(10, height / 4));

export const drawBadge = ({ x, y, width, height }: Badge): string =>
  [
    `<rect class="badge" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round(height / 2)}"/>`,
    `<path class="play" d="M${round(x + 10)} ${round(y + height / 2 - 4.5)}l8 4.5l-8 4.5z"/>`,
  ].join('');

export const group = (
  x: number,
  y: number,
  name: string,
  content: readonly string[],
  mark = '',
): string =>
  [
    `<g class="${name}"${mark === '' ? '' : ` ${mark}`} transform="translate(${round(x)} ${round(y)})">`,
    ...content,
    '</g>',
  ].join('\n');
