import type { Asked } from './guards-asked.js';
import type { NumberPath } from './shifted.js';
import { ANY, shifted } from './shifted.js';

/*
 * Which numbers a guard compares: seen while it is asked. A guard compares a number, upwards or downwards, when its answer
 * would be another somewhere if the number were much larger, or much smaller. What it reads and does not compare, such as a
 * limit that is only asked whether it is there, cannot be off by one.
 */

/** A number of a guard, and the direction in which it is compared. */
export interface Comparison {
  readonly guard: string;
  /** Begins with `context` or `event`. */
  readonly path: NumberPath;
  readonly by: 1 | -1;
}

const FAR = 1_000_000_000;

/** Collects the comparisons of a chart, and says of each question which of them would change its answer. */
export class Comparisons {
  readonly #found = new Map<string, Comparison>();

  get found(): Comparison[] {
    return [...this.#found.values()];
  }

  /** The comparisons that a mistake of one would turn here. */
  note({ guard, ask, args, params, answer }: Asked): Comparison[] {
    return numbersRead(ask, args, params).flatMap((path) =>
      ([1, -1] as const).flatMap((by) => {
        const comparison = { guard, path, by };
        const isTurnedBy = (steps: number): boolean =>
          ask(shifted(args, path, steps * by), params) !== answer;
        const isTurned = isTurnedBy(1);
        const key = keyOf(comparison);
        if (!this.#found.has(key) && (isTurned || isTurnedBy(FAR))) {
          this.#found.set(key, comparison);
        }
        return isTurned ? [comparison] : [];
      }),
    );
  }
}

export const keyOf = ({ guard, path, by }: Comparison): string =>
  `${guard} reads ${path} ${by === 1 ? 'one more' : 'one less'}`;

const numbersRead = (
  ask: Asked['ask'],
  args: Asked['args'],
  params: unknown,
): readonly NumberPath[] => {
  const paths = new Set<NumberPath>();
  const note = (path: NumberPath): void => void paths.add(path);
  const context = watchedValue(args.context, 'context', note);
  ask({ ...args, context, event: watchedValue(args.event, 'event', note) }, params);
  return [...paths].filter((path) => !POSITIONS.test(path));
};

/** Positions in the lists of a plan, which a guard walks. They are no bounds, and a list of a billion steps takes long. */
const POSITIONS = /^context\.progress\.(?:ready|readyHead|states)\b/;

/**
 * Looks like the value and tells which numbers are read. It stands on an empty object of its own: policies are frozen, and
 * a proxy of a frozen object may not wrap what is in it.
 */
const watchedValue = (
  value: unknown,
  path: NumberPath,
  note: (path: NumberPath) => void,
): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  return new Proxy(isList ? [] : {}, {
    get: (_, key) => {
      const inner: unknown = Reflect.get(value, key);
      if (typeof key === 'symbol') return inner;
      // Methods of lists read every index and the length: only what the guard reads itself is noted.
      if (typeof inner === 'function') return (inner as () => unknown).bind(value);
      const at = `${path}.${isList && key !== 'length' ? ANY : key}`;
      if (typeof inner === 'number') note(at);
      return watchedValue(inner, at, note);
    },
    has: (_, key) => Reflect.has(value, key),
    ownKeys: () => Reflect.ownKeys(value),
    getOwnPropertyDescriptor: (target, key) =>
      isList && key === 'length'
        ? Reflect.getOwnPropertyDescriptor(target, key)
        : { value: Reflect.get(value, key) as unknown, enumerable: true, configurable: true },
  });
};
