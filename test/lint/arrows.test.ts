import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { arrowsTable } from '../../lint/arrows-table.js';
import { sourceFolders, wrongDirection } from '../../lint/import-directions.js';

const root = join(import.meta.dirname, '../..');

/** Markdown tables differ in padding only: the formatter aligns them. */
const cells = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the import directions between folders', () => {
  it('are in docs/architecture.md as the lint enforces them', () => {
    const document = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const shown = cells(document).map((row) => row.join('|'));
    for (const row of cells(arrowsTable())) expect(shown).toContain(row.join('|'));
  });

  it('name every folder of src, and no other', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(Object.keys(sourceFolders).toSorted()).toEqual(folders.toSorted());
  });

  it('form no cycle: a room imports only from sourceFolders listed before it', () => {
    const names = Object.keys(sourceFolders);
    for (const [index, room] of names.entries()) {
      for (const later of names.slice(index + 1)) {
        expect(
          wrongDirection(`${room}/x.ts`, `../${later}/x.js`),
          `${room} from ${later}`,
        ).toBeDefined();
      }
    }
  });
});
