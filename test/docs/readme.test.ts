import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { presets } from '../../src/index.js';
import { codeBlocks, tableRows } from './markdown.js';

/* What README.md shows is what the examples are, and what it says they print is what they print. */

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

const snippets = codeBlocks(readme, 'ts').map((block) => {
  const [first = '', ...rest] = block.split('\n');
  return { path: /^\/\/ (examples\/\S+\.ts)$/.exec(first)?.[1], code: rest.join('\n') };
});

/** The example as a user of the package writes it, in the format of the house. */
const asShown = async (path: string): Promise<string> => {
  const source = readFileSync(join(root, path), 'utf8');
  const options = await resolveConfig(join(root, path));
  const imported = source.replaceAll("'../src/index.js'", "'planwright'");
  return format(imported, { ...options, parser: 'typescript' });
};

/** Runs an example and gives the lines it prints. */
const printedBy = async (path: string): Promise<string[]> => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  await import(join(root, path));
  return log.mock.calls.map((values) => values.join(' '));
};

/** The comments behind `console.log`, in order. */
const promisedBy = (path: string): string[] =>
  [
    ...readFileSync(join(root, path), 'utf8').matchAll(/console\.log\(.*\); \/\/ (?<text>.+)$/gm),
  ].map((match) => match.groups?.['text'] ?? '');

afterEach(() => {
  vi.restoreAllMocks();
});

describe('README.md', () => {
  it('names the file of every snippet', () => {
    expect(snippets.map(({ path }) => path)).not.toContain(undefined);
    expect(snippets.length).toBeGreaterThan(0);
  });

  for (const { path = 'unnamed', code } of snippets) {
    it(`shows ${path} as it is`, async () => {
      expect(code).toBe(await asShown(path));
    });

    it(`says what ${path} prints`, async () => {
      const printed = await printedBy(path);
      expect(printed).not.toHaveLength(0);
      const promised = promisedBy(path);
      expect(printed.filter((line) => promised.includes(line))).toEqual(promised);
    });
  }

  it('shows what npm start prints, but for the numbers', async () => {
    vi.resetModules();
    const printed = await printedBy('examples/first-run.ts');
    const [shown = ''] = codeBlocks(readme, 'text');
    expect(withoutNumbers(printed.join('\n'))).toBe(withoutNumbers(shown.trimEnd()));
  });

  it('tells the truth about the presets', () => {
    const rows = tableRows(readme, 'preset').map((row) => row.slice(0, 6));
    expect(rows).toEqual(
      Object.entries(presets).map(([name, preset]) => {
        const { limits, failure } = preset();
        const { maxReplans, maxParallel, maxAttempts, maxDepth } = limits;
        const numbers = [maxReplans, maxParallel, maxAttempts, maxDepth].map(String);
        return [`\`${name}\``, ...numbers, failure.onStepFailure];
      }),
    );
  });
});

const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, 'N');
