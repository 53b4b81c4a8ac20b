import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from 'vitest';

import { relativeLinks } from '../docs/markdown.js';
import { packedFiles, root } from './manifest.js';

/* A page in node_modules has only the files beside it that npm has packed. */

const pages = packedFiles.filter((path) => path.endsWith('.md'));

/** Whether a path is a packed file, or lies in a packed folder. */
const isPacked = (path: string): boolean =>
  packedFiles.some(
    (packed) =>
      path === packed ||
      (path.startsWith(`${packed}/`) && statSync(join(root, packed)).isDirectory()),
  );

describe('the packed pages', () => {
  it('are README.md, CHANGELOG.md and the documents for users, and exist', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/getting-started.md']));
    expect(pages.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(pages.length).toBeGreaterThan(15);
  });

  it.each(pages)('have no link to a file that is not packed: %s', (page) => {
    const links = relativeLinks(readFileSync(join(root, page), 'utf8'));
    const targets = links.map((link) => {
      const [path = ''] = link.split('#');
      return path === '' ? page : relative(root, join(root, dirname(page), path));
    });
    expect(targets.filter((path) => !isPacked(path))).toEqual([]);
  });
});
