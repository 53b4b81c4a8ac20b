// The content of one box of the picture: texts with their positions, and their size.
import type { ChartState, Choice } from './chart.js';
import type { Font } from './text-width.js';
import { textWidth, wrapWords } from './text-width.js';

export type TextStyle =
  | 'heading'
  | 'title'
  | 'tag'
  | 'prose'
  | 'invoke'
  | 'event'
  | 'condition'
  | 'target';

export const FONTS: Readonly<Record<TextStyle, Font>> = {
  heading: { size: 22, isBold: true },
  title: { size: 15, isBold: true },
  tag: { size: 10, isBold: false },
  prose: { size: 12, isBold: false },
  invoke: { size: 11, isBold: true },
  event: { size: 12, isBold: true },
  condition: { size: 12, isBold: false },
  target: { size: 12, isBold: true },
};

export interface PlacedText {
  readonly text: string;
  readonly style: TextStyle;
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly width: number;
  /** Set when the text names the target of a wire. */
  readonly targetId?: string;
}

export interface Badge {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Card {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly PlacedText[];
  /** Heights of the thin lines between the rows. */
  readonly rules: readonly number[];
  readonly badges: readonly Badge[];
}

/** One block of a card, placed from its own top left corner; `widthMin` is the width that it needs. */
interface Section {
  readonly widthMin: number;
  readonly place: (width: number) => Omit<Card, 'width'>;
}

const PADDING = 14;
const GAP = 12;
const PROSE_WIDTH = 236;
const HEADER_WIDTH = { machine: 760, nest: 400 };
const ROW_HEIGHT = 20;
const LINE_HEIGHT = 16;

/** The box of a state without inner states. */
export const stateCard = (state: ChartState): Card =>
  stacked([
    title(state.name, state.tags, 'title'),
    prose(state.description, PROSE_WIDTH),
    ...state.invokes.map(invokeBadge),
    handled(state.handles, PROSE_WIDTH),
    choiceRows(state.isBrief ? [] : state.choices),
  ]);

/** The head of a box with inner states, which are below it. `widthMax` is the width of the box, where it is known. */
export const headerCard = (state: ChartState, widthMax = Infinity): Card => {
  const wanted = state.kind === 'machine' ? HEADER_WIDTH.machine : HEADER_WIDTH.nest;
  const proseWidth = Math.min(wanted, widthMax - 2 * PADDING);
  return stacked([
    title(state.name, state.tags, state.kind === 'machine' ? 'heading' : 'title'),
    prose(state.description, proseWidth),
    ...state.invokes.map(invokeBadge),
    handled(state.handles, proseWidth),
    choiceRows(state.isBrief ? [] : state.choices),
  ]);
};

/** Represents every state inside a box: the transitions that all of them have. */
export const anywhereCard = (state: ChartState): Card =>
  stacked([
    title(`anywhere in ${state.name}`, [], 'title'),
    choiceRows(state.isBrief ? [] : state.innerChoices),
  ]);

const stacked = (sections: readonly Section[]): Card => {
  const inner = Math.max(...sections.map(({ widthMin }) => widthMin));
  const width = Math.ceil(inner) + 2 * PADDING;
  let height = PADDING - 4;
  const placed = sections.map((section) => {
    const part = shifted(section.place(inner), PADDING, height);
    height += part.height;
    return part;
  });
  return {
    width,
    height: Math.ceil(height) + PADDING - 6,
    texts: placed.flatMap(({ texts }) => texts),
    rules: placed.flatMap(({ rules }) => rules),
    badges: placed.flatMap(({ badges }) => badges),
  };
};

const shifted = (part: Omit<Card, 'width'>, dx: number, dy: number): Omit<Card, 'width'> => ({
  height: part.height,
  texts: part.texts.map((text) => ({ ...text, x: text.x + dx, y: text.y + dy })),
  rules: part.rules.map((y) => y + dy),
  badges: part.badges.map((badge) => ({ ...badge, x: badge.x + dx, y: badge.y + dy })),
});

// ---- Sections ---------------------------------------------------------------------------------

const NOTHING: Section = {
  widthMin: 0,
  place: () => ({ height: 0, texts: [], rules: [], badges: [] }),
};

const title = (name: string, tags: readonly string[], style: 'heading' | 'title'): Section => {
  const tag = tags.join(', ');
  const [nameWidth, tagWidth] = [textWidth(name, FONTS[style]), textWidth(tag, FONTS.tag)];
  const baseline = FONTS[style].size;
  return {
    widthMin: nameWidth + (tag === '' ? 0 : GAP + tagWidth),
    place: (width) => ({
      height: baseline + 8,
      texts: [
        { text: name, style, x: 0, y: baseline, width: nameWidth },
        ...(tag === ''
          ? []
          : [
              {
                text: tag,
                style: 'tag',
                x: width - tagWidth,
                y: baseline,
                width: tagWidth,
              } as const,
            ]),
      ],
      rules: [],
      badges: [],
    }),
  };
};

const prose = (text: string, widthMax: number): Section =>
  lines(text === '' ? [] : text.split(' '), widthMax);

/** Wrapped between events only. */
const handled = (events: readonly string[], widthMax: number): Section => {
  if (events.length === 0) return NOTHING;
  const words = events.map((event, index) => (index < events.length - 1 ? `${event},` : event));
  return lines([`handles ${words[0] ?? ''}`, ...words.slice(1)], widthMax);
};

const lines = (words: readonly string[], widthMax: number): Section => {
  if (words.length === 0) return NOTHING;
  const wanted = textWidth(words.join(' '), FONTS.prose);
  const widest = Math.max(...words.map((word) => textWidth(word, FONTS.prose)));
  return {
    widthMin: Math.max(Math.min(wanted, widthMax), widest),
    place: (width) => {
      const wrapped = wrapWords(words, FONTS.prose, Math.max(width, widest));
      return {
        height: wrapped.length * LINE_HEIGHT + 6,
        texts: wrapped.map((text, index) => ({
          text,
          style: 'prose',
          x: 0,
          y: index * LINE_HEIGHT + 11,
          width: textWidth(text, FONTS.prose),
        })),
        rules: [],
        badges: [],
      };
    },
  };
};

const invokeBadge = (name: string): Section => {
  const width = textWidth(name, FONTS.invoke);
  return {
    widthMin: width + 34,
    place: () => ({
      height: 28,
      texts: [{ text: name, style: 'invoke', x: 24, y: 14, width }],
      rules: [],
      badges: [{ x: 0, y: 0, width: width + 34, height: 20 }],
    }),
  };
};

/** A table of event, guard and target; an event is named where it changes. */
const choiceRows = (choices: readonly Choice[]): Section => {
  if (choices.length === 0) return NOTHING;
  const always = choices.every(({ event }) => event === '') ? '' : 'always';
  const rows = choices.map((choice, index) => ({
    event: choice.event === choices[index - 1]?.event ? '' : choice.event || always,
    condition: choice.condition === undefined ? '' : `[${choice.condition}]`,
    target: `→ ${choice.targetName}`,
    targetId: choice.targetId,
  }));
  const columnWidth = (column: 'event' | 'condition' | 'target'): number =>
    Math.max(...rows.map((row) => textWidth(row[column], FONTS[column])));
  const [events, conditions, targets] = [
    columnWidth('event'),
    columnWidth('condition'),
    columnWidth('target'),
  ];
  const conditionsAt = events === 0 ? 0 : events + GAP;
  const targetsAt = conditionsAt + (conditions === 0 ? 0 : conditions + GAP);
  return {
    widthMin: targetsAt + targets,
    place: (width) => {
      const placedTargetsAt = Math.min(width - targets, targetsAt + 2 * GAP);
      return {
        height: rows.length * ROW_HEIGHT + 4,
        texts: rows.flatMap((row, index) => {
          const y = index * ROW_HEIGHT + 17;
          const cells: PlacedText[] = [
            cell(row.event, 'event', 0, y),
            cell(row.condition, 'condition', conditionsAt, y),
            { ...cell(row.target, 'target', placedTargetsAt, y), targetId: row.targetId },
          ];
          return cells.filter(({ text }) => text !== '');
        }),
        rules: rows.map((_, index) => index * ROW_HEIGHT + 2),
        badges: [],
      };
    },
  };
};

const cell = (text: string, style: TextStyle, x: number, y: number): PlacedText => ({
  text,
  style,
  x,
  y,
  width: textWidth(text, FONTS[style]),
});
