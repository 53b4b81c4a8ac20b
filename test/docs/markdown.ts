/* As much of Markdown as the tests of the documents need to read. */

/** The contents of every fenced block of one language. */
export const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(?<language>\w*)\n(?<code>[\s\S]*?)^```$/gm)].flatMap(({ groups }) =>
    groups?.['language'] === language ? [groups['code'] ?? ''] : [],
  );

/** The text without its fenced blocks: what is left is prose, links and tables. */
export const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The cells of every row of the table whose first heading this is. */
export const tableRows = (text: string, heading: string): string[][] => {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => cells(line)[0] === heading);
  if (start < 0) return [];
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end < 0 ? undefined : end).map(cells);
};

const cells = (line: string): string[] =>
  line.startsWith('|')
    ? line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    : [];

/** The targets of relative links: files and places in files. */
export const relativeLinks = (text: string): string[] =>
  [
    ...prose(text).matchAll(/\]\((?<target>[^)\s]+)\)/g),
    ...prose(text).matchAll(/ (?:href|src)="(?<target>[^"]+)"/g),
  ].flatMap(({ groups }) => {
    const target = groups?.['target'] ?? '';
    return /^[a-z]+:/.test(target) ? [] : [target];
  });

/** The names that headings can be linked by, as GitHub makes them. */
export const anchors = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (?<heading>.+)$/gm)].map(({ groups }) =>
    (groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
