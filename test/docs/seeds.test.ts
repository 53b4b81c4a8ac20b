import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

/* docs/seeds.md answers every behaviour of the five seeds. This checks that it is complete and its answers exist. */

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const document = readFileSync(join(root, 'docs/seeds.md'), 'utf8');

/** How many behaviours the checklist numbers for each seed. */
const COUNTS = { '000': 42, '001': 51, '002': 57, '003': 37, '004': 31 };

const allIds = Object.entries(COUNTS).flatMap(([seed, count]) =>
  Array.from({ length: count }, (_, index) => `${seed}.${String(index + 1).padStart(2, '0')}`),
);

const rows = [
  ...document.matchAll(/^\| (?<id>\d{3}\.\d{2}) \|(?<says>.*?)\| (?<answer>.*) \|$/gm),
].map(({ groups }) => ({
  id: groups?.['id'] ?? '',
  says: (groups?.['says'] ?? '').trim(),
  answers: (groups?.['answer'] ?? '').split(' · '),
}));

const TEST = /^`(?<file>test\/[\w./-]+\.test(?:-d)?\.ts)`: "(?<title>.+)"$/;
const LINK = /^\[[^\]]+\]\((?<target>[^)#]+)(?:#[^)]*)?\)$/;
const PART = /^part [4-6]: \S.*$/;

/** The titles in a test file, as they are written: the first argument of a call. */
const titlesIn = (file: string): Set<string> =>
  new Set(
    [
      ...readFileSync(file, 'utf8').matchAll(
        /[([]\s*(?<literal>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")/g,
      ),
    ].map(({ groups }) => (groups?.['literal'] ?? '').slice(1, -1).replaceAll(/\\(.)/g, '$1')),
  );

const problemOf = (answer: string): string | undefined => {
  const test = TEST.exec(answer)?.groups;
  if (test !== undefined) {
    const file = join(root, test['file'] ?? '');
    if (!existsSync(file)) return `no file ${test['file'] ?? ''}`;
    return titlesIn(file).has(test['title'] ?? '') ? undefined : `no test ${answer}`;
  }
  const target = LINK.exec(answer)?.groups?.['target'];
  if (target !== undefined) {
    return existsSync(join(root, 'docs', target)) ? undefined : `no document ${target}`;
  }
  return PART.test(answer) ? undefined : `not an answer: ${answer}`;
};

describe('the table of seed behaviours', () => {
  it('has all 218 behaviours, once each and in order', () => {
    expect(allIds).toHaveLength(218);
    expect(rows.map(({ id }) => id)).toEqual(allIds);
  });

  it('describes each of them', () => {
    expect(rows.filter(({ says }) => says === '')).toEqual([]);
  });

  it('answers each with an existing test, document or part of the work', () => {
    const problems = rows.flatMap(({ id, answers }) =>
      answers.flatMap((answer) => {
        const problem = problemOf(answer);
        return problem === undefined ? [] : [`${id}: ${problem}`];
      }),
    );
    expect(problems).toEqual([]);
  });

  it('answers most of them with tests', () => {
    const tested = rows.filter(({ answers }) => answers.some((answer) => TEST.test(answer)));
    expect(tested.length).toBeGreaterThan(190);
  });
});
