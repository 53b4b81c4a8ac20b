import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hasHiddenCharacters, visibleText } from '../../src/plan/visible-text.js';

describe('text without hidden characters', () => {
  it('is unchanged, in any language', () => {
    for (const text of [
      '',
      'Write the tests first,\n\tthen the code.\r\n',
      'Café, naïve, Ωmega, Привет, 日本語, 한국어, العربية, עברית, हिन्दी, ไทย',
      // Joiners and non-joiners of Persian and Hindi, a variant of a Chinese character, a sign around a number.
      'می\u200cخواهم',
      'क्\u200dष',
      '葛\u{e0100}城',
      '\u06dd٣',
      // Emoji made of several characters.
      '👩\u200d💻 👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈 👍🏽 👩🏽\u200d💻',
      // As many marks as a letter may have, and a lone surrogate.
      `e${'\u0301'.repeat(16)}`,
      '\ud800',
    ]) {
      expect(visibleText(text)).toBe(text);
      expect(hasHiddenCharacters(text)).toBe(false);
    }
  });
});

describe('text with hidden characters', () => {
  it('is escaped: directions, zero widths, tags, fillers, misplaced selectors, controls', () => {
    for (const [hidden, shown] of [
      ['Delete the \u202elogs\u202c', 'Delete the \\u{202e}logs\\u{202c}'],
      ['\u2066a\u2069\u200e\u200f\u061c', '\\u{2066}a\\u{2069}\\u{200e}\\u{200f}\\u{61c}'],
      ['pass\u200bword\u2060\ufeff', 'pass\\u{200b}word\\u{2060}\\u{feff}'],
      ['last \u{e0041}\u{e0042}year', 'last \\u{e0041}\\u{e0042}year'],
      ['a\u00adb\u3164\u115f\u034f', 'a\\u{ad}b\\u{3164}\\u{115f}\\u{34f}'],
      ['a\u200db \u200c', 'a\\u{200d}b \\u{200c}'],
      ['👩\u200dx', '👩\\u{200d}x'],
      ['a\u{e0100}', 'a\\u{e0100}'],
      ['a\ufe00\ufe01', 'a\ufe00\\u{fe01}'],
      ['\ufe0f', '\\u{fe0f}'],
      ['yes\rno', 'yes\\u{d}no'],
      ['\u001b[2J\u0000\u0008\u0085', '\\u{1b}[2J\\u{0}\\u{8}\\u{85}'],
    ] as const) {
      expect(visibleText(hidden)).toBe(shown);
      expect(hasHiddenCharacters(hidden)).toBe(true);
    }
  });

  it('is escaped only where marks pile up', () => {
    const pile = '\u0301'.repeat(17);
    expect(visibleText(`e\u0301 a${pile}b`)).toBe(`e\u0301 a${'\\u{301}'.repeat(17)}b`);
  });

  it('has nothing left to escape afterwards, and loses nothing', () => {
    const hiding = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.string({ unit: 'binary' }),
          fc.constantFrom('\u202e', '\u200d', '\u{e0041}', '\r', '\u0301'.repeat(17)),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(hiding, (text) => {
        const shown = visibleText(text);
        expect(hasHiddenCharacters(shown)).toBe(false);
        if (text.includes('\\u{')) return;
        const written = shown.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, code: string) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        );
        expect(written).toBe(text);
      }),
    );
  });
});
