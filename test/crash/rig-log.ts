import { readFileSync } from 'node:fs';

import type { Fact } from '../../src/model/facts.js';
import type { JournalEntry } from '../../src/journal/entry.js';

/* The logs of the processes of a rig, and the checks on them. */

interface Line {
  readonly at: bigint;
  readonly kind: string;
  readonly words: readonly string[];
}

/** A fact as one word: enough to compare it with the one in the journal. */
export const describeFact = (fact: Fact): string =>
  [fact.sequence, fact.type, 'key' in fact ? fact.key : '', fact.at].join('|').replaceAll(' ', '_');

/** The lines of several processes, in the order in which they were written. */
export const readLogs = (paths: readonly string[]): readonly Line[] =>
  paths
    .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
    .map((line) => {
      const [at = '0', kind = '', ...words] = line.split(' ');
      return { at: BigInt(at), kind, words };
    })
    .sort((left, right) => Number(left.at - right.at));

export const countOf = (lines: readonly Line[], wanted: string): number =>
  lines.filter(({ kind }) => kind === wanted).length;

export const unhandledIn = (lines: readonly Line[]): readonly string[] =>
  lines.flatMap(({ kind, words }) => (kind === 'unhandled' ? [words.join(' ')] : []));

/** Facts that a subscriber was told and that are not in the journal. */
export const lostFacts = (
  lines: readonly Line[],
  journals: ReadonlyMap<string, readonly JournalEntry[]>,
): readonly string[] => {
  const kept = new Map(
    [...journals].map(([runId, entries]) => [
      runId,
      new Set(entries.flatMap(({ facts }) => facts.map(describeFact))),
    ]),
  );
  return lines.flatMap(({ kind, words: [runId = '', fact = ''] }) =>
    kind === 'told' && kept.get(runId)?.has(fact) !== true ? [`${runId} ${fact}`] : [],
  );
};

/**
 * Calls that were repeated after they were answered. An answer counts once the agent has given it: a live process
 * keeps it, however long its store is unavailable.
 */
export const repeatedAfterAnswer = (lines: readonly Line[]): readonly string[] =>
  repeatedAfter(lines, ({ kind, words: [key] }) => (kind === 'answered' ? key : undefined));

/** The same for answers that count once a subscriber was told: a stopped process may lose answers of its calls. */
export const repeatedAfterTold = (lines: readonly Line[]): readonly string[] =>
  repeatedAfter(lines, ({ kind, words: [, fact = ''] }) => {
    const [, type, key] = fact.split('|');
    return kind === 'told' && type === 'agent.answered' ? key : undefined;
  });

const repeatedAfter = (
  lines: readonly Line[],
  answeredBy: (line: Line) => string | undefined,
): readonly string[] => {
  const answered = new Set<string>();
  const repeated: string[] = [];
  for (const line of lines) {
    const key = answeredBy(line);
    if (key !== undefined) answered.add(key);
    const [called = ''] = line.words;
    if (line.kind === 'called' && answered.has(called)) repeated.push(called);
  }
  return repeated;
};

/** Runs that were started and are not completed, by their journals. */
export const runsNotCompleted = (
  lines: readonly Line[],
  journals: ReadonlyMap<string, readonly JournalEntry[]>,
): readonly string[] =>
  lines.flatMap(({ kind, words: [runId = ''] }) => {
    if (kind !== 'started') return [];
    const ends = (journals.get(runId) ?? [])
      .flatMap(({ facts }) => facts)
      .flatMap((fact) => (fact.type === 'run.ended' ? [fact.status] : []));
    if (ends[0] === 'completed') return [];
    const said = lines.find((line) => SAID.includes(line.kind) && line.words[0] === runId);
    return [`${runId} ${ends[0] ?? 'has no end'}: ${said?.words.slice(1).join(' ') ?? 'silent'}`];
  });

/** What a process logs about a run that it releases. */
const SAID: readonly string[] = ['ended', 'refused'];
