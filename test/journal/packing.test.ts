import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { JournalCorruptError } from '../../src/errors.js';
import { pack } from '../../src/journal/format/pack.js';
import { unpack } from '../../src/journal/format/unpack.js';
import { Vocabulary } from '../../src/journal/format/vocabulary.js';

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** JSON with what is awkward: few names and words, so that they repeat; keys of the run; numbers of every kind. */
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('', 'a', 'abc', 'run/a', 'run/', 'run', '/', 'a long text that comes again'),
    fc.string(),
    fc.constantFrom(0, 1, -1, -5, 0.5, 1e300, 2 ** 53, 2 ** 60, Number.MAX_SAFE_INTEGER),
    fc.integer(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((number) => (number === 0 ? 0 : number)),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', 'constructor', 'toString', '1', '0', 'length', 'a b'),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;

describe('packing', () => {
  it('gives everything back as it was, one value after the other, down to the order of members', () => {
    fc.assert(
      fc.property(fc.array(anyJson, { maxLength: 8 }), (values) => {
        const writer = new Vocabulary('run');
        const reader = new Vocabulary('run');
        for (const value of values) {
          const packed = throughJson(pack(value, writer));
          expect(JSON.stringify(unpack(packed, reader))).toBe(JSON.stringify(value));
        }
        expect(reader.extent).toEqual(writer.extent);
      }),
      { numRuns: 300 },
    );
  });

  it('holds no object: a database that sorts members changes nothing', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const packed = JSON.stringify(pack(value, new Vocabulary('run')));
        // Texts may hold what they like, a quoted quote and a brace too.
        expect(packed.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '')).not.toMatch(/[{}]/u);
      }),
      { numRuns: 50, examples: [[['"}', '{"']]] },
    );
  });

  it('writes a text once, and an output that is the same object once', () => {
    const vocabulary = new Vocabulary('run');
    const output = { text: 'x'.repeat(1_000), list: [1, 2, 3] };
    const first = JSON.stringify(pack({ output, again: output.text }, vocabulary));
    expect(first.length).toBeLessThan(1_100);
    expect(JSON.stringify(pack({ output }, vocabulary, output)).length).toBeLessThan(30);
  });

  it('may be said on top of another, which learns nothing from it', () => {
    const base = new Vocabulary('run');
    pack({ name: 'the first' }, base);
    const { extent } = base;
    const packed = throughJson(
      pack({ name: 'the first', other: 'the second' }, new Vocabulary('run', base)),
    );
    expect(base.extent).toEqual(extent);
    // What the base learns later has numbers of its own.
    pack({ name: 'the third', more: 'the fourth' }, base);
    expect(unpack(packed, new Vocabulary('run', base, extent))).toEqual({
      name: 'the first',
      other: 'the second',
    });
  });

  it.each([
    [7],
    [[7, 1]],
    [[-3, 'names', 1]],
    [[-3, ['a'], 1, 2]],
    [[-3, ['__proto__'], -1]],
    [{ a: 1 }],
    [[]],
    [[null]],
  ])('refuses what nobody has packed: %j', (packed) => {
    expect(() => unpack(packed, new Vocabulary('run'))).toThrow(JournalCorruptError);
  });
});
