import { describe, expect, it } from 'vitest';

import { SlowSubscriberError } from '../../src/errors.js';
import type { Fact } from '../../src/model/facts.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { FactStream } from '../../src/run/fact-stream.js';
import type { Run } from '../../src/run/run.types.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';
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

  it('gives everything and ends when the run is already over', async () => {
    const { run, clock } = started();
    await clock.runUntil(run.done);
    expect(await collected(run)).toEqual(factsOf(run));
  });

  it('does not delay the run when it is not read', async () => {
    const { run, clock } = started();
    run.facts();
    void run.facts()[Symbol.asyncIterator]().next();
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(clock.pending()).toBe(0);
  });
});

describe('a reader that stops reading', () => {
  it('is released immediately, even when no fact arrives', async () => {
    const clock = virtualClock();
    const never = agentNamed('worker', () => new Promise(() => undefined));
    const { run } = started({ agents: [never], clock });
    await clock.settle();
    const reader = run.facts()[Symbol.asyncIterator]();
    for (let count = run.journal().flatMap(({ facts }) => facts).length; count > 0; count -= 1)
      await reader.next();
    const waiting = reader.next();
    expect(await reader.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    await run.abort();
  });
});

describe('a slow subscriber', () => {
  it('gets every fact in order, one at a time, and does not delay the run', async () => {
    const { run, clock } = started();
    const told: number[] = [];
    let isAtWork = false;
    run.subscribe(async (fact) => {
      expect(isAtWork).toBe(false);
      isAtWork = true;
      await clock.sleep(10_000);
      isAtWork = false;
      told.push(fact.sequence);
    });
    await clock.runUntil(run.done);
    expect(clock.now()).toBeLessThan(1_000);
    const count = factsOf(run).length;
    await clock.runUntil(() => told.length === count);
    expect(told).toEqual(factsOf(run).map(({ sequence }) => sequence));
  });

  it('gets facts after the calls of the run were made', async () => {
    const order: string[] = [];
    const worker = agentNamed('worker', () => {
      order.push('called');
      return new Promise(() => undefined);
    });
    const clock = virtualClock();
    const orchestrator = composeOrchestrator({ agents: [worker], clock }, undefined);
    const planned = { goal: 'G', plan: { steps: steps('a') } };
    const run = orchestrator.start(planned);
    run.subscribe(({ type }) => {
      if (type === 'agent.called') order.push('told');
    });
    await clock.settle();
    expect(order).toEqual(['called', 'told']);
    await run.abort();
  });

  it('is unsubscribed with a typed error when it falls too far behind', async () => {
    const errors: unknown[] = [];
    const stream = new FactStream({ clock: {}, onError: (error) => errors.push(error) });
    let count = 0;
    stream.subscribe(() => {
      count += 1;
      return new Promise(() => undefined);
    });
    const fact = { sequence: 1, at: 0, type: 'run.ended' } as never;
    for (let round = 0; round < 3; round += 1) {
      stream.add(Array.from({ length: 5_001 }, () => fact));
      await stream.told();
    }
    expect(count).toBe(1);
    expect(errors).toHaveLength(1);
    expect(SlowSubscriberError.isInstance(errors[0])).toBe(true);
  });
});
