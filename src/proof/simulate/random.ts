import { textHash } from '../../guards/text-hash.js';

/** Reproducible randomness: all random choices of a world follow from its seed and a name. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = textHash(seed);
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    // Mulberry32: small, fast, and good enough to choose faults with.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** One of several; the fallback only when the list is empty. */
  pick<Item, None = undefined>(items: readonly Item[], none?: None): Item | None {
    const index = this.integer(0, items.length - 1);
    return index in items ? (items[index] as Item) : (none as None);
  }

  /** A random subset, in order. */
  some<Item>(items: readonly Item[], share: number): Item[] {
    return items.filter(() => this.chance(share));
  }
}
