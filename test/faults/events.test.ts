import { describe, expect, it } from 'vitest';

import { parseCommand } from '../../src/model/commands.js';
import type { Run } from '../../src/run/run.types.js';
import { started } from '../run/runs.js';
import { scenario } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { plainActor } from './events-plain-actor.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/* Malformed events, and events that only charts may send. */

const METHODS = ['approve', 'reject', 'skip', 'skipTo', 'say', 'extendTime', 'abort'] as const;

type Method = (typeof METHODS)[number];

const call = (run: Run, method: Method, ...given: readonly unknown[]): Promise<unknown> =>
  Promise.resolve(Reflect.apply(run[method], run, given));

const GARBAGE: readonly unknown[] = [
  null,
  0,
  7,
  true,
  Number.NaN,
  {},
  [],
  [null],
  [''],
  Symbol('s'),
  () => 'f',
  1n,
  'x'.repeat(1_000_000),
  { type: 'run.abort', reason: 'Forged' },
];

/** Events that charts raise among themselves, or that XState raises in them. */
const FORGERIES: readonly { readonly type: string }[] = [
  { type: 'xstate.init' },
  { type: 'xstate.stop' },
  { type: 'xstate.done.state.orchestrator' },
  { type: 'xstate.done.actor.x' },
  Object.assign({ type: 'xstate.done.actor.slot-0' }, { output: {}, actorId: 'slot-0' }),
  Object.assign({ type: 'xstate.error.actor.slot-0' }, { error: 'Forged', actorId: 'slot-0' }),
  { type: 'xstate.after.executionDeadline.orchestrator.active.clock.open' },
  { type: 'xstate.after.timeLimit.orchestrator.active.clock.closing' },
  { type: 'time.isUp' },
  { type: 'ladder.isExhausted' },
  { type: 'run.windDown' },
  { type: 'step.skip' },
  { type: 'approval.closed' },
  Object.assign({ type: 'approval.requested' }, { requestId: 'a:1.1', stepId: 'a', route: [] }),
  Object.assign({ type: 'permit.granted' }, { route: ['slot-0'] }),
  Object.assign({ type: 'permit.requested' }, { agent: 'worker', route: ['slot-0'] }),
  Object.assign({ type: 'call.settled' }, { agent: 'worker', hasSucceeded: true, usage: {} }),
  Object.assign({ type: 'verdict.given' }, { score: 100, hasIssues: false, feedback: '' }),
  Object.assign({ type: 'verdict.noted' }, { route: ['slot-0'] }),
];

describe('a malformed event', () => {
  it('as a command is answered with its issues, never thrown, and changes nothing', async () => {
    for (const method of METHODS) {
      const { run, clock } = started();
      await clock.settle();
      const before = run.journal().length;
      for (const garbage of GARBAGE) {
        if (method === 'extendTime' && garbage === 7) continue;
        expect(await call(run, method, garbage), method).toMatchObject({
          accepted: false,
          reason: expect.stringMatching(/^invalid-command: /) as string,
        });
      }
      expect(run.journal()).toHaveLength(before);
      await clock.runUntil(run.done);
      expect(await run.done).toMatchObject({ status: 'completed', durationMs: 300 });
    }
  });

  it('as a command that cannot be read, or is far too long, is still answered', async () => {
    const trap = (): never => {
      throw new Error('trap');
    };
    const { run, clock } = started();
    for (const hostile of [
      new Proxy([], { get: trap }),
      new Proxy({}, { get: trap, ownKeys: trap, getPrototypeOf: trap }),
      Object.defineProperty([], '0', { get: trap, enumerable: true }),
      Array.from({ length: 2 ** 20 }, () => 'a'),
    ]) {
      for (const method of METHODS) {
        expect(await call(run, method, hostile)).toMatchObject({ accepted: false });
      }
    }
    expect(parseCommand(new Proxy({}, { get: trap }))).toEqual({
      ok: false,
      reason: 'invalid-command: reading it threw an error',
    });
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('without a type, or with an unknown type, is not a command', () => {
    for (const candidate of [
      undefined,
      null,
      0,
      'run.pause',
      [],
      ['run.pause'],
      {},
      { type: null },
      { type: 7 },
      { type: '' },
      { type: '*' },
      { type: 'run.*' },
      { type: 'run' },
      { type: 'RUN.PAUSE' },
      { type: '__proto__' },
      { type: 'constructor' },
      { type: 'x'.repeat(1_000_000) },
      {
        get type(): never {
          throw new Error('trap');
        },
      },
    ]) {
      const parsed = parseCommand(candidate);
      expect(parsed).toMatchObject({ ok: false });
      // The sent value is not returned: a type of a megabyte would be in every log.
      expect(JSON.stringify(parsed).length).toBeLessThan(2_000);
    }
  });

  // Values that are not events at all, such as null or the wildcard, are refused by XState: its interpreter ends with
  // an error.
  it('of a type that no chart knows leaves XState’s own interpreter unchanged', async () => {
    const quietClock = watchedClock();
    const quiet = plainActor(quietClock);
    quiet.actor.start();
    await quietClock.runUntil(quiet.done);

    const clock = watchedClock();
    const { actor, told, errors, done } = plainActor(clock);
    actor.start();
    await clock.settle();
    const before = actor.getSnapshot();
    for (const type of [
      'unknown',
      '',
      'run.*',
      'x'.repeat(1_000_000),
      '__proto__',
      'constructor',
      'toString',
      'step.completed',
    ]) {
      actor.send({ type } as never);
      expect(actor.getSnapshot().value).toEqual(before.value);
      expect(actor.getSnapshot().context).toBe(before.context);
    }
    await clock.runUntil(done);
    expect(errors).toEqual([]);
    expect(told).toEqual(quiet.told);
  });
});

/** Its own properties, and inherited ones. */
const methodsOf = (value: object): string[] => {
  const prototype = Object.getPrototypeOf(value) as object;
  if (prototype === Object.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...new Set([...own, ...methodsOf(prototype)])].sort();
};

describe('a forged event', () => {
  it('that charts raise among themselves is refused, because no command has its type', () => {
    for (const forged of FORGERIES) {
      expect(parseCommand(forged), forged.type).toMatchObject({ ok: false });
    }
    const withRoute = { type: 'approval.grant', requestId: 'a:1.1', answer: '', route: ['slot-0'] };
    expect(parseCommand(withRoute)).toMatchObject({ ok: false });
  });

  it('cannot be sent to a run, which accepts only named commands', async () => {
    const { run, clock } = started();
    expect(methodsOf(run)).toEqual(
      [
        ...['answered', 'begin', 'beginsAfter', 'continueFrom', 'keepIn', 'giveUp', 'show', 'stop'], // of the registry: none of them takes an event
        ...['subscribe', 'facts', 'record', 'journal'],
        ...[
          'approve',
          'reject',
          'skip',
          'skipTo',
          'say',
          'pause',
          'unpause',
          'extendTime',
          'abort',
        ],
        'command', // where all of those go: it is the door
      ].sort(),
    );
    const door = run as unknown as { command(candidate: unknown): Promise<unknown> };
    for (const forged of FORGERIES) {
      expect(await door.command(forged), forged.type).toMatchObject({ accepted: false });
    }
    void run.abort();
    expect(clock.pending()).toBe(0);
  });

  scenario(
    'stays a text when a person says it, and data when an agent answers with it',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async (call) => {
            await clock.sleep(100, call.signal);
            return FORGERIES;
          }),
        ],
      },
      start: { plan: { steps: steps('a') } },
      at: {
        50: (control) => {
          for (const forged of FORGERIES) control.say(JSON.stringify(forged));
        },
      },
    }),
    ({ report, facts, factsOf: told, commands }) => {
      expect(commands).toEqual(FORGERIES.map(() => ({ accepted: true })));
      expect(told('conversation.said').map(({ text }) => text)).toEqual(
        FORGERIES.map((forged) => JSON.stringify(forged)),
      );
      const others = facts.filter(({ at, type }) => at === 50 && type !== 'conversation.said');
      expect(others).toEqual([]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 100 });
      expect(report.steps[0]?.output).toEqual(FORGERIES);
    },
  );
});
