import { crc32 } from 'node:zlib';

/** Finds every flipped bit, and nearly every other damage; it is no protection against somebody who wants to deceive. */
export const checksumOf = (...parts: readonly (string | number | null)[]): number =>
  crc32(JSON.stringify(parts));
