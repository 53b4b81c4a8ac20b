import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/model/facts.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, started } from './runs.js';

expectNothingUnhandled();

/* Listeners that throw, hang, leave or command in the middle of a fact are in the rows E4 and E5 of test/faults. */

describe('subscribe', () => {
  it('tells the past first and then goes on, whenever somebody comes', async () => {
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

  it('tells everything at once when the run is over', async () => {
    const { run, clock } = started();
    await clock.runUntil(run.done);
    const facts: Fact[] = [];
    run.subscribe((fact) => facts.push(fact))();
    expect(facts).toEqual(factsOf(run));
  });

  it('stops when it is told to, and only for that subscription', async () => {
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

  it('tells a listener that comes in the middle of a fact everything exactly once', async () => {
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

  it('is heard by nobody who changes what is told', async () => {
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
