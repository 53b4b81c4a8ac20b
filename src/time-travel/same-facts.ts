import type { JsonValue } from '../canonical-json.js';
import { stableStringify } from '../canonical-json.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact, FactBody } from '../model/facts.js';
import type { KernelStep } from '../kernel/kernel.types.js';

/**
 * Keys of calls begin with the id of their run. Two runs that went the same way tell the same facts but for these
 * keys and the times, so both are taken out before facts are compared. Outputs are compared as they are.
 */

/** A key without the run it belongs to; undefined for a key of another run. */
export const relativeKey = (key: string, runId: string): string | undefined =>
  key.startsWith(`${runId}/`) ? key.slice(runId.length + 1) : undefined;

/** A fact as any run that went the same way would tell it. */
const essence = (fact: Fact | FactBody, runId: string): string => {
  const relative = (key: string): string => relativeKey(key, runId) ?? key;
  const { ...plain } = fact as Record<string, unknown>;
  delete plain['sequence'];
  delete plain['at'];
  // As for a run that is resumed, the team that it was started with does not count.
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

/** The position of the first fact that differs; -1 when both went the same way. */
export const firstDifference = (left: FactsOfRun, right: FactsOfRun): number => {
  const length = Math.max(left.facts.length, right.facts.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [left.facts[index], right.facts[index]];
    if (one === undefined || other === undefined) return index;
    if (essence(one, left.runId) !== essence(other, right.runId)) return index;
  }
  return -1;
};

/** Why an entry is not what these charts, under this policy, would have written; null when it is. */
export const stepMismatch = (
  runId: string,
  entry: JournalEntry,
  step: KernelStep,
): string | null => {
  // A chart that threw tells its end by a fact that is not its own.
  if (step.status === 'error') return null;
  const facts = step.emitted as readonly FactBody[];
  const differing = firstDifference({ runId, facts }, { runId, facts: entry.facts });
  if (differing < 0) return null;
  const fact = entry.facts[differing] ?? entry.facts.at(-1);
  return `Run '${runId}' does not replay from fact ${fact?.sequence ?? 0} (${fact?.type ?? 'none'}) on: the charts or the policy have changed since it was recorded`;
};
