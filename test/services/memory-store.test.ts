import { describe, expect, it } from 'vitest';

import { memoryStore } from '../../src/services/memory-store.js';
import type { RunHeader } from '../../src/model/run-store.js';
import type { ContractEntry } from '../../src/testing.js';
import { storeContract } from '../../src/testing.js';
import { cpuTimeMs } from '../cpu-time.js';

describe('memoryStore keeps the contract of a store', () => {
  const createShared = () => {
    const store = memoryStore<ContractEntry>();
    return [store, store] as const;
  };
  for (const { name, run } of storeContract(() => memoryStore(), { createShared })) it(name, run);
});

const header: RunHeader = {
  format: 1,
  runId: 'run',
  goal: 'goal',
  policyFingerprint: '0',
  chartFingerprint: '0',
  startedAt: 0,
};

describe('memoryStore', () => {
  it('answers synchronously, without a promise', () => {
    const store = memoryStore();
    expect(store.create(header)).toBeUndefined();
    expect(store.append('run', 0, [{ sequence: 0, at: 0, kind: 'noted' }])).toBeUndefined();
    expect(store.read('run')).toMatchObject({ entries: [{ sequence: 0 }] });
    expect(store.claim('run', 'owner', 0)).toEqual({ token: 1, isTakeover: false });
  });

  it('keeps the entries themselves, not copies', async () => {
    const store = memoryStore();
    const entry = { sequence: 0, at: 0, kind: 'noted' };
    await store.create(header);
    await store.append('run', 0, [entry]);
    expect((await store.read('run'))?.entries[0]).toBe(entry);
  });

  it('shares nothing with another memory store', async () => {
    const [one, other] = [memoryStore(), memoryStore()];
    await one.create(header);
    await other.create(header);
    await one.delete('run');
    expect(other.read('run')).toBeDefined();
  });

  it('does not slow down as a journal grows', async () => {
    const store = memoryStore();
    await store.create(header);
    const startedAt = cpuTimeMs();
    for (let sequence = 0; sequence < 200_000; sequence += 1) {
      await store.append('run', sequence, [{ sequence, at: sequence, kind: 'noted' }]);
    }
    expect(cpuTimeMs() - startedAt).toBeLessThan(2_000);
  });
});
