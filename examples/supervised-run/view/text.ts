// Untrusted text, made safe and measured. Control characters are escaped, because a terminal obeys them.

/** Controls, formats (text direction among them), lone surrogates and line separators; the joiner of emoji may stay. */
const UNSAFE = /(?!\u200D)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** One safe line: spaces for white space, visible escapes for control characters. */
export const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** The lines of a longer text, each as safe as one. */
export const safeLines = (text: string): string[] => text.split(/\r?\n/).map(keepIndent);

const keepIndent = (line: string): string => {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return `${indent}${oneLine(line)}`;
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** East Asian wide characters and emoji; close enough for a table. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|\uFE0F|[\u{20000}-\u{3FFFD}]/u;
const NARROW_TEXT = /^[\x20-\x7E]*$/;

/** The columns a text takes. */
export const widthOf = (text: string): number => {
  if (NARROW_TEXT.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
};

const graphemeWidth = (grapheme: string): number => {
  if (/^\p{M}+$/u.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
};

/** The text, cut to the width with an ellipsis. */
export const clipped = (text: string, columns: number, ellipsis = '…'): string => {
  if (widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  if (room < 0) return '';
  let [kept, width] = ['', 0];
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > room) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
};

/** The text at exactly this width. */
export const fitted = (text: string, columns: number, ellipsis?: string): string => {
  const shown = clipped(text, columns, ellipsis);
  return shown + ' '.repeat(Math.max(0, columns - widthOf(shown)));
};

/** The text in lines of at most this many columns, broken between words where possible. */
export const wrapped = (text: string, columns: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((long) => pieces(long, columns))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
};

/** A word that is wider than a line, in pieces. */
const pieces = (word: string, columns: number): string[] => {
  if (widthOf(word) <= columns) return [word];
  const found: string[] = [];
  let [piece, width] = ['', 0];
  for (const { segment } of graphemes.segment(word)) {
    const more = graphemeWidth(segment);
    if (piece !== '' && width + more > columns) {
      found.push(piece);
      [piece, width] = ['', 0];
    }
    piece += segment;
    width += more;
  }
  return [...found, piece];
};
