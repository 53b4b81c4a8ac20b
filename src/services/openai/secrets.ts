import { REDACTED } from '../../agents/secret.js';
import type { JsonValue } from '../../canonical-json.js';
import { formsOf } from './secret-forms.js';

/** Placeholder keys for servers without keys. They are ordinary words, not secrets. */
const PLACEHOLDERS = new Set([
  ...['none', 'null', 'empty', 'dummy', 'fake', 'unused', 'placeholder', 'anything'],
  ...['ollama', 'lm-studio', 'no-key', 'not-needed', 'sk-no-key-required'],
]);

/** A shorter secret is likely to be part of an ordinary word. */
const SHORT_CHARACTERS = 8;

/** Tokens are renewed while a process lives: this many are kept. */
const REMEMBERED_MAX = 64;

/** The secrets of one client: from its configuration and its requests. */
export class Secrets {
  readonly #known = new Set<string>();
  #long: readonly string[] = [];
  #short: readonly string[] = [];

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.trim() === '' || PLACEHOLDERS.has(secret.toLowerCase())) continue;
      // The latest is the last to be dropped.
      if (this.#known.delete(secret)) this.#known.add(secret);
      else this.#remember(secret);
    }
  }

  #remember(secret: string): void {
    this.#known.add(secret);
    for (const oldest of this.#known) {
      if (this.#known.size <= REMEMBERED_MAX) break;
      this.#known.delete(oldest);
    }
    const forms = [...new Set([...this.#known].flatMap(formsOf))].toSorted(longestFirst);
    this.#long = forms.filter(({ length }) => length >= SHORT_CHARACTERS);
    this.#short = forms.filter(({ length }) => length < SHORT_CHARACTERS);
  }

  /** Redacts a message or an error: a mangled word is better than a key in a log. */
  inMessage(text: string): string {
    return without(text, [...this.#long, ...this.#short], split);
  }

  /**
   * Redacts a model's answer. The answer must stay readable: a short secret is removed only as a whole word, so that a
   * key `sk` leaves the word `ask` intact.
   */
  inAnswer(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#inAnswerText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item: JsonValue) => this.inAnswer(item));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        // Answers are read by their names: only text that cannot be a word is removed from them.
        without(name, this.#long, split),
        this.inAnswer(member),
      ]),
    );
  }

  #inAnswerText(text: string): string {
    return without(without(text, this.#long, split), this.#short, splitAtWords);
  }
}

const longestFirst = (left: string, right: string): number => right.length - left.length;

type Split = (text: string, secret: string) => readonly string[];

/** Pieces are joined at the end: a replacement is never searched for another secret. */
const without = (text: string, secrets: readonly string[], pieces: Split): string =>
  secrets
    .reduce<readonly string[]>(
      (parts, secret) => parts.flatMap((part) => pieces(part, secret)),
      [text],
    )
    .join(REDACTED);

const split: Split = (text, secret) => text.split(secret);

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Splits only where no letter or digit is next to the secret. */
const splitAtWords: Split = (text, secret) => {
  const parts: string[] = [];
  let from = 0;
  let at = text.indexOf(secret);
  while (at >= 0) {
    const end = at + secret.length;
    const beside = text.slice(Math.max(0, at - 1), at) + text.slice(end, end + 1);
    if (!LETTER_OR_DIGIT.test(beside)) {
      parts.push(text.slice(from, at));
      from = end;
    }
    at = text.indexOf(secret, end);
  }
  return [...parts, text.slice(from)];
};
