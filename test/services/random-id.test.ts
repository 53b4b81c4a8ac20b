import { afterEach, describe, expect, it, vi } from 'vitest';

import { randomId } from '../../src/services/random-id.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('randomId', () => {
  it('is the prefix and 32 hexadecimal digits, valid as a run id', () => {
    expect(randomId('run')).toMatch(/^run-[0-9a-f]{32}$/);
  });

  it('has the same form without randomUUID, as on plain http', () => {
    const getRandomValues = (bytes: Uint8Array): Uint8Array => bytes.map((_byte, index) => index);
    vi.stubGlobal('crypto', { getRandomValues });
    expect(randomId('run')).toBe('run-000102030405060708090a0b0c0d0e0f');
  });

  it('names the missing API where there is no randomness at all', () => {
    vi.stubGlobal('crypto', undefined);
    expect(() => randomId('run')).toThrow('Expected `globalThis.crypto` to offer');
  });

  it('does not repeat itself', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => randomId('id')));
    expect(ids.size).toBe(10_000);
  });
});
