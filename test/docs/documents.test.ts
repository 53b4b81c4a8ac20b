import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from 'vitest';

import { anchors, prose, relativeLinks } from './markdown.js';

/* Documents may only name what exists: files, headings, and names in files. */

const root = join(import.meta.dirname, '../..');
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'visualizations/README.md',
  'docs/agents.md',
  'docs/architecture.md',
  'docs/durable-runs.md',
  'docs/embedding.md',
  'docs/getting-started.md',
  'docs/glossary.md',
  'docs/openai.md',
  'docs/production.md',
  'docs/prove.md',
  'docs/internals/museum.md',
  'docs/internals/mutations.md',
  'docs/internals/tracing.md',
  'docs/policy.md',
  'docs/replanning.md',
  'docs/runs.md',
  'docs/simulation.md',
  'docs/stores.md',
  'docs/time-travel.md',
  'docs/privacy.md',
  'docs/testing.md',
  ...readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`),
];

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const isBroken = (document: string, link: string): boolean => {
  const [path = '', fragment] = link.split('#');
  const target = path === '' ? document : relative(root, join(root, dirname(document), path));
  if (!existsSync(join(root, target))) return true;
  return fragment !== undefined && !anchors(read(target)).includes(fragment);
};

/** A name that a document places in a file, in backticks or quotes: `canReplan` in `src/guards/budget.ts`. */
const statements = (text: string): { readonly name: string; readonly path: string }[] =>
  [
    ...prose(text).matchAll(
      /(?:`(?<code>[^`]+)`|"(?<title>[^"]+)") in \[?`(?<path>[\w./-]+\.ts)`/g,
    ),
  ].map(({ groups }) => ({
    name: groups?.['code'] ?? groups?.['title'] ?? '',
    path: groups?.['path'] ?? '',
  }));

/** Paths of the repository that are named in backticks. */
const paths = (text: string): string[] =>
  [...prose(text).matchAll(/`(?<path>(?:src|test|scripts|examples|docs|bench)\/[\w./-]+)`/g)].map(
    ({ groups }) => groups?.['path'] ?? '',
  );

describe.each(documents)('%s', (document) => {
  const text = read(document);

  it('has no broken link', () => {
    expect(relativeLinks(text).filter((link) => isBroken(document, link))).toEqual([]);
  });

  it('names only existing files', () => {
    expect(paths(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only texts that are in the named file', () => {
    const wrong = statements(text).filter(
      ({ name, path }) => !existsSync(join(root, path)) || !read(path).includes(name),
    );
    expect(wrong).toEqual([]);
  });
});
