import { REDACTED } from '../../agents/secret.js';
import type { JsonValue } from '../../canonical-json.js';
import { formsOf } from './secret-forms.js';

/** Keys that servers without keys are given, because the client wants some text. They are words, and no secrets. */
const PLACEHOLDERS = new Set([
  ...['none', 'null', 'empty', 'dummy', 'fake', 'unused', 'placeholder', 'anything'],
  ...['ollama', 'lm-studio', 'no-key', 'not-needed', 'sk-no-key-required'],
]);

/** A shorter secret is likely to be part of an ordinary word. */
const SHORT_CHARACTERS = 8;

/** Tokens are renewed while a process lives: this many are remembered. */
const REMEMBERED_MAX = 64;

/** The secrets of one client: what it is configured with, and what its requests were sent with. */
export class Secrets {
  readonly #known = new Set<string>();
  #long: readonly string[] = [];
  #short: readonly string[] = [];

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.trim() === '' || PLACEHOLDERS.has(secret.toLowerCase())) continue;
      // The latest is the last to be forgotten.
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

  /** A message or an error, without secrets: a mangled word is better than a key in a log. */
  inMessage(text: string): string {
    return without(text, [...this.#long, ...this.#short], split);
  }

  /**
   * What a model said, without secrets. An answer must stay readable: a short secret is taken out where it stands
   * for itself, and left where it is part of a word, so that a key `sk` leaves the word `ask` whole.
   */
  inAnswer(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#inAnswerText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item: JsonValue) => this.inAnswer(item));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        // Names are what answers are read by: only what cannot be a word is taken out of them.
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

/** Pieces are joined at the end: what stands for one secret is never searched for another. */
const without = (text: string, secrets: readonly string[], pieces: Split): string =>
  secrets
    .reduce<readonly string[]>(
      (parts, secret) => parts.flatMap((part) => pieces(part, secret)),
      [text],
    )
    .join(REDACTED);

const split: Split = (text, secret) => text.split(secret);

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Only where the secret has no letter and no digit beside it. */
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
