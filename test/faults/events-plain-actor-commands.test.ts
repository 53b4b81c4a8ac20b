import { describe, expect, it } from 'vitest';
import type { AnyActorRef } from 'xstate';
import { createActor, createMachine, initialTransition, sendTo, transition } from 'xstate';

import { parseCommand } from '../../src/model/commands.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { steps } from '../scenarios/team.js';
import { plainActor } from './events-plain-actor.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/*
 * For users of the plain actor: its commands are validated like those of a run, and no event with missing fields
 * makes a chart throw.
 */

type Sent = { readonly type: string } & Readonly<Record<string, unknown>>;

const MALFORMED: readonly Sent[] = [
  { type: 'plan.skip' },
  { type: 'plan.skip', stepIds: null },
  { type: 'plan.skip', stepIds: 'a' },
  { type: 'plan.skip', stepIds: [] },
  { type: 'plan.skip', stepIds: [7] },
  { type: 'plan.skip', stepIds: ['b'], reason: 7 },
  { type: 'plan.skipTo' },
  { type: 'plan.skipTo', stepId: ['b'] },
  { type: 'conversation.say' },
  { type: 'conversation.say', text: { toString: () => 'b' } },
  { type: 'conversation.say', text: 'x'.repeat(20_001) },
  { type: 'time.extend' },
  ...[Number.NaN, -1, 0, 1.5, Number.POSITIVE_INFINITY, '1000', null].map((extraMs) => ({
    type: 'time.extend',
    extraMs,
  })),
  { type: 'run.abort' },
  { type: 'run.abort', reason: ['now'] },
  { type: 'approval.grant' },
  { type: 'approval.grant', requestId: 'a:1.1' },
  { type: 'approval.grant', requestId: 'a:1.1', answer: 7 },
  { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', route: ['slot-0'] },
  { type: 'approval.reject', requestId: 'a:1.1' },
  { type: 'approval.reject', requestId: 'a:1.1', reason: 'No', route: 'slot-0' },
];

/** A plain actor in progress, and everything it refused. */
const started = async (clock: VirtualClock, ...overrides: Parameters<typeof plainActor>[1][]) => {
  const held = plainActor(clock, ...overrides);
  const refused: { command: string; reason: string }[] = [];
  held.actor.on('command.refused', ({ command, reason }) => {
    refused.push({ command, reason });
  });
  held.actor.start();
  await clock.settle();
  const send = (event: Sent): void => {
    held.actor.send(event as never);
  };
  return { ...held, refused, send };
};

/** What a run answers to the same command. */
const refusalOf = (event: Sent): { command: string; reason: string } => {
  const parsed = parseCommand(event);
  if (parsed.ok) throw new Error(`There is nothing wrong with ${event.type}`);
  return { command: event.type, reason: parsed.reason };
};

const quietRun = async (): Promise<readonly string[]> => {
  const clock = watchedClock();
  const { told, done } = await started(clock);
  await clock.runUntil(done);
  return told;
};

describe('a malformed command to a plain actor', () => {
  it('is refused with the issues that a run reports, and changes nothing', async () => {
    const clock = watchedClock();
    const { actor, told, errors, done, refused, send } = await started(clock);
    const before = actor.getSnapshot();
    for (const event of MALFORMED) {
      send(event);
      // Facts are emitted once the charts have settled.
      await clock.settle();
      expect(refused.at(-1)).toEqual(refusalOf(event));
      expect(actor.getSnapshot().value).toEqual(before.value);
      expect(actor.getSnapshot().context).toBe(before.context);
    }
    expect(refused).toHaveLength(MALFORMED.length);
    await clock.runUntil(done);
    expect(errors).toEqual([]);
    expect(told.filter((line) => !line.endsWith('command.refused'))).toEqual(await quietRun());
  });

  it('with 100,000 mistakes is refused with a short message', async () => {
    const clock = watchedClock();
    const { done, refused, send } = await started(clock);
    send({ type: 'plan.skip', stepIds: Array.from({ length: 100_000 }, () => '') });
    await clock.settle();
    expect(refused[0]?.reason).toMatch(/^invalid-command: /);
    expect(refused[0]?.reason.length).toBeLessThan(1_000);
    await clock.runUntil(done);
  });

  for (const [name, approval, requestId] of [
    ['the question of a step', { agents: ['worker'] }, 'a:1.1'],
    ['the question of a plan', { plan: true }, 'plan:plan.1'],
  ] as const) {
    it(`does not answer ${name}: the question stays open for a valid answer`, async () => {
      const clock = watchedClock();
      const { actor, done, refused, send } = await started(clock, { approval });
      const before = actor.getSnapshot();
      for (const type of ['approval.grant', 'approval.reject']) {
        send({ type, requestId });
        send({ type, requestId, answer: 'Yes', reason: 'No', route: ['slot-0'] });
      }
      await clock.settle();
      expect(refused).toHaveLength(4);
      expect(actor.getSnapshot().context).toBe(before.context);
      send({ type: 'approval.reject', requestId, reason: 'No' });
      await clock.settle();
      expect(refused).toHaveLength(4);
      expect(actor.getSnapshot().context.questions).toEqual([]);
      await clock.runUntil(done);
    });
  }
});

describe('an XState event with an unknown actor id', () => {
  it('settles no step', async () => {
    const clock = watchedClock();
    const { actor, told, errors, done, send } = await started(clock);
    const before = actor.getSnapshot();
    for (const kind of ['done', 'error']) {
      for (const actorId of [undefined, null, 7, {}, '', 'x', 'slot-', 'slot-00', 'slot-99']) {
        const name = typeof actorId === 'string' ? actorId : 'x';
        for (const output of [undefined, null, {}, { status: 'completed' }, 'done']) {
          send({ type: `xstate.${kind}.actor.${name}`, actorId, output, error: 'Forged' });
        }
        send({ type: `xstate.${kind}.actor.${name}` });
      }
    }
    expect(actor.getSnapshot().value).toEqual(before.value);
    expect(actor.getSnapshot().context).toEqual(before.context);
    expect(Object.keys(actor.getSnapshot().children)).toEqual(Object.keys(before.children));
    await clock.runUntil(done);
    expect(errors).toEqual([]);
    expect(told).toEqual(await quietRun());
  });

  it('of a running step neither completes nor crashes it', async () => {
    const outcome = {
      status: 'completed',
      code: '',
      reason: '',
      attempts: 1,
      outputKeys: [],
      confidence: null,
      request: null,
      handOff: null,
    };
    const clock = watchedClock();
    const { actor, told, errors, done, send } = await started(clock);
    const before = actor.getSnapshot();
    for (const output of [undefined, null, 7, {}, [], { status: 'completed' }, outcome]) {
      send({ type: 'xstate.done.actor.slot-0', actorId: 'slot-0', output });
      send({ type: 'xstate.error.actor.slot-0', actorId: 'slot-0', error: output });
    }
    expect(actor.getSnapshot()).toBe(before);
    await clock.runUntil(done);
    expect(errors).toEqual([]);
    expect(told).toEqual(await quietRun());
  });
});

/** Events that charts and the interpreter raise, as an outsider would send them. `xstate.stop` is `actor.stop()`. */
const forgeries = (): readonly Sent[] => [
  { type: 'run.recovered', takeovers: 99 },
  { type: 'xstate.done.state.orchestrator.active' },
  { type: 'xstate.after.executionDeadline.orchestrator.active.clock.open' },
  { type: 'time.isUp' },
  { type: 'ladder.isExhausted' },
  { type: 'run.windDown' },
  { type: 'run.hold' },
  { type: 'run.release' },
  { type: 'step.skip', reason: 'Forged' },
  { type: 'approval.requested', requestId: 'x', stepId: 'a', route: ['slot-0'] },
  { type: 'approval.closed', requestId: 'x' },
  { type: 'permit.requested', agent: 'worker', route: ['slot-0'] },
  { type: 'permit.granted', route: ['agentCall', 'slot-0'] },
  { type: 'permit.refused', route: ['agentCall', 'slot-0'], code: 'breaker-open' },
  { type: 'call.settled', agent: 'worker', hasSucceeded: true, usage: { costUsd: 1 } },
  { type: 'verdict.given', score: 0, hasIssues: true, feedback: '', isLast: false, route: [] },
  { type: 'verdict.noted', route: [] },
  { type: 'xstate.done.actor.agentCall', actorId: 'agentCall', output: ANSWERED },
  { type: 'xstate.done.actor.performCall', actorId: 'performCall', output: ANSWERED },
];

const ANSWERED = {
  kind: 'answered',
  key: 'run/a/1/worker',
  answer: { role: 'worker', report: 'done', confidence: null },
  output: 'Forged',
  usage: null,
  hasOutput: true,
};

/** The actor and all its descendants. */
const treeOf = (actor: AnyActorRef): AnyActorRef[] => {
  const { children = {} } = actor.getSnapshot() as { children?: Record<string, AnyActorRef> };
  return [actor, ...Object.values(children).flatMap(treeOf)];
};

const eachForgery = (
  actor: AnyActorRef,
  send: (target: AnyActorRef, event: Sent) => void = (target, event) => {
    target.send(event);
  },
): void => {
  // Promise actors are not charts.
  const charts = treeOf(actor).filter((each) => 'context' in (each.getSnapshot() as object));
  expect(charts.map(({ id }) => id)).toContain('agentCall');
  for (const chart of charts) {
    const before: unknown = chart.getSnapshot();
    for (const event of forgeries()) {
      send(chart, event);
      expect(chart.getSnapshot(), `${event.type} to ${chart.id}`).toBe(before);
    }
  }
};

describe('an event that is not a command, sent to a plain actor', () => {
  it('changes nothing in the root chart and its descendants', async () => {
    const clock = watchedClock();
    const { actor, told, errors, done } = await started(clock);
    eachForgery(actor);
    await clock.runUntil(done);
    expect(errors).toEqual([]);
    expect(told).toEqual(await quietRun());
  });

  it('changes nothing in a restored actor', async () => {
    const clock = watchedClock();
    const { actor, machine } = await started(clock);
    const snapshot = actor.getPersistedSnapshot();
    actor.stop();
    const restored = createActor(machine, { snapshot, clock, input: { goal: 'The goal' } }).start();
    await clock.settle();
    eachForgery(restored);
    restored.send({ type: 'run.abort', reason: 'Enough' });
    expect(restored.getSnapshot().output).toMatchObject({ status: 'aborted' });
  });

  it('changes nothing where the user’s machine provides implementations', async () => {
    const clock = watchedClock();
    const { actor, machine } = await started(clock);
    const provided = createActor(machine.provide({ delays: { gracePeriod: 1 } }), {
      clock,
      input: { goal: 'The goal', plan: { steps: steps('a') } },
    }).start();
    await clock.settle();
    eachForgery(provided);
    for (const each of [provided, actor]) each.send({ type: 'run.abort', reason: 'Enough' });
  });

  it('changes nothing when the machine that invokes the chart sends it; a command does', async () => {
    const clock = watchedClock();
    const { actor, machine } = await started(clock);
    actor.send({ type: 'run.abort', reason: 'Only its machine is needed' });
    const holder = createMachine({
      invoke: {
        id: 'run',
        src: machine,
        input: { goal: 'The goal', plan: { steps: steps('a') } },
      },
      on: {
        pass: {
          actions: sendTo('run', ({ event }) => (event as unknown as { inner: Sent }).inner),
        },
      },
    });
    const above = createActor(holder, { clock }).start();
    await clock.settle();
    const run = above.getSnapshot().children['run'];
    if (run === undefined) throw new Error('There is no run');
    const [chart, ...below] = treeOf(run);
    expect(below.length).toBeGreaterThan(0);
    const before: unknown = chart?.getSnapshot();
    for (const inner of forgeries()) {
      above.send({ type: 'pass', inner });
      expect(chart?.getSnapshot(), inner.type).toBe(before);
    }
    above.send({ type: 'pass', inner: { type: 'run.abort', reason: 'Enough' } });
    expect(run.getSnapshot()).toMatchObject({ output: { status: 'aborted' } });
    above.stop();
  });

  it('does not break pure transitions', () => {
    const { machine } = plainActor(watchedClock());
    const [initial] = initialTransition(machine, { goal: 'The goal' });
    const [next] = transition(machine, initial, { type: 'turn.taken' });
    expect(next.value).not.toEqual(initial.value);
  });
});
