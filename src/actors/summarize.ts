import type { CallOutcome, SummarizerRequest } from '../model/calls.js';
import { answered, bounded, failed, usageIn } from './outcome.js';
import { dependenciesOf } from './references.js';
import type { Callable, CallSurroundings } from './team.types.js';

/** Asks the summarizer for the text of the report. */
export const summarize = async (
  team: Callable,
  request: SummarizerRequest,
  key: string,
  { run, signal, outputs }: CallSurroundings,
): Promise<CallOutcome> => {
  if (team.summarizer === undefined) return failed('unknown-agent', 'There is no summarizer');
  const value: unknown = await team.summarizer({
    ...run,
    goal: request.goal,
    depth: request.depth,
    analysis: request.analysis,
    tasks: request.tasks,
    results: dependenciesOf(request.results, outputs),
    failed: request.failed,
    skipped: request.skipped,
    key,
    signal,
  });
  const usage = usageIn(value);
  const text = textOf(value);
  if (typeof text !== 'string') {
    return failed('invalid-output', `Expected a text, got ${typeof text}`, usage);
  }
  const plain = bounded(text, team.maxOutputBytes, usage);
  return plain.ok ? answered({ role: 'summarizer' }, plain.value, usage) : plain.failure;
};

/** A summary is a text, or a text with its usage. */
const textOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
