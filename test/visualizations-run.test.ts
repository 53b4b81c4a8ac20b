import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { runPicture } from '../scripts/visualize/run-picture.js';
import { recordingFile } from './examples/recorded-run.js';
import { elementsIn, hasClass, readSvg } from './svg-reader.js';

/* The picture of a run in README.md. visualizations.test.ts checks that it is up to date. */

describe('the picture of a run', () => {
  const picture = readSvg(runPicture(recordingFile));
  const texts = elementsIn(picture).filter(({ name }) => name === 'text');
  const wordsOf = (tone: string): string =>
    texts
      .filter((element) => hasClass(element, tone))
      .map(({ text }) => text)
      .join(' ');

  it('shows the parts of a run: plan, steps, bounds, escalation and what happened', () => {
    const words = texts.map(({ text }) => text).join(' ');
    for (const word of ['Plan 2', 'fix-money', 'Time', 'Calls', 'Replans', 'Tokens', '[none]'])
      expect(words).toContain(word);
    expect(words).toContain('scripted model');
  });

  it('has the colours of the terminal, and none of its codes', () => {
    expect(wordsOf('green')).toContain('completed, 1 fix');
    expect(wordsOf('yellow')).toContain('asked for a new plan');
    expect(wordsOf('cyan')).toContain('tester runs the tests');
    expect(runPicture(recordingFile)).not.toMatch(/\u001B|\[\d+m/);
  });

  it('keeps every word inside the window, and no words overlap', () => {
    const width = Number(picture.attributes['width']);
    const spans = texts.map(({ attributes }) => {
      const left = Number(attributes['x']);
      return { left, right: left + Number(attributes['textLength']), line: attributes['y'] };
    });
    expect(spans.filter(({ left, right }) => left < 0 || right > width)).toEqual([]);
    const overlapping = spans.filter((one, index) =>
      spans.some(
        (other, at) =>
          at > index && one.line === other.line && other.left < one.right && one.left < other.right,
      ),
    );
    expect(overlapping).toEqual([]);
  });

  it('is in README.md, right after the first example', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [above = ''] = readme.split('visualizations/run.svg');
    expect(above.split('\n').length).toBeLessThan(65);
  });
});
