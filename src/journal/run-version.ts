import { isSameJson } from '../canonical-json.js';
import type { RunVersion } from '../model/run-upgraded.js';
import type { RunHeader } from '../model/run-store.js';
import type { JournalEntry } from './entry.js';

/**
 * The version that a run was last run with: that of its start, or of its last upgrade. The facts that a fork shares
 * with its parent belong to the parent's version. Undefined while the journal has no fact.
 */
export const versionOf = (
  header: RunHeader,
  entries: readonly JournalEntry[],
): RunVersion | undefined => {
  const { chartFingerprint, policyFingerprint, parent } = header;
  const upgrade = entries.findLast(({ facts }) => facts.some(isUpgrade))?.facts.findLast(isUpgrade);
  if (upgrade?.type === 'run.upgraded' && upgrade.sequence > (parent?.sequence ?? 0)) {
    return upgrade.to;
  }
  const started = entries[0]?.facts.find(({ type }) => type === 'run.started');
  if (started?.type !== 'run.started') return undefined;
  return { chartFingerprint, policyFingerprint, agents: started.agents };
};

/** The number of entries up to the last upgrade, that one included; 0 when there was none. */
export const entriesUpToUpgrade = (entries: readonly JournalEntry[]): number =>
  entries.findLastIndex(({ facts }) => facts.some(isUpgrade)) + 1;

export const isSameVersion = (left: RunVersion, right: RunVersion): boolean =>
  left.chartFingerprint === right.chartFingerprint &&
  left.policyFingerprint === right.policyFingerprint &&
  isSameJson([...left.agents].sort(), [...right.agents].sort());

const isUpgrade = ({ type }: { readonly type: string }): boolean => type === 'run.upgraded';
