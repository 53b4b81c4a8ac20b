/* The parts of Markdown that the tests of the documents read. */

/** The contents of every fenced block of one language. */
export const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(?<language>\w*)\n(?<code>[\s\S]*?)^```$/gm)].flatMap(({ groups }) =>
    groups?.['language'] === language ? [groups['code'] ?? ''] : [],
  );

/** The text without its fenced blocks: what is left is prose, links and tables. */
export const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The cells of every row of the table with this first heading. */
export const tableRows = (text: string, heading: string): string[][] => {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => cells(line)[0] === heading);
  if (start < 0) return [];
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end < 0 ? undefined : end).map(cells);
};

/** The headings of the table with this first heading. */
export const tableHead = (text: string, heading: string): string[] =>
  text
    .split('\n')
    .map(cells)
    .find(([first]) => first === heading) ?? [];

const cells = (line: string): string[] =>
  line.startsWith('|')
    ? line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    : [];

/** The targets of relative links: files and headings in files. */
export const relativeLinks = (text: string): string[] =>
  [
    ...prose(text).matchAll(/\]\((?<target>[^)\s]+)\)/g),
    ...prose(text).matchAll(/ (?:href|src)="(?<target>[^"]+)"/g),
  ].flatMap(({ groups }) => {
    const target = groups?.['target'] ?? '';
    return /^[a-z]+:/.test(target) ? [] : [target];
  });

/** The anchors of headings, as GitHub makes them. */
export const anchors = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (?<heading>.+)$/gm)].map(({ groups }) =>
    (groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
