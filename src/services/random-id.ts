/**
 * The only randomness of the package. Everything else is a function of its input, so that a run can be replayed.
 */

/**
 * A fresh identifier: the prefix, a dash, and 122 or more random bits as 32 hexadecimal digits.
 *
 * @example
 * randomId('run'); // 'run-0b6f0cdb2a5f4c9f8b0e3f6d4b1c2a79'
 */
export function randomId(prefix: string): string {
  return `${prefix}-${randomHex()}`;
}

function randomHex(): string {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> };
  // Browsers offer randomUUID only in secure contexts; getRandomValues is there on plain http as well.
  if (crypto?.randomUUID) return crypto.randomUUID().replaceAll('-', '');
  if (crypto?.getRandomValues) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  throw new Error('Expected `globalThis.crypto` to offer `randomUUID` or `getRandomValues`');
}
