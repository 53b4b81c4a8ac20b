import { escaped } from './html.js';

interface Told {
  readonly sentence: string;
  readonly below: Told[];
}

/** Sentences as a list; indented sentences, which tell of a child chart, as a nested list. */
export const wayList = (sentences: readonly string[]): string => listOf(nested(sentences));

const INDENT = '  ';

const nested = (sentences: readonly string[]): Told[] => {
  const top: Told[] = [];
  const open: Told[][] = [top];
  for (const line of sentences) {
    const sentence = line.trimStart();
    const depth = Math.min((line.length - sentence.length) / INDENT.length, open.length - 1);
    const told: Told = { sentence, below: [] };
    open[depth]?.push(told);
    open.splice(depth + 1, Infinity, told.below);
  }
  return top;
};

const listOf = (list: readonly Told[]): string =>
  list.length === 0
    ? ''
    : `<ol>${list.map(({ sentence, below }) => `<li>${sentenceText(sentence)}${listOf(below)}</li>`).join('')}</ol>`;

/** A number at the end of a sentence is its cost. */
const sentenceText = (sentence: string): string => {
  const [, text = sentence, count] = /^(.*) \((\d+)\)$/.exec(sentence) ?? [];
  const cost = count === undefined ? '' : ` <span class="cost">${count}</span>`;
  return `${escaped(text)}${cost}`;
};
