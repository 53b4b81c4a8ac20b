// The legend below a picture; it names only symbols that the picture has.
import { FONTS } from './card.js';
import type { ChartState } from './chart.js';
import { allStates } from './chart.js';
import { drawBadge, drawInitial, drawOutline, escaped, group, round } from './symbols.js';
import { textWidth } from './text-width.js';

interface Entry {
  readonly symbol: string;
  readonly text: string;
}

export interface Legend {
  readonly height: number;
  readonly svg: string;
}

const SYMBOL = { width: 28, height: 18 };
const GAP = { symbol: 8, entry: 24, line: 8 };

export const legendOf = (chart: ChartState, widthMax: number, y: number): Legend => {
  let [left, top] = [0, 0];
  const placed = entriesOf(chart).map(({ symbol, text }) => {
    const width = textWidth(text, FONTS.prose);
    const textLeft = symbol === '' ? 0 : SYMBOL.width + GAP.symbol;
    if (left > 0 && left + textLeft + width > widthMax) {
      [left, top] = [0, top + SYMBOL.height + GAP.line];
    }
    const entry = group(left, top, 'entry', [
      symbol,
      `<text class="prose" x="${textLeft}" y="13" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`,
    ]);
    left += textLeft + width + GAP.entry;
    return entry;
  });
  return { height: top + SYMBOL.height, svg: group(0, y, 'legend', placed) };
};

const entriesOf = (chart: ChartState): Entry[] => {
  const states = allStates(chart);
  const has = (test: (state: ChartState) => boolean): boolean => states.some(test);
  const { width, height } = SYMBOL;
  const entries: (Entry & { readonly isUsed: boolean })[] = [
    { isUsed: true, symbol: drawInitial(width / 2, height / 2, 7), text: 'begins' },
    {
      isUsed: has(({ kind }) => kind === 'final'),
      symbol: drawOutline('final', width, height).join(''),
      text: 'ends',
    },
    {
      isUsed: has(({ invokes }) => invokes.length > 0),
      symbol: drawBadge({ x: 0, y: 0, width, height }),
      text: 'runs an actor as long as it is active',
    },
    {
      isUsed: has(({ isRegion }) => isRegion),
      symbol: `<rect class="box nest region" width="${width}" height="${height}" rx="4"/>`,
      text: 'active side by side',
    },
    {
      isUsed: has(({ innerChoices }) => innerChoices.length > 0),
      symbol: drawOutline('anywhere', width, height).join(''),
      text: 'from whatever state inside',
    },
    { isUsed: !chart.isBrief, symbol: '', text: 'Rows are tried from the top.' },
    { isUsed: true, symbol: '', text: 'A wire has the colour of the state it leads to.' },
    {
      isUsed: has(({ handles }) => handles.length > 0),
      symbol: '',
      text: 'Events after "handles" change no state.',
    },
  ];
  return entries.filter(({ isUsed }) => isUsed);
};
