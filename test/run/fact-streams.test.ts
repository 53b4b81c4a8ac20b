import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/journal/facts.js';
import type { Run } from '../../src/run/run.types.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, started } from './runs.js';

expectNothingUnhandled();

const collected = async (run: Run, limit = Infinity): Promise<Fact[]> => {
  const facts: Fact[] = [];
  for await (const fact of run.facts()) {
    facts.push(fact);
    if (facts.length >= limit) break;
  }
  return facts;
};

describe('facts()', () => {
  it('streams every fact in order and ends with the run', async () => {
    const { run, clock } = started();
    const stream = collected(run);
    await clock.runUntil(stream);
    expect(await stream).toEqual(factsOf(run));
    expect((await stream).at(-1)?.type).toBe('run.ended');
  });

  it('gives two readers the same facts, each at its own pace', async () => {
    const { run, clock } = started();
    const slowly = (async () => {
      const facts: Fact[] = [];
      for await (const fact of run.facts()) {
        await clock.sleep(50);
        facts.push(fact);
      }
      return facts;
    })();
    const quickly = collected(run);
    await clock.runUntil(slowly);
    expect(await slowly).toEqual(await quickly);
  });

  it('may be left at any time, and read again from the start', async () => {
    const { run, clock } = started();
    const left = collected(run, 3);
    await clock.runUntil(left);
    expect(await left).toHaveLength(3);
    const again = collected(run);
    await clock.runUntil(again);
    expect(await again).toEqual(factsOf(run));
  });

  it('gives everything and ends when the run is over already', async () => {
    const { run, clock } = started();
    await clock.runUntil(run.done);
    expect(await collected(run)).toEqual(factsOf(run));
  });

  it('that nobody reads holds nothing up', async () => {
    const { run, clock } = started();
    run.facts();
    void run.facts()[Symbol.asyncIterator]().next();
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(clock.pending()).toBe(0);
  });
});
