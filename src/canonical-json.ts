/**
 * The border through which foreign values enter a run: whatever an agent returns becomes a fresh, bounded, plain
 * JSON copy here, or a refusal as data. Nothing in this file throws because of the value it is given.
 */
import { toFailure } from './failure.js';

/** What JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** How much of a value is let in. */
export interface JsonLimits {
  /** The longest JSON text, in UTF-8 bytes. Not a number means that nothing is let in. */
  readonly maxBytes: number;
  /** The deepest nesting of arrays and objects: 200 unless said otherwise, and never more than 1000. */
  readonly maxDepth?: number;
}

/** The copy with its exact size as JSON, or the reason why there is none. */
export type CanonicalJson =
  | { readonly ok: true; readonly value: JsonValue; readonly bytes: number }
  | { readonly ok: false; readonly code: JsonRefusalCode; readonly message: string };

/** Why a value was refused. */
export type JsonRefusalCode = 'not-serializable' | 'output-too-large' | 'too-deep';

const defaultMaxDepth = 200;
/** The copy is made by recursion; this many levels fit every stack we run on with room to spare. */
const highestMaxDepth = 1000;
/** A path may be made of keys of any size; what is said about it stays short enough for a journal. */
const longestPathLength = 200;

/**
 * Copies any value as JSON would write it, but never larger, deeper or poorer than it may be: what JSON would
 * lose in silence (NaN, a Map, a function) is refused, with its path. Keys keep their order. Members that are
 * undefined are left out; class instances are copied by their own members; an Error as its name and message.
 *
 * @example
 * ```ts
 * canonicalJson({ at: new Date(0), skipped: undefined }, { maxBytes: 1_000 });
 * // { ok: true, value: { at: '1970-01-01T00:00:00.000Z' }, bytes: 33 }
 * canonicalJson({ seen: new Set() }, { maxBytes: 1_000 });
 * // { ok: false, code: 'not-serializable', message: '$.seen is a Set, which JSON cannot hold' }
 * ```
 */
export function canonicalJson(value: unknown, limits: JsonLimits): CanonicalJson {
  const copier = new Copier(limits);
  try {
    const copy = copier.copy(value);
    if (copy === undefined) return copier.refuse('is undefined, which JSON cannot hold');
    return { ok: true, value: copy, bytes: copier.bytes };
  } catch (error) {
    if (copier.refusal) return copier.refusal;
    // A getter, a toJSON or a Proxy of the value threw, and what it threw is as foreign as the value.
    const message = `${copier.pathText()} threw while it was read: ${toFailure(error, Infinity).message}`;
    return { ok: false, code: 'not-serializable', message };
  }
}

/** The size of a value's JSON text in UTF-8 bytes; `Infinity` for what JSON cannot hold. */
export function jsonByteLength(value: JsonValue): number {
  const measured = canonicalJson(value, { maxBytes: Infinity, maxDepth: highestMaxDepth });
  return measured.ok ? measured.bytes : Infinity;
}

/** The JSON text with the keys of every object sorted: equal values give equal texts. */
export function stableStringify(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => stableStringify(item ?? null)).join(',')}]`;
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${stableStringify(member)}`;
  }
  return `{${text}}`;
}

/** Array.isArray() does not narrow a list that is readonly. */
const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

/** Whether two values are the same as JSON: the order of keys does not count, nor members that are undefined. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return JSON.stringify(left) === JSON.stringify(right) || stableText(left) === stableText(right);
}

const stableText = (value: unknown): string | undefined =>
  value === undefined ? undefined : stableStringify(value as JsonValue);

/**
 * A 64-bit hash of a text as 16 hexadecimal digits, the same on every platform. It tells texts apart; it
 * protects nothing: two texts with the same fingerprint can be made on purpose.
 */
export function fingerprint(text: string): string {
  // cyrb53 by bryc (public domain), with all 64 bits of its state kept.
  let left = 0xdeadbeef;
  let right = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    left = Math.imul(left ^ unit, 2654435761);
    right = Math.imul(right ^ unit, 1597334677);
  }
  const mixedLeft = mix(left, right);
  return hexadecimal(mix(right, mixedLeft)) + hexadecimal(mixedLeft);
}

const mix = (left: number, right: number): number =>
  Math.imul(left ^ (left >>> 16), 2246822507) ^ Math.imul(right ^ (right >>> 13), 3266489909);

const hexadecimal = (half: number): string => (half >>> 0).toString(16).padStart(8, '0');

/** One copying: counts bytes as it goes, so that it stops at the limit and not after it. */
class Copier {
  bytes = 0;
  /** Set when this class has thrown, and not something in the value. */
  refusal: Extract<CanonicalJson, { ok: false }> | undefined;
  readonly #maxBytes: number;
  readonly #maxDepth: number;
  /** The objects being copied, outermost first: what a cycle would come back to. */
  readonly #open: object[] = [];
  /** The way to the value being looked at. Left as it is when something throws, to say where. */
  readonly #path: (string | number)[] = [];

  constructor({ maxBytes, maxDepth = defaultMaxDepth }: JsonLimits) {
    this.#maxBytes = maxBytes;
    this.#maxDepth = Math.min(maxDepth, highestMaxDepth);
  }

  /** The copy; undefined where JSON would leave the value out. */
  copy(value: unknown): JsonValue | undefined {
    if (typeof value === 'string') return this.#copyString(value);
    if (typeof value === 'number') return this.#copyNumber(value);
    if (typeof value === 'boolean' || value === null) {
      this.#count(value === false ? 5 : 4);
      return value;
    }
    if (value === undefined) return undefined;
    if (typeof value === 'object') return this.#copyObject(value);
    return this.refuse(`is a ${typeof value}, which JSON cannot hold`);
  }

  refuse(problem: string, code: JsonRefusalCode = 'not-serializable'): never {
    this.refusal = { ok: false, code, message: `${this.pathText()} ${problem}` };
    throw new Error(this.refusal.message);
  }

  pathText(): string {
    const parts = this.#path.map((key) =>
      typeof key === 'number' ? `[${key}]` : `.${key.slice(0, longestPathLength)}`,
    );
    return wellFormed(`$${parts.join('').slice(0, longestPathLength)}`);
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    // Written so that a limit of NaN refuses everything instead of nothing.
    if (this.bytes <= this.#maxBytes) return;
    this.refuse(`does not fit into ${this.#maxBytes} bytes of JSON`, 'output-too-large');
  }

  #copyString(text: string): string {
    // Every UTF-16 unit takes at least one byte: no need to read a huge text.
    const leastBytes = text.length + 2;
    this.#count(leastBytes);
    const bytes = stringBytes(text);
    if (bytes === leastBytes) return text;
    this.#count(bytes - leastBytes);
    return wellFormed(text);
  }

  #copyNumber(value: number): number {
    if (!Number.isFinite(value)) this.refuse(`is ${value}, which JSON cannot hold`);
    this.#count(numberBytes(value));
    return value === 0 ? 0 : value; // JSON has no minus zero
  }

  #copyObject(value: object): JsonValue | undefined {
    // Asked before toJSON, because the toJSON of a Buffer writes millions of numbers out.
    if (ArrayBuffer.isView(value)) this.refuse('is binary data, which JSON cannot hold');
    const toJson: unknown = (value as { readonly toJSON?: unknown }).toJSON;
    if (typeof toJson !== 'function') return this.#copyMembers(value);
    const written: unknown = toJson.call(value, String(this.#path.at(-1) ?? ''));
    // As in JSON, what toJSON returns is not asked for a toJSON again.
    return typeof written === 'object' && written !== null
      ? this.#copyMembers(written)
      : this.copy(written);
  }

  #copyMembers(value: object): JsonValue {
    if (this.#open.includes(value)) this.refuse('leads back to an object that contains it');
    if (!(this.#open.length < this.#maxDepth)) {
      this.refuse(`is nested deeper than ${this.#maxDepth} levels`, 'too-deep');
    }
    this.#open.push(value);
    const copy = Array.isArray(value) ? this.#copyItems(value) : this.#copyProperties(value);
    this.#open.pop();
    return copy;
  }

  #copyItems(items: readonly unknown[]): JsonValue {
    const { length } = items; // once: a getter may push while we read
    // Brackets, commas and a byte for every item: no need to look into a huge array.
    this.#count(Math.max(2, 2 * length + 1));
    const copy: JsonValue[] = [];
    for (let index = 0; index < length; index += 1) {
      this.#path.push(index);
      this.bytes -= 1; // the byte that stood for this item
      const item = this.copy(items[index]);
      if (item === undefined) this.#count(4);
      copy.push(item ?? null);
      this.#path.pop();
    }
    return copy;
  }

  #copyProperties(value: object): JsonValue {
    const source = this.#membersOf(value);
    const copy: Record<string, JsonValue> = {};
    this.#count(2);
    let separatorBytes = 1; // the colon, and before all but the first a comma
    for (const key of Object.keys(source)) {
      this.#path.push(key);
      const member = this.copy(source[key]);
      if (member !== undefined) {
        copy[this.#copyName(key, source, copy)] = member;
        this.#count(separatorBytes);
        separatorBytes = 2;
      }
      this.#path.pop();
    }
    return copy;
  }

  #copyName(key: string, source: object, copy: object): string {
    if (key === '__proto__') this.refuse('would replace the prototype');
    const name = this.#copyString(key);
    const isTaken = name !== key && (Object.hasOwn(source, name) || Object.hasOwn(copy, name));
    return isTaken ? this.refuse('has the name of another member once it is well-formed') : name;
  }

  #membersOf(value: object): Readonly<Record<string, unknown>> {
    const prototype: unknown = Object.getPrototypeOf(value);
    const members = value as Readonly<Record<string, unknown>>;
    if (prototype === Object.prototype || prototype === null) return members;
    // What an Error says is in properties that JSON does not see.
    if (value instanceof Error) return { name: value.name, message: value.message, ...members };
    // Maps, promises, responses and the like have a tag of their own, and nothing that JSON sees.
    const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
    return tag === 'Object' ? members : this.refuse(`is a ${tag}, which JSON cannot hold`);
  }
}

/** The UTF-8 bytes of a text as a JSON string, quotes and escapes included, once it is well-formed. */
function stringBytes(text: string): number {
  let bytes = text.length + 2;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += asciiEscapeBytes(unit);
    else if (unit < 0x800) bytes += 1;
    else {
      bytes += 2;
      if (isSurrogatePair(unit, text.charCodeAt(index + 1))) index += 1;
    }
  }
  return bytes;
}

/** What escaping an ASCII character adds: a backslash, or `\u00` and another digit. */
function asciiEscapeBytes(unit: number): number {
  if (unit >= 0x20) return unit === 0x22 || unit === 0x5c ? 1 : 0;
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 1 : 5;
}

const isSurrogatePair = (first: number, second: number): boolean =>
  first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;

const numberBytes = (value: number): number =>
  value >= 0 && value < 10 && Number.isInteger(value) ? 1 : String(value).length;

/** A text as a database can hold it: no NUL, and no half of a surrogate pair. */
export const readableText = (text: string): string => wellFormed(text).replaceAll('\0', '\uFFFD');

/** Half a surrogate pair is no character: it becomes the replacement character. */
const wellFormed = (text: string): string =>
  (text as string & { toWellFormed?(): string }).toWellFormed?.() ??
  text.replace(/\p{Surrogate}/gu, '\uFFFD');
