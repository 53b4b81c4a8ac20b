import { crc32 } from 'node:zlib';

/** Detects every flipped bit, and nearly every other damage; it is no protection against deliberate changes. */
export const checksumOf = (...parts: readonly (string | number | null)[]): number =>
  crc32(JSON.stringify(parts));
