import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Painter } from '../../examples/supervised-run/view/terminal.js';
import {
  clipped,
  fitted,
  oneLine,
  safeLines,
  widthOf,
  wrapped,
} from '../../examples/supervised-run/view/text.js';

describe('text on a terminal', () => {
  it('is measured in visible columns', () => {
    expect(widthOf('plain')).toBe(5);
    expect(widthOf('größer')).toBe(6);
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('日本')).toBe(4);
    expect(widthOf('👩‍👩‍👧')).toBe(2);
    expect(widthOf('🇩🇪')).toBe(2);
    expect(widthOf('')).toBe(0);
  });

  it('is cut between visible characters', () => {
    expect(clipped('abcdef', 4)).toBe('abc…');
    expect(clipped('abcd', 4)).toBe('abcd');
    expect(clipped('日本語', 4)).toBe('日…');
    expect(clipped('ab👩‍👩‍👧cd', 4)).toBe('ab…');
    expect(clipped('abc', 0)).toBe('');
    expect(clipped('abcdef', 4, '~')).toBe('abc~');
  });

  it('has no control characters, and shows where they were', () => {
    expect(oneLine('a\u001B[31mb')).toBe('a\\u{1b}[31mb');
    expect(oneLine(' two\n\t words ')).toBe('two words');
    expect(oneLine('\u200Bx\u202Ey\uFEFF')).toBe('\\u{200b}x\\u{202e}y');
    expect(oneLine('👩‍👧')).toBe('👩‍👧');
    expect(safeLines('a\r\n  - b\u0007\n\n')).toEqual(['a', '  - b\\u{7}', '', '']);
  });

  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  const columns = fc.integer({ min: 2, max: 40 });

  it('fits its width, whatever it contains', () => {
    fc.assert(
      fc.property(text, columns, (any, room) => {
        const safe = oneLine(any);
        expect(safe).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(widthOf(clipped(safe, room))).toBeLessThanOrEqual(room);
        expect(widthOf(fitted(safe, room))).toBe(room);
        for (const line of wrapped(safe, room)) expect(widthOf(line)).toBeLessThanOrEqual(room);
        expect(wrapped(safe, room).join('').replaceAll(' ', '')).toBe(safe.replaceAll(' ', ''));
      }),
    );
  });
});

describe('the painter', () => {
  const painter = (): { written: string[]; painter: Painter } => {
    const written: string[] = [];
    return { written, painter: new Painter((output) => written.push(output)) };
  };

  it('writes only changed lines, all at once', () => {
    const { written, painter: screen } = painter();
    screen.open();
    screen.paint(['one', 'two', 'three']);
    written.length = 0;
    screen.paint(['one', '2', 'three']);
    expect(written).toEqual(['\u001B[?2026h\u001B[2;1H2\u001B[0m\u001B[K\u001B[?2026l']);
    screen.paint(['one', '2', 'three']);
    expect(written).toHaveLength(1);
    screen.paint(['one']);
    expect(written[1]).toBe('\u001B[?2026h\u001B[2;1H\u001B[J\u001B[?2026l');
  });

  it('repaints everything on a screen of another size', () => {
    const { written, painter: screen } = painter();
    screen.open();
    screen.paint(['one', 'two']);
    written.length = 0;
    screen.forget();
    screen.paint(['one', 'two']);
    expect(written[0]).toContain('\u001B[2J');
    expect(written[1]).toContain('one');
    expect(written[1]).toContain('two');
  });

  it('restores the terminal once, and paints nothing afterwards', () => {
    const { written, painter: screen } = painter();
    screen.open();
    screen.close();
    screen.close();
    screen.paint(['late']);
    screen.forget();
    expect(written).toHaveLength(2);
    expect(written[1]).toBe('\u001B[?7h\u001B[?25h\u001B[?1049l');
  });
});
