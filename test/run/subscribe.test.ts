import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/journal/facts.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { bodiesOf, factsOf, started } from './runs.js';

expectNothingUnhandled();

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

  it('lets a listener stop itself and others in the middle of a fact', async () => {
    const { run, clock } = started();
    const heard: string[] = [];
    const stops: (() => void)[] = [];
    stops.push(
      run.subscribe((fact) => {
        heard.push(`first ${fact.type}`);
        if (fact.type === 'step.started') for (const stop of stops) stop();
      }),
      run.subscribe((fact) => heard.push(`second ${fact.type}`)),
    );
    await clock.runUntil(run.done);
    expect(heard.filter((text) => text.endsWith('step.started'))).toEqual(['first step.started']);
    expect(heard.filter((text) => text.endsWith('run.ended'))).toEqual([]);
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

  it('reports what listeners throw and reject with to onError, and the run goes on as ever', async () => {
    const quiet = started();
    await quiet.clock.runUntil(quiet.run.done);

    const { run, clock, errors } = started();
    const thrown = new Error('thrown');
    const rejected = new Error('rejected');
    run.subscribe(() => {
      throw thrown;
    });
    const rejecting: (fact: Fact) => unknown = () => Promise.reject(rejected);
    run.subscribe(rejecting);
    const heard: Fact[] = [];
    run.subscribe((fact) => heard.push(fact));
    await clock.runUntil(run.done);
    await clock.settle();

    expect(heard).toEqual(factsOf(quiet.run));
    expect(errors.filter((error) => error === thrown)).toHaveLength(heard.length);
    expect(errors.filter((error) => error === rejected)).toHaveLength(heard.length);
    expect((await run.done).status).toBe('completed');
  });

  it('goes on even when onError throws as well', async () => {
    const { run, clock } = started({
      onError: () => {
        throw new Error('nobody left to tell');
      },
    });
    run.subscribe(() => {
      throw new Error('thrown');
    });
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
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

  it('lets a listener give commands at once; they come after what is being told', async () => {
    const { run, clock } = started();
    const results: unknown[] = [];
    run.subscribe((fact) => {
      if (fact.type === 'step.completed' && fact.stepId === 'a') {
        void run.abort('Enough').then((result) => results.push(result));
      }
    });
    await clock.runUntil(run.done);
    await clock.settle();
    expect(results).toEqual([{ accepted: true }]);
    const types = factsOf(run).map(({ type }) => type);
    expect(types.at(-1)).toBe('run.ended');
    expect(bodiesOf(factsOf(run)).at(-1)).toMatchObject({ status: 'aborted', reason: 'Enough' });
  });
});
