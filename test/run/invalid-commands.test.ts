import { describe, expect, it } from 'vitest';

import { parseCommand } from '../../src/run/commands.js';
import type { Run } from '../../src/run/run.types.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, started } from './runs.js';

expectNothingUnhandled();

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
  'x'.repeat(100_001),
];

type Method = 'approve' | 'reject' | 'skip' | 'skipTo' | 'say' | 'extendTime' | 'abort';

const call = (run: Run, method: Method, ...given: readonly unknown[]): Promise<unknown> =>
  Promise.resolve(Reflect.apply(run[method], run, given));

describe('a command that makes no sense', () => {
  for (const [method, ignored] of [
    ['approve', []],
    ['reject', []],
    ['skip', []],
    ['skipTo', []],
    ['say', []],
    ['extendTime', [7]],
    ['abort', []],
  ] as const) {
    it(`${method}: is answered with what is wrong, never thrown, and changes nothing`, async () => {
      const { run, clock } = started();
      await clock.settle();
      const before = run.journal().length;
      for (const garbage of GARBAGE) {
        if ((ignored as readonly unknown[]).includes(garbage)) continue;
        const result = await call(run, method, garbage);
        expect(result).toMatchObject({ accepted: false });
        expect((result as { reason: string }).reason).toMatch(/^(invalid-command: |unknown-)/);
      }
      expect(run.journal()).toHaveLength(before);
      await clock.runUntil(run.done);
      expect(await run.done).toMatchObject({ status: 'completed', durationMs: 300 });
    });
  }

  it('is answered even when it cannot be looked at', async () => {
    const trap = (): never => {
      throw new Error('trap');
    };
    const { run, clock } = started();
    for (const hostile of [
      new Proxy([], { get: trap }),
      Array.from({ length: 2 ** 20 }, () => 'a'),
    ]) {
      for (const method of ['approve', 'skip', 'say', 'abort'] as const) {
        expect(await call(run, method, hostile)).toMatchObject({ accepted: false });
      }
    }
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  for (const extraMs of [
    Number.NaN,
    -1,
    0,
    0.5,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 53,
    1e308,
  ]) {
    it(`extendTime(${extraMs}): is refused`, async () => {
      const { run, clock } = started();
      expect(await run.extendTime(extraMs)).toMatchObject({ accepted: false });
      await clock.runUntil(run.done);
      expect(factsOf(run).filter(({ type }) => type === 'time.extended')).toEqual([]);
    });
  }

  it('extendTime: as much as there is, again and again, is still a number', async () => {
    const { run, clock } = started();
    for (let time = 0; time < 3; time += 1) {
      expect(await run.extendTime(Number.MAX_SAFE_INTEGER)).toEqual({ accepted: true });
    }
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('an answer that is too long is refused; the question stays open', async () => {
    const { run } = started();
    expect(await run.approve('a:1.1', 'x'.repeat(20_001))).toMatchObject({ accepted: false });
    expect(await run.reject('a:1.1', 7 as never)).toMatchObject({ accepted: false });
  });

  it('everything after the end is refused as over', async () => {
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
      run.resume(),
      run.extendTime(1),
      run.abort(),
    ]);
    expect(results).toEqual(results.map(() => ({ accepted: false, reason: 'run-ended' })));
    expect(run.journal()).toHaveLength(before);
  });
});

describe('events from outside', () => {
  it('are commands or nothing: no event that charts raise among themselves gets in', () => {
    for (const candidate of [
      undefined,
      null,
      'run.pause',
      [],
      {},
      { type: null },
      { type: '*' },
      { type: 'x'.repeat(1_000_000) },
      { type: 'xstate.done.actor.slot-0', output: {}, actorId: 'slot-0' },
      { type: 'xstate.stop' },
      { type: 'xstate.init' },
      { type: 'xstate.after.timeLimit.orchestrator.active.clock.closing' },
      { type: 'time.isUp' },
      { type: 'ladder.isExhausted' },
      { type: 'permit.granted', route: ['slot-0'] },
      { type: 'verdict.given', score: 100, hasIssues: false, feedback: '' },
      { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', route: ['slot-0'] },
      { type: 'approval.grant', requestId: 'a:1.1', approved: 'yes' },
      { type: 'approval.closed', requestId: 'a:1.1' },
    ]) {
      const parsed = parseCommand(candidate);
      expect(parsed.ok).toBe(false);
    }
  });

  it('keep only what a command has', () => {
    const parsed = parseCommand({
      type: 'approval.grant',
      requestId: 'a:1.1',
      answer: 'Yes',
      isAdmin: true,
    });
    expect(parsed).toEqual({
      ok: true,
      command: { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', route: [] },
    });
  });
});
