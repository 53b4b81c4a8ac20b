import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/model/facts.js';
import { factsOf, started } from '../run/runs.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

describe('a listener', () => {
  it('that throws or rejects is reported once per failure, and the run continues', async () => {
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
    expect(errors).toHaveLength(2 * heard.length);
    expect((await run.done).status).toBe('completed');
  });

  it('that throws is tolerated even when onError throws as well', async () => {
    const { run, clock } = started({
      onError: () => {
        throw new Error('onError fails too');
      },
    });
    run.subscribe(() => {
      throw new Error('thrown');
    });
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('whose promise never settles gets one fact, and neither the run nor other listeners wait for it', async () => {
    const { run, clock, errors } = started();
    let calls = 0;
    const never: (fact: Fact) => unknown = () => {
      calls += 1;
      return new Promise(() => undefined);
    };
    let others = 0;
    run.subscribe(never);
    run.subscribe(() => (others += 1));
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'completed', durationMs: 300 });
    expect(calls).toBe(1);
    expect(others).toBe(factsOf(run).length);
    expect(errors).toEqual([]);
  });

  it('may unsubscribe itself and others while a fact is delivered', async () => {
    const { run, clock } = started();
    const heard: string[] = [];
    const stops: (() => void)[] = [];
    stops.push(
      run.subscribe((fact) => {
        heard.push(`first ${fact.type}`);
        if (fact.type === 'step.completed') for (const stop of stops) stop();
      }),
      run.subscribe((fact) => heard.push(`second ${fact.type}`)),
    );
    await clock.runUntil(run.done);
    expect(heard.filter((text) => text.endsWith('step.completed'))).toEqual([
      'first step.completed',
    ]);
    expect(heard.filter((text) => text.endsWith('run.ended'))).toEqual([]);
  });

  it('among ten thousand gets every fact in order, and the run is unaffected', async () => {
    const quiet = started();
    await quiet.clock.runUntil(quiet.run.done);

    const { run, clock, errors } = started();
    const last = new Uint32Array(10_000);
    let outOfOrder = 0;
    const stops = Array.from(last, (_, index) =>
      run.subscribe(({ sequence }) => {
        if (sequence !== (last[index] ?? 0) + 1) outOfOrder += 1;
        last[index] = sequence;
      }),
    );
    // Half of them unsubscribe during the run.
    await clock.settle();
    const left = run.journal().flatMap(({ facts }) => facts).length;
    for (const stop of stops.slice(5_000)) stop();
    await clock.runUntil(run.done);

    const all = factsOf(run).length;
    expect(outOfOrder).toBe(0);
    expect(new Set(last.slice(0, 5_000))).toEqual(new Set([all]));
    expect(new Set(last.slice(5_000))).toEqual(new Set([left]));
    expect(left).toBeLessThan(all);
    expect(errors).toEqual([]);
    expect(factsOf(run)).toEqual(factsOf(quiet.run));
  });
});
