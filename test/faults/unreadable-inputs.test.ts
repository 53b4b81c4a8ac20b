import { describe, expect, it } from 'vitest';

import type { Issue } from '../../src/errors.js';
import { ConfigurationError, PlanError, PolicyError, TimeTravelError } from '../../src/errors.js';
import {
  composeOrchestrator,
  createOrchestrator,
} from '../../src/orchestrator/create-orchestrator.js';
import { validatePlan } from '../../src/plan/validate.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import { parseCommand } from '../../src/model/commands.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/* Values that cannot be read are refused like other mistakes: by a typed error with a code and a path. */

const trap = (): never => {
  throw new Error('trap');
};

/** The value with a getter that throws in one place. */
const trapped = (value: object, name: PropertyKey): object =>
  Object.defineProperty(Array.isArray(value) ? [...(value as unknown[])] : { ...value }, name, {
    get: trap,
    enumerable: true,
    configurable: true,
  });

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Values that throw at every access. */
const UNREADABLE: readonly (() => object)[] = [
  revoked,
  () => new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap }),
  () => new Proxy([], { get: trap, has: trap, ownKeys: trap }),
];

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

const issuesOf = (error: unknown): readonly Issue[] =>
  (error as { readonly issues?: readonly Issue[] }).issues ?? [];

const team = (change: object = {}) =>
  composeOrchestrator(
    { agents: [agentNamed('worker', () => 'done')], store: memoryStore(), ...change },
    undefined,
  );

const step = { id: 'a', agent: 'worker', task: 'Do the work of step a', dependsOn: [] as string[] };

describe('a plan that cannot be read', () => {
  const places: readonly (readonly [path: string, plan: object])[] = [
    ['steps', trapped({}, 'steps')],
    ['analysis', trapped({ steps: [step] }, 'analysis')],
    ['scope', trapped({ steps: [step] }, 'scope')],
    ['steps[1]', { steps: trapped([step, step], 1) }],
    ['steps[0].id', { steps: [trapped(step, 'id')] }],
    ['steps[0].dependsOn', { steps: [trapped(step, 'dependsOn')] }],
    ['steps[0].dependsOn[0]', { steps: [{ ...step, dependsOn: trapped(['b'], 0) }] }],
    ['steps[0].votes.count', { steps: [{ ...step, votes: trapped({}, 'count') }] }],
    ...UNREADABLE.map((make) => ['', make()] as const),
    ...UNREADABLE.slice(0, 2).map((make) => ['steps[0]', { steps: [make()] }] as const),
  ];

  it.each(places)('is a PlanError at %j when it is given with a goal', (path, plan) => {
    const error = thrownBy(() => team().start({ goal: 'The goal', plan: plan as never }));
    expect(PlanError.isInstance(error), String(error)).toBe(true);
    expect(issuesOf(error)).toMatchObject([{ code: 'unreadable-plan', path }]);
  });

  it.each(places)('is an issue at %j of validatePlan', (path, plan) => {
    expect(validatePlan(plan, { agents: ['worker'], maxSteps: 9 })).toMatchObject({
      ok: false,
      issues: [{ code: 'unreadable-plan', path }],
    });
  });

  it.each(places)('is an issue of its fork: %j', async (path, plan) => {
    const orchestrator = team({ clock: virtualClock() });
    const run = orchestrator.start({
      goal: 'Go',
      runId: 'run',
      plan: { steps: steps('a') },
    });
    await run.done;
    const error: unknown = await orchestrator
      .fork('run', { atSequence: 0, changes: { plan: plan as never } })
      .catch((thrown: unknown) => thrown);
    expect(TimeTravelError.isInstance(error), String(error)).toBe(true);
    const at = path === '' ? 'changes.plan' : `changes.plan.${path}`;
    expect(issuesOf(error)).toMatchObject([{ code: 'unreadable-plan', path: at }]);
  });

  it.each(places)('is a failed call when a planner proposes it: %j', async (_, plan) => {
    const clock = virtualClock();
    const run = team({
      clock,
      planner: () => plan as never,
      policy: definePolicy({ retry: { attempts: 1 } }),
    }).start({ goal: 'The goal' });
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'failed', reason: 'planning-failed' });
  });
});

describe('a policy that cannot be read', () => {
  const doors: Readonly<Record<string, (policy: never) => unknown>> = {
    definePolicy,
    ...presets,
    createOrchestrator: (policy) => team({ policy }),
  };

  it.each(Object.entries(doors))('is a PolicyError with the path: %s', (_, door) => {
    const places: readonly (readonly [path: string, policy: object])[] = [
      ['limits', trapped({}, 'limits')],
      ['limits.maxSteps', { limits: trapped({}, 'maxSteps') }],
      ['approval.agents', { approval: { agents: trapped(['a'], 0) } }],
      ['', revoked()],
      ['limits', { limits: revoked() }],
    ];
    for (const [path, policy] of places) {
      const error = thrownBy(() => door(policy as never));
      expect(PolicyError.isInstance(error), String(error)).toBe(true);
      expect(issuesOf(error)).toMatchObject([{ code: 'unreadable-option', path }]);
    }
  });
});

describe('options that cannot be read', () => {
  it('are a ConfigurationError with the path', () => {
    const agents = [agentNamed('worker', () => 'done')];
    const names = ['agents', 'planner', 'supervisor', 'policy', 'store', 'durability', 'clock'];
    const places: readonly (readonly [path: string, options: object])[] = [
      ...names.map((name) => [name, trapped({ agents }, name)] as const),
      ['agents[0]', { agents: trapped(agents, 0) }],
      ['agents[0]', { agents: [trapped({ name: 'worker' }, 'run')] }],
      ['agents[0]', { agents: [revoked()] }],
      ['durability', { agents, durability: trapped({}, 'leaseMs') }],
      ...UNREADABLE.map((make) => ['agents', make()] as const).slice(0, 2),
    ];
    for (const [path, options] of places) {
      const error = thrownBy(() => createOrchestrator(options as never));
      expect(ConfigurationError.isInstance(error), `${path}: ${String(error)}`).toBe(true);
      expect(issuesOf(error)[0]).toMatchObject({ code: 'unreadable-option', path });
    }
  });

  it('are a ConfigurationError with the path when a run is started', () => {
    for (const name of ['goal', 'runId', 'plan']) {
      const error = thrownBy(() => team().start(trapped({ goal: 'Go' }, name) as never));
      expect(ConfigurationError.isInstance(error), String(error)).toBe(true);
      expect(issuesOf(error)[0]).toMatchObject({ code: 'unreadable-option', path: name });
    }
  });

  it.each(['carryOver', 'graceMs', 'olderThanMs'])(
    'are a ConfigurationError with the path of %s when runs are resumed, closed or deleted',
    async (name) => {
      const doors: Readonly<Record<string, (options: never) => Promise<unknown>>> = {
        carryOver: (options) => team().resume('run', options),
        graceMs: (options) => team().close(options),
        olderThanMs: (options) => team().deleteEnded(options),
      };
      for (const options of [trapped({}, name), ...UNREADABLE.map((make) => make())]) {
        const refused: unknown = await doors[name]?.(options as never).catch(
          (thrown: unknown) => thrown,
        );
        expect(ConfigurationError.isInstance(refused), String(refused)).toBe(true);
        expect(issuesOf(refused)[0]).toMatchObject({ code: 'unreadable-option', path: name });
      }
    },
  );

  it('are a TimeTravelError when a run is forked', async () => {
    for (const options of [
      trapped({}, 'atSequence'),
      { atSequence: 0, changes: trapped({}, 'answers') },
      ...UNREADABLE.map((make) => make()),
    ]) {
      const error: unknown = await team()
        .fork('run', options as never)
        .catch((thrown: unknown) => thrown);
      expect(TimeTravelError.isInstance(error), String(error)).toBe(true);
      expect(issuesOf(error)).toMatchObject([{ code: 'invalid-fork' }]);
    }
  });
});

describe('a command or an answer that cannot be read', () => {
  it('is refused, or is a failed call', async () => {
    for (const make of UNREADABLE) {
      expect(parseCommand(make())).toMatchObject({ ok: false });
      const clock = virtualClock();
      const run = team({
        clock,
        agents: [agentNamed('worker', () => make())],
        policy: definePolicy({ retry: { attempts: 1 }, failure: { onStepFailure: 'continue' } }),
      }).start({ goal: 'Go', plan: { steps: steps('a') } });
      expect(await run.skip(make() as never)).toMatchObject({ accepted: false });
      await clock.runUntil(run.done);
      expect(await run.done).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    }
  });
});
