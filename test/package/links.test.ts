import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { beforeAll, describe, expect, it, vi } from 'vitest';

import { relativeLinks } from '../docs/markdown.js';
import { patienceMs, printedBy } from './command.js';
import { packedFiles, root } from './manifest.js';

/* A page in node_modules has only the files beside it that npm has packed. */

vi.setConfig({ hookTimeout: patienceMs });

const pages = packedFiles.filter((path) => path.endsWith('.md'));

describe('the packed pages', () => {
  const packed = new Set<string>();

  beforeAll(async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const [tarball] = JSON.parse(await printedBy('npm', args, root)) as [
      { readonly files: readonly { readonly path: string }[] },
    ];
    for (const { path } of tarball.files) packed.add(path);
  });

  it('are README.md, CHANGELOG.md and the documents for users', () => {
    const listed = [...packed].filter((path) => path.endsWith('.md'));
    expect(listed.sort()).toEqual([...pages].sort());
    expect(listed).toContain('docs/getting-started.md');
  });

  it.each(pages)('have no link to a file that is not packed: %s', (page) => {
    const links = relativeLinks(readFileSync(join(root, page), 'utf8'));
    const targets = links.map((link) => {
      const [path = ''] = link.split('#');
      return path === '' ? page : relative(root, join(root, dirname(page), path));
    });
    expect(targets.filter((path) => !packed.has(path))).toEqual([]);
  });
});
