import type { JsonValue } from '../canonical-json.js';
import { stableStringify } from '../canonical-json.js';
import { JournalMismatchError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { differenceOf } from '../journal/same-fact.js';
import type { Fact, FactBody } from '../model/facts.js';
import type { KernelStep } from '../kernel/kernel.types.js';

/**
 * Keys of calls start with the id of their run. Two runs with the same course tell the same facts except for these keys
 * and the times, so both are removed before facts are compared. Outputs are compared unchanged.
 */

/** A key without the run it belongs to; undefined for a key of another run. */
export const relativeKey = (key: string, runId: string): string | undefined =>
  key.startsWith(`${runId}/`) ? key.slice(runId.length + 1) : undefined;

/** A fact without the parts that differ between runs with the same course. */
const essence = (fact: Fact | FactBody, runId: string): string => {
  const relative = (key: string): string => relativeKey(key, runId) ?? key;
  const { ...plain } = fact as Record<string, unknown>;
  delete plain['sequence'];
  delete plain['at'];
  // As with resumed runs, the team at the start does not count.
  if (fact.type === 'run.started') Object.assign(plain, { runId: '', agents: [] });
  if ('key' in fact) plain['key'] = relative(fact.key);
  if ('outputKeys' in fact) plain['outputKeys'] = fact.outputKeys.map(relative);
  if ('summaryKey' in fact && fact.summaryKey !== null) {
    plain['summaryKey'] = relative(fact.summaryKey);
  }
  return stableStringify(plain as JsonValue);
};

export interface FactsOfRun {
  readonly runId: string;
  readonly facts: readonly (Fact | FactBody)[];
}

/** The position of the first fact that differs; -1 when all are the same. */
export const firstDifference = (left: FactsOfRun, right: FactsOfRun): number => {
  const length = Math.max(left.facts.length, right.facts.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [left.facts[index], right.facts[index]];
    if (one === undefined || other === undefined) return index;
    if (essence(one, left.runId) !== essence(other, right.runId)) return index;
  }
  return -1;
};

/** How these charts, under this policy, tell another entry than the journal has; undefined when it is the same. */
export const stepMismatch = (
  runId: string,
  entry: JournalEntry,
  step: KernelStep,
): JournalMismatchError | undefined => {
  // The end of a chart that threw is a fact that the chart itself did not tell.
  if (step.status === 'error') return undefined;
  const told = step.emitted as readonly FactBody[];
  const index = firstDifference({ runId, facts: told }, { runId, facts: entry.facts });
  if (index < 0) return undefined;
  const stored = entry.facts[index];
  const sequence = stored?.sequence ?? (entry.facts.at(-1)?.sequence ?? 0) + 1;
  const body = told[index];
  const fact = body === undefined ? undefined : { sequence, at: entry.at, ...body };
  const difference = { sequence, ...differenceOf(stored, fact) };
  const message = `Run '${runId}' does not replay here. Fact ${sequence} of its journal is ${difference.expected}; these charts and this policy tell ${difference.actual}. Use the build and the policy that ran it`;
  return new JournalMismatchError(message, { difference });
};
