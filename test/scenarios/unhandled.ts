import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** Every test of the file fails when something it started throws or rejects without being caught. */
export const expectNothingUnhandled = (): void => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown): void => {
    unhandled.push(reason);
  };
  beforeAll(() => {
    process.on('unhandledRejection', keep);
    process.on('uncaughtException', keep);
  });
  afterEach(async () => {
    // Node reports a rejection after a turn of its loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(unhandled.splice(0)).toEqual([]);
  });
  afterAll(() => {
    process.off('unhandledRejection', keep);
    process.off('uncaughtException', keep);
  });
};
