import type { RunVersion } from '../model/run-upgraded.js';
import type { RunHeader } from '../model/run-store.js';
import type { JournalEntry } from './entry.js';

/**
 * The version that a run was last run with: that of its header, or of its last upgrade. What a what-if shares with its
 * parent happened to the parent.
 */
export const versionOf = (header: RunHeader, entries: readonly JournalEntry[]): RunVersion => {
  const { chartFingerprint, policyFingerprint, parent } = header;
  const shared = parent?.sequence ?? 0;
  const upgrade = entries.findLast(({ facts }) => facts.some(isUpgrade))?.facts.findLast(isUpgrade);
  if (upgrade?.type !== 'run.upgraded' || upgrade.sequence <= shared) {
    return { chartFingerprint, policyFingerprint };
  }
  return upgrade.to;
};

/** The number of entries up to the last upgrade, that one included; 0 when there was none. */
export const entriesUpToUpgrade = (entries: readonly JournalEntry[]): number =>
  entries.findLastIndex(({ facts }) => facts.some(isUpgrade)) + 1;

export const isSameVersion = (left: RunVersion, right: RunVersion): boolean =>
  left.chartFingerprint === right.chartFingerprint &&
  left.policyFingerprint === right.policyFingerprint;

const isUpgrade = ({ type }: { readonly type: string }): boolean => type === 'run.upgraded';
