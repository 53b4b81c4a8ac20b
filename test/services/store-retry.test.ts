import { describe, expect, it } from 'vitest';

import { StoreUnavailableError } from '../../src/errors.js';
import { StoreRetry } from '../../src/services/store-retry.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';

describe('retrying a store call', () => {
  it('leaves no timer behind when it is stopped during a try', async () => {
    const clock = virtualClock();
    const retry = new StoreRetry({ clock, windowMs: 5_000, onError: () => undefined });
    const away = new StoreUnavailableError('The store is away');
    const tries: ((error: Error) => void)[] = [];
    const asked = retry.run(() => new Promise<void>((_, reject) => void tries.push(reject)));
    const outcome = expect(asked).rejects.toThrow('The store is away');
    tries[0]?.(away);
    await clock.settle();
    clock.advance(1_000);
    await clock.settle();
    expect(tries).toHaveLength(2);

    retry.stop();
    tries[1]?.(away);
    await clock.settle();
    expect(clock.pending()).toBe(0);
    await outcome;
    expect(retry.isStalled).toBe(false);
  });
});
