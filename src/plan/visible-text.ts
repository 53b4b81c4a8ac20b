/*
 * Text that a model wrote and a person decides by. What it says must be what they see: characters that do not show can
 * hide an order in a harmless task, turn its words around, or overwrite them on a terminal.
 */

/** What does not show: formats, fillers, selectors, tags, and controls other than tab and line feed. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\x00-\x08\x0b-\x1f\x7f-\x9f]/u;

/** A letter of any language carries fewer marks than this; more of them cover the lines around it. */
const MARKS_MAX = 16;
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MARKS_MAX + 1}}`, 'u');
const MARK = /\p{M}/u;

/** Formats that do show: signs that Arabic, Syriac and Kaithi write around a number. */
const SIGN = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

/** Scripts in which letters are written in another way with a joiner, or a non-joiner, between them. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;

const PICTURE = /\p{Extended_Pictographic}/u;
/** The end of a picture: itself, the colour of its skin, or that it is to be a picture. */
const PICTURE_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;

const SELECTOR = /[\ufe00-\ufe0f]/u;
const HAN_SELECTOR = /[\u{e0100}-\u{e01ef}]/u;
const HAN = /\p{Script=Han}/u;

/** Whether a text has characters that a reader does not see, or cannot read for marks. */
export const hasHiddenCharacters = (text: string): boolean => visibleText(text) !== text;

/**
 * The text with everything hidden in it written out, as `\u{202e}`; a text that shows what it says is given back as it
 * is. Takes time in proportion to the length of the text.
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

/** Where there are more marks in a row than anybody writes. */
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

/** Does not show itself, and where it stands changes only how the characters beside it are written. */
const isSoft = (character: string, before: string, after: string): boolean => {
  // Alone it sends a terminal back to the beginning of the line, to write over it.
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
