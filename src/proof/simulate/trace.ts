import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { Simulation } from './run-world.js';

/** Members left out of a line: shown elsewhere, or too long. */
const SILENT_KEYS: ReadonlySet<string> = new Set(['type', 'sequence', 'at', 'message', 'payload']);

/** A simulated world as text: its faults, broken promises, and the journal line by line. */
export const traceOf = ({ seed, faults, violations, journal, report }: Simulation): string =>
  [
    `seed ${seed}: ${report === null ? 'never ended' : `${report.status}, ${report.reason}`}`,
    ...violations.map(
      ({ name, invariant, sequence, message }) =>
        `  broken: ${name} (${invariant})${sequence === null ? '' : ` at fact ${sequence}`}: ${message}`,
    ),
    ...faults.map((fault) => `  fault: ${fault}`),
    ...journal.flatMap(linesOf),
  ].join('\n');

const linesOf = (entry: JournalEntry): string[] => [
  `${entry.at} ms, entry ${entry.sequence}: ${eventLine(entry)}`,
  ...entry.facts.map((fact) => `    ${fact.sequence}. ${factLine(fact)}`),
];

const eventLine = ({ event }: JournalEntry): string => {
  switch (event.kind) {
    case 'started':
      return 'the run is started';
    case 'commanded':
      return `the run is told ${event.event.type}`;
    case 'answered':
      return `an answer for ${event.address}`;
    case 'broken':
      return `a call broke at ${event.address}`;
    case 'elapsed':
      return `the timer ${event.timer} is due`;
    case 'heldBack':
      return `the run is released without ${event.keys.join(', ')}`;
    case 'carriedOver':
      return `the run continues as ${event.successor}`;
  }
};

const factLine = (fact: Fact): string => {
  const members = Object.entries(fact).filter(
    ([key, value]) => !SILENT_KEYS.has(key) && value !== null,
  );
  const words = members.map(([key, value]) => `${key}=${shortened(JSON.stringify(value))}`);
  return [fact.type, ...words].join(' ');
};

const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 117)}...` : text);
