import type { JsonValue } from '../../canonical-json.js';
import { fingerprint, stableStringify } from '../../canonical-json.js';
import type { RunHeader } from '../../model/run-store.js';

/*
 * Every checksum covers the one before it, and the first covers that of the header: a journal is complete or refused.
 */

export const headerChecksum = (header: RunHeader): string => {
  // An undefined member is not stored.
  const sealed = { ...header, checksum: undefined };
  return fingerprint(stableStringify(sealed as unknown as JsonValue));
};

export const nextChecksum = (previous: string, text: string): string =>
  fingerprint(`${previous}${text}`);
