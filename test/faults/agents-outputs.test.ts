import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { performCall } from '../../src/actors/perform-call.js';
import { defineAgent } from '../../src/agents/agent.js';
import { blocked, done } from '../../src/agents/report.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { play, scenario } from '../scenarios/harness.js';
import { surroundings, teamOf, workerInput } from '../scenarios/one-call.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { shortestMs } from '../cpu-time.js';
import { afterIt, eachInAStep, oneTry } from './agents-faulty.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/** The cap of the default policy. */
const CAP_BYTES = 1_048_576;

describe('an agent that answers synchronously', () => {
  const outputs = ['text', '', 0, -1.5, true, false, null, [], {}, [null], { a: { b: [1] } }];

  scenario(
    'has its returned value as the output',
    () => eachInAStep(outputs),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ output }) => output)).toEqual([...outputs, 'fine']);
      expect(factsOf('agent.failed')).toEqual([]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'has the output null when it returns undefined, and is called once',
    () => eachInAStep([undefined, done(undefined), () => Promise.resolve(undefined)]),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed')).toEqual([]);
      expect(report.successfulSteps).toEqual(['f0', 'f1', 'f2', 'last']);
      expect(report.steps.map(({ output }) => output)).toEqual([null, null, null, 'fine']);
      expect(report.metrics.agents).toMatchObject({ worker: { calls: 3, answers: 3 } });
    },
  );
});

/** 50 MB that are really allocated; a repeated text would share its parts. */
const largeText = (): string => Buffer.alloc(50_000_000, 'x').toString('latin1');

describe('an agent whose output is too large', { timeout: 30_000 }, () => {
  const tooLarge = [
    largeText(),
    Array.from({ length: 1e6 }, () => 1),
    new Array<unknown>(1e6),
    Object.fromEntries(Array.from({ length: 1e5 }, (_, index) => [`a-long-key-${index}`, index])),
  ];
  scenario(
    '50 MB of text or a million items fail as output-too-large and are not kept',
    () => eachInAStep(tooLarge),
    ({ report, factsOf, journal }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual(
        tooLarge.map(() => 'output-too-large'),
      );
      expect(JSON.stringify(journal).length).toBeLessThan(50_000);
      expect(report.successfulSteps).toEqual(['last']);
    },
  );

  scenario(
    'the cap is exact: that many bytes of JSON are kept, one more is refused',
    () =>
      eachInAStep([
        'x'.repeat(CAP_BYTES - 2),
        'x'.repeat(CAP_BYTES - 1),
        'é'.repeat(CAP_BYTES / 2 - 1),
      ]),
    ({ report }) => {
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['completed', null],
        ['failed', 'output-too-large'],
        ['completed', null],
        ['completed', null],
      ]);
    },
  );

  scenario(
    'a reason of a megabyte fails the attempt as invalid-output',
    () => afterIt(agentNamed('worker', () => blocked('x'.repeat(1_000_000)))),
    ({ factsOf, journal }) => {
      expect(factsOf('agent.failed')).toMatchObject([{ code: 'invalid-output' }]);
      expect(JSON.stringify(journal).length).toBeLessThan(50_000);
    },
  );

  it('the memory of a refused output is freed', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const usedBytes = async (): Promise<number> => {
      collectGarbage();
      // Memory outside the heap is returned a little later.
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const build = (): ScenarioSetup => afterIt(agentNamed('worker', largeText));
    await play('straight', build); // Memory of modules that the first run loads does not count.
    const before = await usedBytes();
    const { report, journal } = await play('straight', build);
    expect((await usedBytes()) - before).toBeLessThan(5_000_000);
    // Both were referenced until now.
    expect(report.steps[0]?.code).toBe('output-too-large');
    expect(journal.length).toBeGreaterThan(2);
  });
});

const typed = (...answers: readonly unknown[]): ScenarioSetup => {
  const ids = answers.map((_, index) => `f${index}`);
  return {
    options: {
      agents: [
        defineAgent({
          name: 'worker',
          description: 'Has a schema',
          output: z.object({ files: z.array(z.string()), count: z.number().default(0) }),
          run: ({ step }) => answers[ids.indexOf(step.id)] as never,
        }),
      ],
      policy: oneTry,
    },
    start: { plan: { steps: steps(...ids) } },
  };
};

const malformed = [
  '{"files":["a.ts"',
  '{"files":["a.ts",]}',
  '{"files":[], "count": NaN}',
  '\ufeff{"files":[]}',
  '{"files":[]}{"files":[]}',
  '{"files":["a.ts"]}',
];

// Agents return values, never texts to be parsed, so there is no `invalid-json`. A text where the schema wants an
// object
// is an invalid output at the root. An adapter that parses a model's text does so before it gets here.
describe('an agent that answers with JSON as text', () => {
  scenario(
    'malformed JSON fails as invalid-output where the agent has a schema, with path and reason',
    () => typed(...malformed),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code, reason }) => [code, reason])).toEqual(
        malformed.map(() => [
          'invalid-output',
          'value: Invalid input: expected object, received string',
        ]),
      );
      expect(report.steps.map(({ output }) => output)).toEqual(malformed.map(() => null));
    },
  );

  scenario(
    'malformed JSON without a schema is kept as a text, unchanged',
    () => eachInAStep(malformed),
    ({ report }) => {
      expect(report.steps.slice(0, -1).map(({ output }) => output)).toEqual(malformed);
    },
  );
});

describe('an agent whose output has the wrong shape', () => {
  const wrong: readonly (readonly [answer: unknown, paths: readonly string[]])[] = [
    [{}, ['files']],
    [{ files: 'a.ts' }, ['files']],
    [{ files: ['a.ts', 7] }, ['files[1]']],
    [{ files: [{ name: 'a.ts' }], count: '1' }, ['files[0]', 'count']],
    [null, ['value']],
    [done({ files: 3 }), ['files']],
  ];

  scenario(
    'fails as invalid-output, with the path of every issue',
    () => typed(...wrong.map(([answer]) => answer)),
    ({ report, factsOf }) => {
      const failures = factsOf('agent.failed');
      expect(failures.map(({ code }) => code)).toEqual(wrong.map(() => 'invalid-output'));
      const paths = failures.map(({ reason }) =>
        reason.split('; ').map((issue) => issue.split(':')[0]),
      );
      expect(paths).toEqual(wrong.map(([, expected]) => expected));
      for (const { output } of report.steps) expect(output).toBeNull();
    },
  );

  scenario(
    'loses keys that the schema does not declare and gains its defaults',
    () => typed({ files: ['a.ts'], password: 'secret' }),
    ({ report, facts, journal }) => {
      expect(report.steps[0]?.output).toEqual({ files: ['a.ts'], count: 0 });
      expect(JSON.stringify([facts, journal])).not.toContain('secret');
    },
  );
});

describe('an agent whose output is not plain JSON', () => {
  class Money {
    readonly amount = 5;
    get double(): number {
      return 2 * this.amount;
    }
  }
  const readable: readonly (readonly [output: unknown, kept: unknown])[] = [
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Money(), { amount: 5 }],
    ['a\ud800b', 'a\ufffdb'],
    [{ a: undefined, b: 1 }, { b: 1 }],
    [-0, 0],
    [Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    [new Proxy({ a: 1 }, {}), { a: 1 }],
  ];

  scenario(
    'a value with a JSON form is kept in that form',
    () => eachInAStep(readable.map(([output]) => output)),
    ({ report, factsOf }) => {
      expect(report.steps.slice(0, -1).map(({ output }) => output)).toEqual(
        readable.map(([, kept]) => kept),
      );
      expect(factsOf('agent.failed')).toEqual([]);
    },
  );

  const trap = (): never => {
    throw new Error('trap');
  };
  const unreadable: readonly (() => unknown)[] = [
    () => ({ amount: 1n }),
    () => new Map([['a', 1]]),
    () => ({ seen: new Set([1]) }),
    () => () => 'later',
    () => ({ tag: Symbol('s') }),
    () => new Uint8Array(8),
    () => ({ score: Number.NaN }),
    () => JSON.parse('{"__proto__": {"isAdmin": true}}') as unknown,
    () => Object.defineProperty({}, 'secret', { enumerable: true, get: trap }),
    () => ({ toJSON: trap }),
    () => new Proxy({}, { ownKeys: trap }),
  ];

  // Every scenario is also rebuilt from its journal after each entry, so entries after the fault were written and
  // read.
  scenario(
    'a value without a JSON form fails as not-serializable, and the journal stays readable',
    () => eachInAStep(unreadable),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual(
        unreadable.map(() => 'not-serializable'),
      );
      expect(report.successfulSteps).toEqual(['last']);
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    },
  );
});

describe('an agent whose output is infinite or too deep', () => {
  const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
    let value: unknown = 'leaf';
    for (let level = 0; level < levels; level += 1) value = wrap(value);
    return value;
  };
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = { back: cyclic };
  const endless = [
    cyclic,
    nested(20_000, (value) => ({ value })),
    nested(20_000, (value) => [value]),
    nested(30, (value) => [value, value]),
  ];

  scenario(
    'a cycle, 20,000 levels or 30 doubling levels fail the attempt and are not kept',
    () => eachInAStep(endless),
    ({ report, factsOf, journal }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual([
        'not-serializable',
        'not-serializable',
        'not-serializable',
        'output-too-large',
      ]);
      expect(JSON.stringify(journal).length).toBeLessThan(50_000);
      expect(report.successfulSteps).toEqual(['last']);
    },
  );

  it('an infinite output is detected faster than the largest valid output is read', async () => {
    const takenMs = (output: unknown, kind: string): Promise<number> =>
      shortestMs(5, async () => {
        const call = performCall(
          teamOf(() => output),
          workerInput('worker'),
          surroundings(),
        );
        expect((await call).kind).toBe(kind);
      });
    // As a list of lists, because infinite outputs consist of them.
    const largest = Array.from({ length: CAP_BYTES / 4 - 1 }, () => [1]);
    const largestMs = await takenMs(largest, 'answered');
    for (const value of endless) {
      expect(await takenMs(value, 'failed')).toBeLessThan(largestMs);
    }
  });
});
