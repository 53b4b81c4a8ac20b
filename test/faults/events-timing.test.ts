import { describe, expect, it } from 'vitest';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { bodiesOf, factsOf, started } from '../run/runs.js';
import { slowStore } from '../run/stores.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { plainActor } from './events-plain-actor.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

describe('a command at the wrong time', () => {
  it('after the end is refused as over', async () => {
    const { run, clock } = started();
    await clock.runUntil(run.done);
    const before = run.journal().length;
    const results = await Promise.all([
      run.approve('a:1.1'),
      run.reject('a:1.1'),
      run.skip(['a']),
      run.skipTo('a'),
      run.say('Hello?'),
      run.pause(),
      run.unpause(),
      run.extendTime(1),
      run.abort(),
    ]);
    expect(results).toEqual(results.map(() => ({ accepted: false, reason: 'run-ended' })));
    expect(run.journal()).toHaveLength(before);
  });

  it('before the first entry is durable waits its turn, and no accepted command is lost', async () => {
    const clock = watchedClock();
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 100)], clock, store: slowStore(clock, 10) },
      undefined,
    );
    const run = orchestrator.start({ goal: 'The goal', plan: { steps: steps('a', 'b<a') } });
    expect(run.journal()).toEqual([]);
    const results = [run.say('First'), run.pause(), run.pause(), run.say('Last'), run.unpause()];
    await clock.runUntil(Promise.all(results));
    expect(await Promise.all(results)).toEqual([
      { accepted: true },
      { accepted: true },
      { accepted: false, reason: 'already-paused' },
      { accepted: true },
      { accepted: true },
    ]);
    await clock.runUntil(run.done);
    const commanded = run.journal().filter(({ event }) => event.kind === 'commanded');
    expect(commanded.map(({ facts }) => facts[0]?.type)).toEqual([
      'conversation.said',
      'run.paused',
      'command.refused',
      'conversation.said',
      'run.unpaused',
    ]);
    expect((await run.done).successfulSteps).toEqual(['a', 'b']);
  });

  it('before XState’s own interpreter starts is refused when it starts', async () => {
    const clock = watchedClock();
    const { actor, told, done } = plainActor(clock);
    actor.send({ type: 'conversation.say', text: 'Early' });
    actor.send({ type: 'run.pause' });
    expect(told).toEqual([]);
    actor.start();
    await clock.settle();
    expect(told.filter((line) => /conversation|paused|refused/.test(line))).toEqual([
      '0 command.refused',
      '0 command.refused',
    ]);
    await clock.runUntil(done);
    expect(told.at(-1)).toBe('200 run.ended');
  });

  it('after XState’s own interpreter is done or stopped changes nothing and throws nothing', async () => {
    const doneClock = watchedClock();
    const ended = plainActor(doneClock);
    ended.actor.start();
    await doneClock.runUntil(ended.done);
    const stoppedClock = watchedClock();
    const stopped = plainActor(stoppedClock);
    stopped.actor.start();
    await stoppedClock.settle();
    stopped.actor.stop();
    expect(stoppedClock.pending()).toBe(0);
    for (const { actor, told } of [ended, stopped]) {
      const before = [...told];
      actor.send({ type: 'run.pause' });
      actor.send({ type: 'run.abort', reason: 'Too late' });
      expect(told).toEqual(before);
    }
    expect(ended.actor.getSnapshot().status).toBe('done');
    expect(stopped.actor.getSnapshot().status).toBe('stopped');
  });

  it('from a listener, while a fact is delivered, comes after the current entry', async () => {
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
    // The facts of the current entry are delivered first: the next step had started in it.
    const entries = run.journal();
    const telling = entries.findIndex(({ facts }) =>
      facts.some((fact) => fact.type === 'step.completed'),
    );
    expect(entries[telling]?.facts.some((fact) => fact.type === 'step.started')).toBe(true);
    expect(entries[telling + 1]?.event).toMatchObject({ kind: 'commanded' });
  });
});
