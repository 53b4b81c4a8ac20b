/*
 * Makes model-written text safe for a person who decides by it. Invisible characters can hide an instruction in a
 * harmless task, reverse its words, or overwrite them on a terminal.
 */

/** Invisible characters: formats, fillers, selectors, tags, and controls other than tab and line feed. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\x00-\x08\x0b-\x1f\x7f-\x9f]/u;

/** A letter of any language carries fewer marks than this; more of them cover neighbouring lines. */
const MARKS_MAX = 16;
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MARKS_MAX + 1}}`, 'u');
const MARK = /\p{M}/u;

/** Visible format characters: signs that Arabic, Syriac and Kaithi write around a number. */
const SIGN = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

/** Scripts in which a joiner or non-joiner changes the shape of letters. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;

const PICTURE = /\p{Extended_Pictographic}/u;
/** The end of an emoji: itself, a skin tone, or the emoji selector. */
const PICTURE_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;

const SELECTOR = /[\ufe00-\ufe0f]/u;
const HAN_SELECTOR = /[\u{e0100}-\u{e01ef}]/u;
const HAN = /\p{Script=Han}/u;

/** Whether a text contains invisible characters, or too many marks in a row. */
export const hasHiddenCharacters = (text: string): boolean => visibleText(text) !== text;

/**
 * Escapes everything hidden in a text, as `\u{202e}`; returns a text without hidden characters unchanged. Takes linear
 * time.
 *
 * @example
 * visibleText('Delete the \u202elogs'); // 'Delete the \\u{202e}logs'
 */
export const visibleText = (text: string): string => {
  if (!UNSEEN.test(text) && !TOO_MANY_MARKS.test(text)) return text;
  const characters = Array.from(text);
  const marks = indexesOfMarks(characters);
  return characters
    .map((character, index) =>
      marks.has(index) || isHidden(characters, index) ? escaped(character) : character,
    )
    .join('');
};

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The indexes of marks beyond the allowed number in a row. */
const indexesOfMarks = (characters: readonly string[]): ReadonlySet<number> => {
  const indexes = new Set<number>();
  let start = 0;
  for (let end = 0; end <= characters.length; end += 1) {
    const character = characters[end];
    if (character !== undefined && MARK.test(character)) continue;
    if (end - start > MARKS_MAX) for (let at = start; at < end; at += 1) indexes.add(at);
    start = end + 1;
  }
  return indexes;
};

const isHidden = (characters: readonly string[], index: number): boolean => {
  const character = characters[index] ?? '';
  if (!UNSEEN.test(character) || SIGN.test(character)) return false;
  return !isSoft(character, characters[index - 1] ?? '', characters[index + 1] ?? '');
};

/** Invisible itself, and here it only changes the shape of its neighbours. */
const isSoft = (character: string, before: string, after: string): boolean => {
  // Alone it returns a terminal to the start of the line, which is then overwritten.
  if (character === '\r') return after === '\n';
  if (character === '\u200c') return joinsLetters(before, after);
  if (character === '\u200d') return joinsLetters(before, after) || joinsPictures(before, after);
  if (SELECTOR.test(character)) return before !== '' && !UNSEEN.test(before);
  return HAN_SELECTOR.test(character) && HAN.test(before);
};

const joinsLetters = (before: string, after: string): boolean =>
  JOINING.test(before) && JOINING.test(after);

const joinsPictures = (before: string, after: string): boolean =>
  PICTURE_END.test(before) && PICTURE.test(after);
