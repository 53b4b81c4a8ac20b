import { isSameJson } from '../canonical-json.js';
import type { Fact } from '../model/facts.js';

/**
 * Whether two builds tell the same fact. The team at the start of the run does not count: an added agent changes
 * nothing, and a missing one is checked by name.
 */
export const isSameFact = (left: Fact | undefined, right: Fact | undefined): boolean =>
  isSameJson(comparable(left), comparable(right));

const comparable = (fact: Fact | undefined): unknown =>
  fact?.type === 'run.started' ? { ...fact, agents: [] } : fact;

/** Longer texts of a fact are cut; a fact may hold an agent's whole output. */
const CHARACTERS_MAX = 300;

/** How two facts differ, in words: by their types, or by the members that are not the same. */
export const differenceOf = (
  expected: Fact | undefined,
  actual: Fact | undefined,
): { readonly expected: string; readonly actual: string } => {
  if (expected?.type !== actual?.type) {
    return { expected: inWords(expected), actual: inWords(actual) };
  }
  const [left, right]: Readonly<Record<string, unknown>>[] = [{ ...expected }, { ...actual }];
  const names = Object.keys({ ...left, ...right }).filter(
    (name) => !isSameJson(left?.[name], right?.[name]),
  );
  return { expected: inWords(expected, names), actual: inWords(actual, names) };
};

/** `step.failed (stepId "a", attempts 2)`. */
const inWords = (fact: Fact | undefined, names?: readonly string[]): string => {
  if (fact === undefined) return 'no further fact';
  const members = Object.entries(fact)
    .filter(([name]) => names?.includes(name) ?? !['type', 'sequence', 'at'].includes(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ');
  const text = members === '' ? fact.type : `${fact.type} (${members})`;
  return text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX)}…` : text;
};
