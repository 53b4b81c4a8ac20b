import type { JsonValue } from '../../canonical-json.js';
import { fingerprint, stableStringify } from '../../canonical-json.js';
import type { RunHeader } from '../../model/run-store.js';

/* Every checksum takes in the one before it, and the first that of the header: a journal is whole, or it is refused. */

export const headerChecksum = (header: RunHeader): string => {
  // A member that is undefined is no part of what is stored.
  const sealed = { ...header, checksum: undefined };
  return fingerprint(stableStringify(sealed as unknown as JsonValue));
};

export const nextChecksum = (previous: string, text: string): string =>
  fingerprint(`${previous}${text}`);
