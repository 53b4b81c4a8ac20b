import { describe, expect, it } from 'vitest';

import { amountText, metricName } from '../../src/cli/quantities.js';
import { run } from '../../src/cli/run.js';
import { terminalOf } from '../../src/cli/terminal.js';
import { METRICS } from '../../src/proof/prove/metrics.js';

const ERASE = '\r\u001B[2K';

/** A stream that keeps what is written to it. */
const stream = (traits: { readonly isTTY?: boolean; readonly columns?: number } = {}) => {
  const written: string[] = [];
  return { ...traits, written, write: (text: string) => written.push(text) };
};

const proved = async (stderr: ReturnType<typeof stream>, ...more: string[]) => {
  const stdout = stream();
  const args = ['prove', 'fixed', '--steps', '1', ...more];
  const code = await run(args, terminalOf(stdout, stderr));
  expect(code).toBe(0);
  return stdout.written.join('');
};

describe('the progress of a proof', () => {
  it('is shown on a terminal, in one line that is removed at the end', async () => {
    const stderr = stream({ isTTY: true, columns: 200 });
    const printed = await proved(stderr);
    const lines = stderr.written.map((text) => text.replace(ERASE, ''));
    // At least one for every chart, the last of them empty; there is never a line feed.
    expect(lines).toContainEqual(
      expect.stringMatching(/^the plan of the goal: \d+ states, \d+ moves, \d+ states to go$/),
    );
    expect(lines.filter((line) => line.startsWith('a call: '))).toHaveLength(1);
    expect(lines.at(-1)).toBe('');
    for (const text of stderr.written) expect(text).toMatch(/^\r\u001B\[2K[^\r\n\u001B]*$/);
    expect(printed).toMatch(/^PROVED\n/);
    expect(printed).not.toContain('\u001B');
  });

  it.each([
    [20, 19],
    // Not every terminal reports its width.
    [0, 79],
  ])(
    'is cut to the width of the terminal, because a longer line could not be removed: %i',
    async (columns, most) => {
      const stderr = stream({ isTTY: true, columns });
      const terminal = terminalOf(stream(), stderr);
      terminal.progress?.('x'.repeat(300));
      expect(stderr.written).toEqual([`${ERASE}${'x'.repeat(most)}`]);
    },
  );

  it('is not written to files and pipes', async () => {
    const stderr = stream();
    await proved(stderr, '--json');
    expect(stderr.written).toEqual([]);
  });
});

describe('the text of a bound', () => {
  it('has singular and plural', () => {
    const texts = METRICS.map((metric) => [1, 2].map((value) => amountText(metric, value)));
    expect(texts).toEqual([
      ['1 planner call', '2 planner calls'],
      ['1 agent call', '2 agent calls'],
      ['1 replan', '2 replans'],
      ['1 step started', '2 steps started'],
      ['1 level of sub-plans', '2 levels of sub-plans'],
      ['1 approval', '2 approvals'],
      ['1 ms', '2 ms'],
    ]);
    expect(METRICS.map(metricName)).toContain('time in ms');
  });

  it('names plans of one step, and has units of time', async () => {
    const printed = await proved(stream());
    expect(printed).toContain('with plans of at most 1 step:');
    expect(printed).toContain('Path to the maximum of 1 step started:');
    expect(printed).toContain('Path to the maximum of 1 h 5 s:');
    expect(printed).not.toMatch(/\b1 (?:steps|calls|replans|questions|levels)\b/);
  });
});
