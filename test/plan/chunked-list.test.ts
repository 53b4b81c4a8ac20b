import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { chunkedListOf, itemAt, itemsOf, withItem } from '../../src/plan/chunked-list.js';

const CHUNK_LENGTH = 256;

describe('a chunked list', () => {
  it('equals the list it was made from', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 3 * CHUNK_LENGTH }), (items) => {
        const list = chunkedListOf(items);
        expect(itemsOf(list)).toEqual(items);
        expect(items.map((_, index) => itemAt(list, index))).toEqual(items);
      }),
    );
  });

  it('behaves like an array under any changes, and old versions stay unchanged', () => {
    const change = fc.record({ index: fc.nat(2 * CHUNK_LENGTH), item: fc.integer() });
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1, maxLength: 2 * CHUNK_LENGTH }),
        fc.array(change, { maxLength: 20 }),
        (items, changes) => {
          let list = chunkedListOf(items);
          let model = items;
          for (const { index, item } of changes) {
            const before = itemsOf(list);
            const next = withItem(list, index, item);
            if (index < model.length) model = model.with(index, item);
            else expect(next).toBe(list);
            expect(itemsOf(list)).toEqual(before);
            list = next;
            expect(itemsOf(list)).toEqual(model);
          }
        },
      ),
    );
  });

  it('copies one chunk for one change and shares the others', () => {
    const list = chunkedListOf(Array.from({ length: 3 * CHUNK_LENGTH }, (_, index) => index));
    const next = withItem(list, CHUNK_LENGTH, -1);
    expect(next[0]).toBe(list[0]);
    expect(next[1]).not.toBe(list[1]);
    expect(next[2]).toBe(list[2]);
  });

  it.each([-1, 2, CHUNK_LENGTH, Number.NaN, Number.POSITIVE_INFINITY])(
    'has nothing at %s and changes nothing there when it has two items',
    (index) => {
      const list = chunkedListOf(['a', 'b']);
      expect(itemAt(list, index)).toBeUndefined();
      expect(withItem(list, index, 'x')).toBe(list);
    },
  );

  it('is plain JSON', () => {
    const list = chunkedListOf(Array.from({ length: 300 }, (_, index) => ({ index })));
    expect(JSON.parse(JSON.stringify(list))).toEqual(list);
  });
});
