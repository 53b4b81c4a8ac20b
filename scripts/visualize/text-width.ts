// The width of a text, without a browser: Helvetica, Arial and Liberation Sans have these widths.

/** Thousandths of the font size, from the space (32) to the tilde (126). */
const REGULAR = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
  611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
  222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

const BOLD = [
  278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
  611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
  667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
  278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

const FIRST_CODE = 32;
/** Arrows and other characters outside ASCII. */
const OTHER = 1000;

export interface Font {
  readonly size: number;
  readonly isBold: boolean;
}

export const textWidth = (text: string, { size, isBold }: Font): number => {
  const widths = isBold ? BOLD : REGULAR;
  const codes = Array.from(text, (character) => character.charCodeAt(0));
  const units = codes.reduce((sum, code) => sum + (widths[code - FIRST_CODE] ?? OTHER), 0);
  return (units * size) / 1000;
};

/** Words wrapped into lines; a word that is too long gets its own line. */
export const wrapWords = (words: readonly string[], font: Font, widthMax: number): string[] => {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && textWidth(longer, font) > widthMax) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines;
};
