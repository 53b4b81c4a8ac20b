import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { PolicyError } from '../../src/errors.js';
import {
  defaultPolicy,
  definePolicy,
  type Policy,
  type PolicyOverrides,
} from '../../src/policy/policy.js';
import { issuesOf, untyped } from './catch-policy-error.js';
import { isDeeplyFrozen } from './is-deeply-frozen.js';

describe('definePolicy', () => {
  it.each([[undefined], [{}], [{ limits: {} }], [{ limits: undefined, breaker: undefined }]])(
    'gives the defaults for %o',
    (overrides) => {
      expect(definePolicy(overrides)).toEqual(defaultPolicy);
    },
  );

  it('changes only the given options', () => {
    const policy = definePolicy({
      limits: { maxReplans: 0, maxTokens: 5_000 },
      escalation: { scores: { remind: 90 } },
    });
    expect(policy).toEqual({
      ...defaultPolicy,
      limits: { ...defaultPolicy.limits, maxReplans: 0, maxTokens: 5_000 },
      escalation: {
        ...defaultPolicy.escalation,
        scores: { ...defaultPolicy.escalation.scores, remind: 90 },
      },
    });
  });

  it('returns an equal policy for a complete one, also after a round trip through JSON', () => {
    const policy = definePolicy({ approval: { agents: ['coder'] }, time: { graceMs: -0 } });
    expect(definePolicy(policy)).toStrictEqual(policy);
    expect(definePolicy(untyped(JSON.parse(JSON.stringify(policy))))).toStrictEqual(policy);
  });

  it('is frozen at every depth, like the defaults', () => {
    expect(isDeeplyFrozen(definePolicy({ approval: { agents: ['coder'] } }))).toBe(true);
    expect(isDeeplyFrozen(defaultPolicy)).toBe(true);
  });

  it('replaces a list as a whole', () => {
    expect(definePolicy({ approval: { agents: ['one', 'two'] } }).approval.agents).toEqual([
      'one',
      'two',
    ]);
  });

  it('leaves its input unchanged and keeps no part of it', () => {
    const agents = ['coder'];
    const overrides = { approval: { agents }, breaker: { failures: 2, resetMs: 10 } };
    const policy = definePolicy(overrides);
    agents.push('intruder');
    overrides.breaker.failures = 9;
    expect(policy.approval.agents).toEqual(['coder']);
    expect(policy.breaker).toEqual({ failures: 2, resetMs: 10 });
    expect(Object.isFrozen(agents)).toBe(false);
    expect(overrides).toEqual({
      approval: { agents: ['coder', 'intruder'] },
      breaker: { failures: 9, resetMs: 10 },
    });
  });

  it('accepts frozen input and input without a prototype', () => {
    const bare = { __proto__: null, maxReplans: 1 };
    expect(definePolicy(untyped(Object.freeze({ limits: bare }))).limits.maxReplans).toBe(1);
  });

  it('turns the breaker on with both of its options, and off with null', () => {
    expect(definePolicy({ breaker: { failures: 1, resetMs: 1 } }).breaker).toEqual({
      failures: 1,
      resetMs: 1,
    });
    expect(definePolicy({ breaker: null }).breaker).toBeNull();
    expect(issuesOf({ breaker: { failures: 1 } })).toEqual([
      {
        code: 'invalid-option',
        path: 'breaker.resetMs',
        message: 'Expected `breaker.resetMs` to be a safe integer of at least 1, got undefined',
      },
    ]);
  });

  it('reports all issues at once', () => {
    const overrides = untyped({
      limits: { maxReplans: NaN, maxStep: 3 },
      time: { limitMs: '1h' },
      replan: 'append',
      approval: { agents: ['coder', 7] },
      escalation: { scores: { remind: 10 }, issues: { abort: 1 } },
      colour: 'red',
    });
    expect(() => definePolicy(overrides)).toThrow(PolicyError);
    const issues = issuesOf(overrides);
    expect(issues.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      'conflicting-options escalation.issues',
      'conflicting-options escalation.scores',
      'invalid-option approval.agents[1]',
      'invalid-option limits.maxReplans',
      'invalid-option replan',
      'invalid-option time.limitMs',
      'unknown-option colour',
      'unknown-option limits.maxStep',
    ]);
    expect(new PolicyError(issues).message.split('\n')).toHaveLength(1 + issues.length);
  });

  it.each([
    [{ limits: { maxReplan: 1 } }, 'limits.maxReplan', 'limits.maxReplans'],
    [{ limits: { maxreplans: 1 } }, 'limits.maxreplans', 'limits.maxReplans'],
    [{ limit: {} }, 'limit', 'limits'],
    [{ maxReplans: 1 }, 'maxReplans', 'limits.maxReplans'],
    [{ time: { maxTokens: 1 } }, 'time.maxTokens', 'limits.maxTokens'],
    [
      { escalation: { scores: { remindd: 1 } } },
      'escalation.scores.remindd',
      'escalation.scores.remind',
    ],
  ])('refuses an unknown option and suggests the closest one: %o', (overrides, path, meant) => {
    expect(issuesOf(overrides)).toEqual([
      {
        code: 'unknown-option',
        path,
        message: `There is no option \`${path}\`. Did you mean \`${meant}\`?`,
      },
    ]);
  });

  it('suggests nothing when no option is close', () => {
    expect(issuesOf({ colour: 1 })[0]?.message).toBe('There is no option `colour`');
    expect(issuesOf({ [Symbol('limits')]: {} })).toMatchObject([{ code: 'unknown-option' }]);
    expect(issuesOf({ ['x'.repeat(1_000_000)]: 1 })[0]?.message.length).toBeLessThan(200);
  });

  it('refuses an unknown option even when it is undefined', () => {
    expect(issuesOf({ limits: { maxReplan: undefined } })).toHaveLength(1);
  });

  it.each([
    [null, 'null'],
    ['fast', "`'fast'` (string)"],
    [3, '`3` (number)'],
    [[], 'an array'],
    [() => ({}), 'a function'],
    [new Map(), 'an object'],
  ])('refuses %o as a policy and as a section', (value, shown) => {
    const expectation = 'to be a plain object of options, got';
    expect(issuesOf(value)[0]?.message).toBe(`Expected the policy ${expectation} ${shown}`);
    expect(issuesOf({ limits: value })).toEqual([
      {
        code: 'invalid-option',
        path: 'limits',
        message: `Expected \`limits\` ${expectation} ${shown}`,
      },
    ]);
  });

  it.each([
    ['scores', { remind: 50 }],
    ['scores', { correct: 30 }],
    ['scores', { remind: 10, correct: 20, refocus: 30 }],
    ['issues', { correct: 3 }],
    ['issues', { critical: 5 }],
    ['issues', { correct: 5, refocus: 4, critical: 3, abort: 2 }],
  ])('refuses escalation %s out of order: %o', (name, thresholds) => {
    expect(issuesOf({ escalation: { [name]: thresholds } })).toMatchObject([
      { code: 'conflicting-options', path: `escalation.${name}` },
    ]);
  });

  it('refuses phases that leave no time for the steps', () => {
    expect(issuesOf({ time: { limitMs: 100, planningMs: 50, verificationMs: 50 } })).toMatchObject([
      { code: 'conflicting-options', path: 'time' },
    ]);
    expect(issuesOf({ time: { limitMs: 100, planningMs: 50, verificationMs: 49 } })).toEqual([]);
  });
});

describe('definePolicy with hostile input', () => {
  it('refuses __proto__, constructor and prototype without touching any prototype', () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},' +
        '"limits":{"__proto__":{"maxReplans":99}},"prototype":{}}',
    );
    expect(issuesOf(hostile).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'unknown-option __proto__',
      'unknown-option constructor',
      'unknown-option limits.__proto__',
      'unknown-option prototype',
    ]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get({}, 'maxReplans')).toBeUndefined();
  });

  it('refuses inherited options instead of dropping them', () => {
    const inherited: unknown = Object.create({ maxReplans: 1 });
    const bareInherited: unknown = Object.create({ __proto__: null, maxReplans: 1 });
    expect(issuesOf({ limits: inherited })).toMatchObject([{ path: 'limits' }]);
    expect(issuesOf({ limits: bareInherited })).toMatchObject([{ path: 'limits' }]);
  });

  it('refuses a getter that throws, and still reports the rest', () => {
    const limits = {
      get maxReplans(): number {
        throw new Error('no');
      },
      maxDepth: 99,
    };
    expect(issuesOf({ limits }).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'unreadable-option limits.maxReplans',
      'invalid-option limits.maxDepth',
    ]);
  });

  it('reads each option once, so that it cannot change after the check', () => {
    let reads = 0;
    const limits = {
      get maxReplans(): number {
        reads += 1;
        return reads === 1 ? 2 : Infinity;
      },
    };
    expect(definePolicy({ limits }).limits.maxReplans).toBe(2);
    expect(reads).toBe(1);
  });

  it('refuses proxies that throw, at every position', () => {
    const hostile = (): object =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('get');
          },
          ownKeys: () => {
            throw new Error('ownKeys');
          },
          getPrototypeOf: () => {
            throw new Error('getPrototypeOf');
          },
        },
      );
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    for (const value of [hostile(), proxy]) {
      expect(issuesOf(value)).toMatchObject([{ path: '' }]);
      expect(issuesOf({ limits: value })).toMatchObject([{ path: 'limits' }]);
      expect(issuesOf({ limits: { maxReplans: value } })).toMatchObject([
        { path: 'limits.maxReplans' },
      ]);
      expect(issuesOf({ approval: { agents: [value] } })).toHaveLength(1);
    }
  });

  it('throws only PolicyErrors, whatever it gets', () => {
    const names = fc.constantFrom('limits', 'time', 'maxReplans', 'approval', 'agents', 'breaker');
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }),
        fc.dictionary(names, tie('node')),
      ),
    })).node;
    fc.assert(
      fc.property(tree, (overrides) => {
        for (const { path, message, code } of issuesOf(overrides)) {
          expect([typeof path, typeof message, typeof code]).toEqual([
            'string',
            'string',
            'string',
          ]);
        }
      }),
    );
  });
});

describe('the types of a policy', () => {
  it('know the names of the agents', () => {
    const policy = definePolicy<'coder'>({ approval: { agents: ['coder'] } });
    expectTypeOf(policy.approval.agents).toEqualTypeOf<readonly 'coder'[]>();
    // @ts-expect-error no agent is called 'nobody'
    definePolicy<'coder'>({ approval: { agents: ['nobody'] } });
    expectTypeOf(definePolicy()).toEqualTypeOf<Policy<never>>();
    expectTypeOf<Policy<'coder'>>().toExtend<Policy>();
    expectTypeOf<Policy<'coder'>>().toExtend<PolicyOverrides<'coder'>>();
  });

  it('refuse writing, unknown options and wrong values', () => {
    const write = (policy: Policy): void => {
      // @ts-expect-error a policy is readonly
      policy.limits.maxReplans = 9;
    };
    expect(() => {
      write(definePolicy());
    }).toThrow(TypeError);
    // @ts-expect-error there is no such option
    expect(() => definePolicy({ limits: { maxReplan: 1 } })).toThrow(PolicyError);
    // @ts-expect-error only a number
    expect(() => definePolicy({ limits: { maxReplans: null } })).toThrow(PolicyError);
  });
});
