/** The one place that turns a thrown value into data. Any value may be thrown, so nothing is assumed. */

/** A thrown value as JSON-safe strings, fit for a fact in the journal. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

// A message is for people and for the journal: long enough for a stack of validation errors, short
// enough that an agent which throws its whole output cannot fill a store.
const longestMessage = 2_000;
const longestName = 200;

/**
 * Any thrown value as a name, a message and perhaps a code. Never throws, whatever was thrown: undefined, a symbol, a
 * circular object, an object whose getters throw, a revoked proxy. A caller that redacts the message asks for it uncut
 * (`Infinity`) and cuts it afterwards: redaction does not recognise half a secret.
 */
export function toFailure(thrown: unknown, maxMessageCharacters = longestMessage): Failure {
  const maxNameCharacters = Number.isFinite(maxMessageCharacters) ? longestName : Infinity;
  const name = text(readSafely(thrown, 'name'), maxNameCharacters) ?? 'Error';
  const message = text(readSafely(thrown, 'message'), maxMessageCharacters);
  const code = text(readSafely(thrown, 'code'), maxNameCharacters);
  return {
    name: typeof thrown === 'function' ? 'Error' : name,
    message: message ?? text(describeThrown(thrown), maxMessageCharacters) ?? name,
    // Numbers are left out: the numeric code of a DOMException is a relic, its name says more.
    ...(code === undefined ? {} : { code }),
  };
}

/** Cuts a text to the maximum length of a message. */
export function cutMessage(message: string): string {
  return text(message, longestMessage) ?? '';
}

const stackLines = 3;

/**
 * Where an error was thrown: the first lines of its stack, without the message. Undefined without a stack. The lines are
 * not cut: secrets are redacted first.
 */
export function stackHead(thrown: unknown): string | undefined {
  const stack = text(readSafely(thrown, 'stack'), 100_000);
  const frames = (stack ?? '')
    .split('\n')
    .map((line) => line.trim())
    // V8 writes `at name (file:1:2)`, other engines `name@file:1:2`. Anything else may be a part of the message.
    .filter((line) => /^at .*:\d+:\d+\)?$|^[^ ]*@.*:\d+:\d+$/.test(line))
    .slice(0, stackLines);
  return frames.length === 0 ? undefined : frames.join('\n');
}

/** Cuts a name, a code or the lines of a stack to the length that is stored. */
export function cutLines(lines: string): string {
  return lines
    .split('\n')
    .map((line) => text(line, longestName) ?? '')
    .join('\n');
}

/** Returns undefined instead of throwing: getters, proxies and foreign objects may do anything. */
export function readSafely(holder: unknown, key: PropertyKey): unknown {
  if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) {
    return undefined;
  }
  try {
    return Reflect.get(holder, key);
  } catch {
    return undefined;
  }
}

/**
 * The value when it is a string with something in it, cut to length and made storable: a NUL or
 * half a surrogate pair, also one cut in half here, is valid JSON that databases refuse.
 */
function text(value: unknown, maxCharacters: number): string | undefined {
  if (typeof value !== 'string' || value === '') {
    return undefined;
  }
  return value
    .slice(0, maxCharacters)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('\0', '\uFFFD');
}

function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') {
    return thrown === '' ? 'An empty string was thrown' : thrown;
  }
  if (typeof thrown === 'function') {
    return 'A function was thrown';
  }
  if (typeof thrown !== 'object' || thrown === null) {
    return `A value that is not an error was thrown: ${String(thrown)}`;
  }
  if (readSafely(thrown, 'message') === '') {
    return 'An error without a message was thrown';
  }
  return describeObject(thrown);
}

function describeObject(thrown: object): string {
  const description = 'An object that is not an error was thrown';
  try {
    // Typed as a string, but undefined when a toJSON says so.
    const json: unknown = JSON.stringify(thrown);
    return typeof json === 'string' ? `${description}: ${json}` : description;
  } catch {
    // Circular, too deep, or with a toJSON or a getter that throws.
    return description;
  }
}
