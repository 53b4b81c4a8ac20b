import type { Step, Witness } from './explore.js';

/* A witness as readable lines. */

/** Sequences of steps that repeat more often than this are written once. */
const REPEATS_MIN = 3;
const BLOCK_MAX = 4;

interface Line {
  readonly number: string;
  readonly event: string;
  readonly through: string;
}

/** One line per step: its number, what happened, and the states that followed. */
export const witnessText = ({ kind, start, steps, circle }: Witness): string => {
  const lines = linesOf(steps, 1);
  const [numberWidth, eventWidth] = [widest(lines, 'number'), widest(lines, 'event')];
  return [
    `${' '.repeat(numberWidth)}  ${'start'.padEnd(eventWidth)}  ${start.join(', ')}`,
    ...lines.map(({ number, event, through }) =>
      [number.padStart(numberWidth), event.padEnd(eventWidth), through].join('  '),
    ),
    lastLine(kind, steps.length, circle),
  ].join('\n');
};

const lastLine = (kind: Witness['kind'], length: number, circle: number): string => {
  if (kind === 'state') return 'and the promise is broken.';
  if (kind === 'stuck') return 'and nothing ever happens again, unless somebody answers.';
  if (circle === 1) return `and step ${length} again, for ever.`;
  return `and steps ${length - circle + 1} to ${length} again, for ever.`;
};

const widest = (lines: readonly Line[], column: keyof Line): number =>
  Math.max(0, ...lines.map((line) => line[column].length));

const linesOf = (steps: readonly Step[], from: number): Line[] => {
  const [first] = steps;
  if (first === undefined) return [];
  const { size, repeats } = repetition(steps);
  if (repeats >= REPEATS_MIN) {
    const block = steps.slice(0, size).map((step, index) => lineOf(step, from + index));
    const last = from + size * repeats - 1;
    const note = { number: '…', event: `${repeats} times`, through: `up to step ${last}` };
    return [...block, note, ...linesOf(steps.slice(size * repeats), last + 1)];
  }
  return [lineOf(first, from), ...linesOf(steps.slice(1), from + 1)];
};

const lineOf = ({ event, through }: Step, number: number): Line => ({
  number: String(number),
  event: eventText(event),
  through: through.join(', '),
});

/** How often the steps begin with the same sequence; the longest sequence counts. */
const repetition = (
  steps: readonly Step[],
): { readonly size: number; readonly repeats: number } => {
  let best = { size: 1, repeats: 1 };
  for (let size = 1; size <= BLOCK_MAX; size += 1) {
    const repeats = repeatsOf(steps, size);
    if (repeats > 1 && size * repeats > best.size * best.repeats) best = { size, repeats };
  }
  return best;
};

const repeatsOf = (steps: readonly Step[], size: number): number => {
  const textOf = (block: number): string =>
    JSON.stringify(steps.slice(block * size, (block + 1) * size));
  let repeats = 1;
  while ((repeats + 1) * size <= steps.length && textOf(repeats) === textOf(0)) repeats += 1;
  return repeats;
};

/** `xstate.after.stepTimeout.timeChecks.working` is written as `after stepTimeout`. */
export const eventText = (event: string): string => {
  const [, , delay] = event.split('.');
  return event.startsWith('xstate.after.') ? `after ${delay ?? ''}` : event;
};
