import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { afterIt } from './faulty.js';
import { scenario } from './harness.js';
import { deferred, inTurn, scriptedAgent } from './scripted.js';
import type { TestAgent } from './team.js';
import { agentNamed, slowAgent, steps } from './team.js';
import { expectNothingUnhandled } from './unhandled.js';

expectNothingUnhandled();

describe('an agent that does not come back', () => {
  const hanging: { agent?: TestAgent; aborts: number } = { aborts: 0 };
  scenario(
    'A1: hangs: fails as timeout when its time is over, is told once, and its slot is free again',
    () => {
      hanging.aborts = 0;
      hanging.agent = agentNamed('worker', (call) => {
        call.signal.addEventListener('abort', () => {
          hanging.aborts += 1;
        });
        return new Promise(() => undefined);
      });
      return afterIt(hanging.agent);
    },
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'agent.failed')).toMatchObject({
        at: 1_000,
        code: 'timeout',
      });
      expect(hanging.aborts).toBe(1);
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'timeout'],
        ['completed', null],
      ]);
    },
  );

  scenario(
    'A1: returns something that only looks like a promise and never calls back',
    () => afterIt(agentNamed('worker', () => ({ then: () => undefined }))),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ code: 'timeout', durationMs: 1_000 });
    },
  );

  const late: { resolve: (() => void)[] } = { resolve: [] };
  scenario(
    'A2: ignores the abort and answers after the run ended: the answer is nobody’s',
    () => {
      const answers = [deferred<string>(), deferred<string>()];
      late.resolve = [
        () => answers[0]?.resolve('late'),
        () => answers[1]?.reject(new Error('late')),
      ];
      const next = inTurn(...answers.map(({ promise }) => promise));
      return {
        options: {
          agents: [agentNamed('worker', next)],
          policy: definePolicy({
            retry: { attempts: 1 },
            time: { stepTimeoutMs: 1_000, graceMs: 0 },
            failure: { onStepFailure: 'continue' },
          }),
        },
        start: { plan: { steps: steps('a', 'b') } },
      };
    },
    async ({ report, facts, clock, journal }) => {
      const entries = journal.length;
      const told = facts.length;
      for (const resolve of late.resolve) resolve();
      await clock.settle();
      expect(facts).toHaveLength(told);
      expect(journal).toHaveLength(entries);
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'timeout'],
        ['failed', 'timeout'],
      ]);
      expect(clock.pending()).toBe(0);
    },
  );

  scenario(
    'A2: answers its first try during the second: only the second counts',
    (clock) => {
      const first = deferred<string>();
      return {
        options: {
          agents: [
            scriptedAgent('worker', first.promise, async (call: { signal: AbortSignal }) => {
              await clock.sleep(200, call.signal);
              first.resolve('first');
              await clock.sleep(200, call.signal);
              return 'second';
            }),
          ],
          policy: definePolicy({ time: { stepTimeoutMs: 1_000 }, retry: { backoffMs: 0 } }),
        },
        start: { plan: { steps: steps('a') } },
      };
    },
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered').map(({ key, output }) => [key, output])).toEqual([
        ['run/a/1/worker#2', 'second'],
      ]);
      expect(report.steps[0]?.output).toBe('second');
    },
  );
});

describe('an agent that throws', () => {
  const circular: Record<string, unknown> = { name: 'Circular' };
  circular['self'] = circular;
  const withoutStack = new Error('no stack');
  delete withoutStack.stack;
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('trap');
      },
    },
  );
  const thrown: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['0', 0],
    ['an empty text', ''],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['a function', () => 'f'],
    ['an empty object', {}],
    ['a frozen object', Object.freeze({ message: 'frozen' })],
    ['a circular object', circular],
    ['an error without a stack', withoutStack],
    ['a DOMException', new DOMException('gone', 'AbortError')],
    ['an error with a huge message', new Error('x'.repeat(100_000))],
    ['an object whose members throw', hostile],
    ['an error caused by itself', Object.assign(new Error('loop'), { cause: circular })],
  ];

  for (const [name, value] of thrown) {
    for (const [id, how, fault] of [
      [
        'A3',
        'throws',
        () => {
          throw value;
        },
      ],
      [
        'A4',
        'rejects with',
        () => {
          const answer = deferred();
          answer.reject(value);
          return answer.promise;
        },
      ],
    ] as const) {
      scenario(
        `${id}: ${how} ${name}: fails as threw, with a short reason in words`,
        () => afterIt(agentNamed('worker', fault)),
        ({ report, factsOf }) => {
          const [failure] = factsOf('agent.failed');
          expect(failure?.code).toBe('threw');
          expect(failure?.reason.length).toBeGreaterThan(0);
          expect(failure?.reason.length).toBeLessThanOrEqual(2_000);
          expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
          expect(report.steps.map(({ status }) => status)).toEqual(['failed', 'completed']);
        },
      );
    }
  }
});

describe('an agent that is ready in the very moment in which something else happens', () => {
  scenario(
    'A12: its timeout: there is exactly one of answer and failure',
    (clock) => afterIt(slowAgent('worker', clock, 1_000)),
    ({ report, factsOf }) => {
      const settled = factsOf('agent.answered', 'agent.failed').filter(
        ({ stepId }) => stepId === 'a',
      );
      expect(settled).toHaveLength(1);
      expect(report.steps[0]?.status).toBe(
        settled[0]?.type === 'agent.answered' ? 'completed' : 'failed',
      );
    },
  );

  scenario(
    'A12: the limit of the run without grace: an aborted call is never a success',
    (clock) => ({
      options: {
        agents: [slowAgent('early', clock, 500), slowAgent('worker', clock, 9_500)],
        policy: definePolicy({
          time: { limitMs: 10_000, planningMs: 1, verificationMs: 1, graceMs: 0 },
        }),
      },
      start: { plan: { steps: steps('early:early', 'a<early') } },
    }),
    ({ report, factsOf }) => {
      const answers = factsOf('agent.answered').filter(({ stepId }) => stepId === 'a').length;
      expect(report.steps[1]?.status).toBe(answers === 1 ? 'completed' : 'cancelled');
      expect(report.durationMs).toBe(10_000);
    },
  );

  scenario(
    'A12: its skip: the step is settled once',
    (clock) => ({
      ...afterIt(slowAgent('worker', clock, 900)),
      at: { 900: (control) => control.skip(['a']) },
    }),
    ({ factsOf }) => {
      const settled = factsOf('step.completed', 'step.skipped', 'step.failed');
      expect(settled.filter(({ stepId }) => stepId === 'a')).toHaveLength(1);
    },
  );

  for (const [name, answer] of [
    [
      'resolves twice',
      () =>
        new Promise((resolve) => {
          resolve('first');
          resolve('second');
        }),
    ],
    [
      'resolves and rejects',
      () =>
        new Promise((resolve, reject) => {
          resolve('first');
          reject(new Error('second'));
        }),
    ],
    [
      'resolves and throws',
      () =>
        new Promise((resolve) => {
          resolve('first');
          throw new Error('second');
        }),
    ],
    [
      'calls back twice and at once',
      () => ({
        then: (resolve: (value: string) => void, reject: (reason: unknown) => void) => {
          resolve('first');
          resolve('second');
          reject(new Error('third'));
        },
      }),
    ],
  ] as const) {
    scenario(
      `A15: ${name}: the first counts`,
      () => afterIt(agentNamed('worker', answer)),
      ({ report, factsOf }) => {
        expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'first' });
        expect(factsOf('agent.answered').filter(({ stepId }) => stepId === 'a')).toHaveLength(1);
      },
    );
  }
});
