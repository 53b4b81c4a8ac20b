import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/model/facts.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, started } from './runs.js';

expectNothingUnhandled();

/* Listeners that throw, hang, unsubscribe or send commands while a fact is delivered are in test/faults. */

describe('subscribe', () => {
  it('delivers past facts first and then new ones, whenever a listener subscribes', async () => {
    const { run, clock } = started();
    const early: Fact[] = [];
    const late: Fact[] = [];
    run.subscribe((fact) => early.push(fact));
    await clock.settle();
    clock.advance(150);
    await clock.settle();
    run.subscribe((fact) => late.push(fact));
    expect(late.length).toBeGreaterThan(5);
    await clock.runUntil(run.done);
    expect(early).toEqual(factsOf(run));
    expect(late).toEqual(early);
    expect(early.map(({ sequence }) => sequence)).toEqual(early.map((_, index) => index + 1));
  });

  it('delivers everything immediately when the run is over', async () => {
    const { run, clock } = started();
    await clock.runUntil(run.done);
    const facts: Fact[] = [];
    run.subscribe((fact) => facts.push(fact))();
    expect(facts).toEqual(factsOf(run));
  });

  it('stops only the subscription whose function is called', async () => {
    const { run, clock } = started();
    const facts: Fact[] = [];
    const keep = (fact: Fact): void => {
      facts.push(fact);
    };
    const stop = run.subscribe(keep);
    run.subscribe(keep);
    await clock.settle();
    const before = facts.length;
    stop();
    stop();
    await clock.runUntil(run.done);
    expect(facts.length - before).toBe(factsOf(run).length - before / 2);
  });

  it('delivers every fact exactly once to a listener that subscribes while a fact is delivered', async () => {
    const { run, clock } = started();
    const heard: Fact[] = [];
    let isSubscribed = false;
    run.subscribe((fact) => {
      if (fact.type !== 'step.started' || isSubscribed) return;
      isSubscribed = true;
      run.subscribe((inner) => heard.push(inner));
    });
    await clock.runUntil(run.done);
    expect(heard.map(({ sequence }) => sequence)).toEqual(
      factsOf(run).map(({ sequence }) => sequence),
    );
  });

  it('gives facts that listeners cannot change', async () => {
    const { run, clock } = started();
    run.subscribe((fact) => {
      Reflect.set(fact, 'type', 'vandalized');
      Reflect.set(fact, 'stepId', 'vandalized');
    });
    const heard: Fact[] = [];
    run.subscribe((fact) => heard.push(fact));
    await clock.runUntil(run.done);
    expect(JSON.stringify(heard)).not.toContain('vandalized');
    expect(JSON.stringify(run.journal())).not.toContain('vandalized');
    expect((await run.done).successfulSteps).toEqual(['a', 'b', 'c']);
  });
});
