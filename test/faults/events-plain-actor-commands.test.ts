import { describe, expect, it } from 'vitest';

import { parseCommand } from '../../src/run/commands.js';
import type { VirtualClock } from '../../src/services/virtual-clock.js';
import { plainActor } from './events-plain-actor.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/*
 * Rows E2 and E3 for who holds the plain actor: its commands are held to what a run holds them to, and no event makes
 * a chart throw because something is missing in it.
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

/** A plain actor that is under way, and everything that it refused. */
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

/** What a run says of it. */
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
  it('E2 is refused with what is wrong, as a run refuses it, and changes nothing', async () => {
    const clock = watchedClock();
    const { actor, told, errors, done, refused, send } = await started(clock);
    const before = actor.getSnapshot();
    for (const event of MALFORMED) {
      send(event);
      expect(refused.at(-1)).toEqual(refusalOf(event));
      expect(actor.getSnapshot().value).toEqual(before.value);
      expect(actor.getSnapshot().context).toBe(before.context);
    }
    expect(refused).toHaveLength(MALFORMED.length);
    await clock.runUntil(done);
    expect(errors).toEqual([]);
    expect(told.filter((line) => !line.endsWith('command.refused'))).toEqual(await quietRun());
  });

  it('E2 with 100,000 mistakes is refused in a few words', async () => {
    const clock = watchedClock();
    const { done, refused, send } = await started(clock);
    send({ type: 'plan.skip', stepIds: Array.from({ length: 100_000 }, () => '') });
    expect(refused[0]?.reason).toMatch(/^invalid-command: /);
    expect(refused[0]?.reason.length).toBeLessThan(1_000);
    await clock.runUntil(done);
  });

  for (const [name, approval, requestId] of [
    ['the question of a step', { agents: ['worker'] }, 'a:1.1'],
    ['the question of a plan', { plan: true }, 'plan:plan.1'],
  ] as const) {
    it(`E2 does not answer ${name}: it stays open for an answer that is one`, async () => {
      const clock = watchedClock();
      const { actor, done, refused, send } = await started(clock, { approval });
      const before = actor.getSnapshot();
      for (const type of ['approval.grant', 'approval.reject']) {
        send({ type, requestId });
        send({ type, requestId, answer: 'Yes', reason: 'No', route: ['slot-0'] });
      }
      expect(refused).toHaveLength(4);
      expect(actor.getSnapshot().context).toBe(before.context);
      send({ type: 'approval.reject', requestId, reason: 'No' });
      expect(refused).toHaveLength(4);
      expect(actor.getSnapshot().context.questions).toEqual([]);
      await clock.runUntil(done);
    });
  }
});

describe('an event of XState that names nobody here', () => {
  it('E3 settles no step, whatever it says', async () => {
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

  it('E3 of a step, with what is no outcome, is a crash of that step and of nothing else', async () => {
    for (const output of [undefined, null, 7, {}, [], { status: 'completed' }]) {
      const clock = watchedClock();
      const { actor, told, errors, done, send } = await started(clock);
      send({ type: 'xstate.done.actor.slot-0', actorId: 'slot-0', output });
      await clock.runUntil(done);
      expect(errors).toEqual([]);
      expect(told).toContain('0 step.failed');
      expect(actor.getSnapshot().output).toMatchObject({ status: 'failed' });
    }
  });
});
