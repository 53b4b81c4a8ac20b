/*
 * How entries are written small. A journal says the same things over and over: names of steps and agents, keys, the same
 * kinds of facts. Every text and every list of member names is written out where it is used first, and after that by its
 * number. Whoever reads the entries in order learns the same numbers. What comes out is JSON without objects:
 *
 *   5            the text number 5
 *   "new"        a text that was not used before; it gets the next number, when it is long enough to be worth one
 *   -3           the number 2: natural numbers are one less than nothing
 *   true, null   themselves
 *   [7, ...]     an object with the member names number 7, and its values
 *   [-1, ...]    a list
 *   [-2, x]      any other number; one that JSON cannot hold, by its name
 *   [-3, [...], ...]  an object with member names that were not used before, and its values
 *   [-4]         the output of the answer that this entry is about; where a run starts, its plan
 *   [-5, "a/1"]  a new text that begins with the id of the run and a slash, as all keys do; this is the rest of it
 */

export const LIST = -1;
export const NUMBER = -2;
export const NEW_SHAPE = -3;
export const OUTPUT = -4;
export const KEY = -5;

/** A shorter text is no longer than most numbers. */
const WORD_CHARACTERS_MIN = 3;

/** So that nobody can fill the memory with words that are used once; what comes later is written out. */
const WORDS_MAX = 4_000_000;

/** How much had been said at some point. */
export interface Extent {
  readonly words: number;
  readonly shapes: number;
}

const NOTHING: Extent = { words: 0, shapes: 0 };

/** A list of texts, each with its number. */
class Numbering {
  readonly #items: string[] = [];
  readonly #numbers = new Map<string, number>();

  get length(): number {
    return this.#items.length;
  }

  at(number: number): string | undefined {
    return this.#items[number];
  }

  numberOf(item: string): number | undefined {
    return this.#numbers.get(item);
  }

  add(item: string): void {
    this.#numbers.set(item, this.#items.length);
    this.#items.push(item);
  }
}

/** What was said so far, in the order in which it was said first. */
export class Vocabulary {
  readonly #base: Vocabulary | undefined;
  readonly #from: Extent;
  readonly #words = new Numbering();
  /** Lists of names, as JSON. */
  readonly #shapes = new Numbering();
  readonly #names: (readonly string[])[] = [];

  /** What all keys of the run begin with. */
  readonly keyPrefix: string;

  /** On its own, or on what another had said at some point; it teaches that one nothing. */
  constructor(runId: string, base?: Vocabulary, from: Extent = base?.extent ?? NOTHING) {
    this.keyPrefix = `${runId}/`;
    this.#base = base;
    this.#from = from;
  }

  get extent(): Extent {
    return {
      words: this.#from.words + this.#words.length,
      shapes: this.#from.shapes + this.#shapes.length,
    };
  }

  wordAt(number: number): string | undefined {
    const { words } = this.#from;
    return number < words ? this.#base?.wordAt(number) : this.#words.at(number - words);
  }

  numberOfWord(word: string): number | undefined {
    return numberIn(this.#from.words, this.#base?.numberOfWord(word), this.#words.numberOf(word));
  }

  /** Learns a word that is written out. Both sides call it for the same words. */
  learnWord(word: string): void {
    if (word.length < WORD_CHARACTERS_MIN || this.#words.length >= WORDS_MAX) return;
    if (this.numberOfWord(word) === undefined) this.#words.add(word);
  }

  shapeAt(number: number): readonly string[] | undefined {
    const { shapes } = this.#from;
    return number < shapes ? this.#base?.shapeAt(number) : this.#names[number - shapes];
  }

  numberOfShape(names: readonly string[]): number | undefined {
    return this.#numberOfShape(JSON.stringify(names));
  }

  learnShape(names: readonly string[]): void {
    const shape = JSON.stringify(names);
    if (this.#numberOfShape(shape) !== undefined) return;
    this.#shapes.add(shape);
    this.#names.push(names);
  }

  #numberOfShape(shape: string): number | undefined {
    const { shapes } = this.#from;
    const inBase = this.#base === undefined ? undefined : this.#base.#numberOfShape(shape);
    return numberIn(shapes, inBase, this.#shapes.numberOf(shape));
  }
}

/** The number among what the base had said by then, or among one's own, which come after. */
const numberIn = (
  from: number,
  inBase: number | undefined,
  own: number | undefined,
): number | undefined => {
  if (inBase !== undefined && inBase < from) return inBase;
  return own === undefined ? undefined : from + own;
};
