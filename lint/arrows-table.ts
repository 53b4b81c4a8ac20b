import type { SourceFolder } from './import-directions.js';
import { leaves, sourceFolders } from './import-directions.js';

/** Where docs/architecture.md has the table. */
const TABLE_START = '<!-- arrows: written by `npm run arrows` from lint/import-directions.ts -->';
const TABLE_END = '<!-- end of arrows -->';

/** The folders of src as a Markdown table: their content, and what they may import. */
export const arrowsTable = (): string => {
  const all = Object.entries<SourceFolder>(sourceFolders);
  return [
    '| folder of `src` | content | may import |',
    '| --- | --- | --- |',
    ...all.map(([name, folder]) => `| \`${name}\` | ${folder.purpose} | ${importsText(folder)} |`),
    `| \`${leaves.join('`, `').replaceAll('.js', '.ts')}\` | every error; a thrown value as data; untrusted values as bounded plain JSON; deep freezing; the name a misspelt one is close to | each other |`,
    '| `index.ts`, `testing.ts` | the entry points, named exports only | every folder |',
  ].join('\n');
};

const importsText = ({ mayImport }: SourceFolder): string =>
  mayImport.map((entry) => `\`${entry.replace(/\/$/, '')}\``).join(', ');

/** A document with the table in it as it is now. */
export const withArrowsTable = (document: string): string => {
  const start = document.indexOf(TABLE_START);
  const end = document.indexOf(TABLE_END);
  if (start < 0 || end < start) throw new Error(`The document has no ${TABLE_START}`);
  const before = document.slice(0, start + TABLE_START.length);
  return `${before}\n\n${arrowsTable()}\n\n${document.slice(end)}`;
};
