import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { presets } from '../../src/index.js';
import { inHouseFormat } from './project-format.js';
import { codeBlocks } from './markdown.js';

/* The code in README.md and the pages of docs equals the examples, and its comments equal their output. */

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Pages for an empty folder: their snippets have the names that a reader gives them. */
const folders: Readonly<Record<string, string>> = {
  'README.md': 'examples',
  'docs/getting-started.md': 'examples/getting-started',
};

/** Read in this order: an example that is shown twice is run once. */
const pages = [
  'README.md',
  'docs/getting-started.md',
  'docs/agents.md',
  'docs/runs.md',
  'docs/durable-runs.md',
  'docs/policy.md',
  'docs/replanning.md',
  'docs/embedding.md',
  'docs/stores.md',
  'docs/time-travel.md',
  'docs/privacy.md',
  'docs/testing.md',
];

/** Examples that print nothing by themselves, and the tests that use them. */
const usedBy: Readonly<Record<string, string>> = {
  'examples/test-agents.ts': 'test/examples/test-agents.test.ts',
  'examples/publishing.ts': 'test/docs/service.test.ts',
  'examples/service.ts': 'test/docs/service.test.ts',
  'examples/postgres-store.ts': 'test/stores/postgres/server.test.ts',
  'examples/indexed-db-store.ts': 'test/stores/indexed-db/page.ts',
  'examples/react/run-view.tsx': 'test/docs/react.test.ts',
  'examples/react/goal-actor.tsx': 'test/docs/react.test.ts',
  'examples/react/run-actor.tsx': 'test/docs/react.test.ts',
};

const snippetsOf = (
  page: string,
): { readonly path: string | undefined; readonly code: string }[] => {
  const text = readFileSync(join(root, page), 'utf8');
  return [...codeBlocks(text, 'ts'), ...codeBlocks(text, 'tsx')].map((block) => {
    const [first = '', ...rest] = block.split('\n');
    const name = /^\/\/ (\S+\.tsx?)$/.exec(first)?.[1] ?? '';
    const folder = folders[page];
    const path = folder === undefined || name.includes('/') ? name : `${folder}/${name}`;
    return { path: path.startsWith('examples/') ? path : undefined, code: rest.join('\n') };
  });
};

const shown = new Set(pages.flatMap(snippetsOf).map(({ path = 'unnamed' }) => path));

/** The example as a user of the package writes it, in the project's format. */
const asShown = async (path: string): Promise<string> => {
  const source = readFileSync(join(root, path), 'utf8');
  const imported = source
    .replaceAll(/'(?:\.\.\/)+src\/index\.js'/g, "'planwright'")
    .replaceAll(
      /'(?:\.\.\/)+src\/services\/stores\/([a-z-]+)\/index\.js'/g,
      "'planwright/store/$1'",
    )
    .replaceAll(/'(?:\.\.\/)+src\/services\/stores\/index\.js'/g, "'planwright/store'")
    .replaceAll(/'(?:\.\.\/)+src\/testing\.js'/g, "'planwright/testing'");
  return inHouseFormat(path, imported);
};

let played = 0;

/** Runs an example and returns the lines it prints. */
const printedBy = async (path: string): Promise<string[]> => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  // Loaded anew: an example that another test has loaded before would print nothing.
  await import(`${join(root, path)}?played=${(played += 1)}`);
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

describe.each(pages)('%s', (page) => {
  const snippets = snippetsOf(page);

  it('names the file of every snippet', () => {
    expect(snippets.map(({ path }) => path)).not.toContain(undefined);
    expect(snippets.length).toBeGreaterThan(0);
  });

  it.each(snippets)(
    'shows $path as it is in the repository',
    async ({ path = 'unnamed', code }) => {
      expect(code).toBe(await asShown(path));
    },
  );
});

describe('the examples', () => {
  it('are all shown in a document', () => {
    const files = [
      ...readdirSync(join(root, 'examples')),
      ...['react', 'getting-started'].flatMap((folder) =>
        readdirSync(join(root, 'examples', folder)).map((name) => `${folder}/${name}`),
      ),
    ].filter((name) => /^(?!openai-).*\.tsx?$/.test(name)); // those are in docs/openai.md, which has its own test
    expect(files.map((name) => `examples/${name}`).sort()).toEqual([...shown].sort());
  });

  // test/package/getting-started.test.ts runs the files of that page on the packed package.
  const printing = [...shown].filter(
    (file) => usedBy[file] === undefined && !file.startsWith('examples/getting-started/'),
  );
  for (const path of printing) {
    it(`print what their comments say: ${path}`, async () => {
      const printed = await printedBy(path);
      expect(printed).not.toHaveLength(0);
      const promised = promisedBy(path);
      expect(printed.filter((line) => promised.includes(line))).toEqual(promised);
    });
  }

  it.each(Object.entries(usedBy))(
    'are used by a test when they print nothing: %s by %s',
    (path, test) => {
      expect(shown).toContain(path);
      expect(existsSync(join(root, path))).toBe(true);
      const name = basename(path).replace(/\.tsx?$/, '.js');
      expect(readFileSync(join(root, test), 'utf8')).toContain(`/${name}'`);
    },
  );
});

describe('README.md', () => {
  const [firstExample = ''] = codeBlocks(readme, 'ts');
  const [shownOutput = ''] = codeBlocks(readme, 'text'); // for the next one see test/examples/demo.test.ts

  it('is short enough to be read', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(200);
  });

  it('opens with two sentences, the installation and an example of at most 25 lines', () => {
    const [opening = ''] = readme.replace(/^# .+\n/, '').split('```');
    expect(opening.match(/[.] |[.]\n/g)).toHaveLength(2);
    expect(codeBlocks(readme, 'sh')[0]).toContain('npm install planwright xstate zod');
    expect(firstExample.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  });

  it('shows what the first example prints: a bound that is reached and kept', async () => {
    const printed = await printedBy('examples/bounded.ts');
    expect(printed.join('\n')).toBe(shownOutput.trimEnd());
    expect(shownOutput).toContain('refused');
  });

  it('shows a run, then the chart, then the commands of a clone, then the pages', () => {
    const places = [
      'visualizations/run.svg',
      'visualizations/orchestrator.overview.svg',
      'npm ci && npm start',
      'npm ci && npm test',
      '](docs/agents.md)',
    ].map((text) => readme.indexOf(text));
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places).not.toContain(-1);
  });

  it('lists every preset', () => {
    for (const name of Object.keys(presets)) expect(readme).toContain(`| \`${name}\``);
  });
});

describe('docs/policy.md', () => {
  it('says of every preset when to use it', () => {
    const page = readFileSync(join(root, 'docs/policy.md'), 'utf8');
    const told = [...page.matchAll(/^\*\*`(?<name>\w+)`\*\*:(?<text>[\s\S]*?)\n\n/gm)];
    expect(told.map(({ groups }) => groups?.['name'])).toEqual(Object.keys(presets));
    for (const { groups } of told) expect(groups?.['text']).toContain('Use it ');
  });
});

describe('docs/replanning.md', () => {
  it('shows the output of its program, except numbers and the longest file', async () => {
    const page = readFileSync(join(root, 'docs/replanning.md'), 'utf8');
    const [firstRunShown = ''] = codeBlocks(page, 'text');
    const printed = await printedBy('examples/first-run.ts');
    expect(withoutMeasures(printed.join('\n'))).toBe(withoutMeasures(firstRunShown.trimEnd()));
  });
});

/** The numbers, and the longest file of src, change with the source. */
const withoutMeasures = (text: string): string =>
  text.replaceAll(/\d+/g, 'N').replaceAll(/(?<=asks for |longest is )[^\s"]+/g, 'FILE');
