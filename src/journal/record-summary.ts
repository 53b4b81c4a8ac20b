import type { JsonValue } from '../canonical-json.js';
import type { RunRecord, StepRecord } from './record.js';

/** More lines than a person reads; the report has every step. */
const STEP_LINES_MAX = 20;
/** As much of an output, a reason or a goal as a line shows. */
const EXCERPT_CHARACTERS_MAX = 200;

/**
 * A summary without a summarizer. Seed 003's rule for a run of one task is the step's own output; otherwise it is a
 * short Markdown text made from the facts.
 */
export const summaryOf = (record: RunRecord): string => onlyOutput(record) ?? overview(record);

/** Sub-plans do not count: they are how the one step was done. A failed run is never summarized by its output. */
const onlyOutput = ({ status, steps }: RunRecord): string | undefined => {
  if (status !== 'completed') return undefined;
  const [only, ...others] = steps.filter((step) => step.parentStepId === null);
  if (only === undefined || others.length > 0 || only.output === null) return undefined;
  return textOf(only.output);
};

const overview = ({ goal, status, reason, steps }: RunRecord): string => {
  const why = reason === null || reason === '' ? '' : ` (${excerpt(reason)})`;
  const lines = steps.slice(0, STEP_LINES_MAX).map(lineOf);
  const hidden = steps.length - lines.length;
  if (hidden > 0) lines.push(`- and ${hidden} more`);
  const list = lines.length === 0 ? [] : ['', ...lines];
  return [`# ${excerpt(goal)}`, '', `Status: ${status}${why}`, countsOf(steps), ...list].join('\n');
};

const countsOf = (steps: readonly StepRecord[]): string => {
  const counts = new Map<string, number>();
  for (const { status } of steps) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = ['completed', 'failed', 'skipped', 'cancelled'].flatMap((status) => {
    const count = counts.get(status) ?? 0;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return parts.length === 0
    ? `Steps: ${steps.length}`
    : `Steps: ${steps.length} (${parts.join(', ')})`;
};

const lineOf = ({ id, agent, status, output, reason }: StepRecord): string => {
  const detail = output === null ? (reason ?? '') : textOf(output);
  const end = detail === '' ? '' : `: ${excerpt(detail)}`;
  return `- ${id} (${agent}) ${status}${end}`;
};

const textOf = (output: JsonValue): string =>
  typeof output === 'string' ? output : JSON.stringify(output);

/** One line, short, and never cut through the middle of a character. */
const excerpt = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= EXCERPT_CHARACTERS_MAX) return line;
  return `${line.slice(0, EXCERPT_CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, '')}…`;
};
