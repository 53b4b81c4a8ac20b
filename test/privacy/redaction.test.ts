import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { z } from 'zod';

import { defineAgent } from '../../src/agents/agent.js';
import { secret } from '../../src/agents/secret.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { storeWith } from '../run/runs.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';

expectNothingUnhandled();

const PLAN = {
  steps: [
    { id: 'login', agent: 'login', task: 'Get a session' },
    { id: 'use', agent: 'user', task: 'Use it', dependsOn: ['login'] },
  ],
};

/** A login whose output has a secret, and a step that needs it. */
const teamOf = (
  login: Partial<Parameters<typeof defineAgent>[0]>,
  seen: unknown[],
  store: RunStore = memoryStore(),
) => ({
  store,
  agents: [
    defineAgent({
      name: 'login',
      description: 'Gets a session',
      run: () => ({ user: 'ada', token: 'tell-nobody' }),
      ...login,
    }),
    defineAgent({
      name: 'user',
      description: 'Uses the session',
      run: ({ dependencies }) => {
        seen.push(dependencies[0]?.output);
        return 'used';
      },
    }),
  ],
});

const allOf = async (store: RunStore): Promise<string> => {
  const runs: unknown[] = [];
  for (const { header } of await store.list()) runs.push(await store.read(header.runId));
  return JSON.stringify(runs);
};

describe('a field that the schema marks as secret', () => {
  const output = z.object({ user: z.string(), token: secret(z.string()) });

  it('reaches dependent steps, and neither journal, facts, record nor report', async () => {
    const seen: unknown[] = [];
    const team = teamOf({ output }, seen);
    const run = composeOrchestrator(team, undefined).start({ goal: 'G', plan: PLAN });
    const facts: unknown[] = [];
    run.subscribe((fact) => facts.push(fact));
    const report = await run.done;
    expect(seen).toEqual([{ user: 'ada', token: 'tell-nobody' }]);
    expect(report.steps[0]?.output).toEqual({ user: 'ada', token: '[redacted]' });
    const written = [await allOf(team.store), facts, report, run.record(), run.journal()];
    expect(JSON.stringify(written)).not.toContain('tell-nobody');
    expect(JSON.stringify(written)).toContain('ada');
  });

  it('is redacted for a process that resumes the run later', async () => {
    const team = teamOf({ output }, []);
    const first = composeOrchestrator(team, undefined).start({
      goal: 'G',
      runId: 'run',
      plan: PLAN,
    });
    await first.done;
    const answered = first
      .journal()
      .findIndex(({ facts }) =>
        facts.some((fact) => fact.type === 'step.completed' && fact.stepId === 'login'),
      );
    const seen: unknown[] = [];
    const survived = await storeWith(team.store, 'run', answered + 1);
    const run = await composeOrchestrator(teamOf({ output }, seen, survived), undefined).resume(
      'run',
    );
    expect((await run.done).status).toBe('completed');
    expect(seen).toEqual([{ user: 'ada', token: '[redacted]' }]);
  });

  it('is redacted in a plain actor too', async () => {
    const seen: unknown[] = [];
    const { machine } = composeOrchestrator(teamOf({ output }, seen), undefined);
    const actor = createActor(machine, { input: { goal: 'G', plan: PLAN } });
    const emitted: unknown[] = [];
    actor.on('*', (fact) => emitted.push(fact));
    const ended = new Promise<void>((resolve) => {
      actor.subscribe({ complete: resolve });
    });
    actor.start();
    await ended;
    expect(seen).toEqual([{ user: 'ada', token: 'tell-nobody' }]);
    expect(JSON.stringify(emitted)).not.toContain('tell-nobody');
  });

  const token = secret(z.string());
  it.each<[string, z.ZodType, unknown]>([
    ['a longer schema', z.object({ a: token.min(1).describe('A token') }), { a: 'S' }],
    ['a refined one', z.object({ a: token.refine(() => true) }), { a: 'S' }],
    ['an optional one', z.object({ a: token.optional() }), { a: 'S' }],
    ['a nullable one with a default', z.object({ a: token.nullable().default('x') }), { a: 'S' }],
    ['a list', z.array(token), ['S', 'S']],
    ['a tuple', z.tuple([z.string(), token], z.string()), ['x', 'S', 'x']],
    ['a record', z.record(z.string(), token), { any: 'S' }],
    ['a union', z.union([z.object({ a: z.string() }), z.object({ a: token })]), { a: 'S' }],
    [
      'an intersection',
      z.intersection(z.object({ a: token }), z.object({ b: z.string() })),
      { a: 'S', b: 'x' },
    ],
    ['a transformed one', token.transform((text) => `${text}!`), 'S'],
    ['a lazy one', z.lazy(() => z.object({ a: token })), { a: 'S' }],
    ['a whole object', secret(z.object({ a: z.string() })), { a: 'S' }],
    [
      'a deep one',
      z.object({ list: z.array(z.object({ a: token.readonly() })) }),
      { list: [{ a: 'S' }] },
    ],
  ])('is found in %s', async (_, schema, value) => {
    const team = teamOf({ output: schema, run: () => value }, []);
    const report = await composeOrchestrator(team, undefined).start({ goal: 'G', plan: PLAN }).done;
    expect(report.steps[0]?.status).toBe('completed');
    const written = JSON.stringify([report.steps[0]?.output]);
    expect(written).not.toContain('S');
    expect(written).toContain('[redacted]');
  });

  it('is a secret only where it is marked', async () => {
    const plain = z.string();
    const schema = z.object({ a: plain, b: secret(plain) });
    const team = teamOf({ output: schema, run: () => ({ a: 'x', b: 'y' }) }, []);
    const report = await composeOrchestrator(team, undefined).start({ goal: 'G', plan: PLAN }).done;
    expect(report.steps[0]?.output).toEqual({ a: 'x', b: '[redacted]' });
  });
});

describe("an agent's own redact", () => {
  it('decides what is written instead of its outputs', async () => {
    const seen: unknown[] = [];
    const team = teamOf({ redact: () => 'a session' }, seen);
    const report = await composeOrchestrator(team, undefined).start({ goal: 'G', plan: PLAN }).done;
    expect(report.steps[0]?.output).toBe('a session');
    expect(seen).toEqual([{ user: 'ada', token: 'tell-nobody' }]);
    expect(await allOf(team.store)).not.toContain('tell-nobody');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('tell-nobody');
      },
    ],
    ['gives something that is no JSON', () => 1n],
  ])('writes nothing when it %s', async (_, redact) => {
    const team = teamOf({ redact }, []);
    const report = await composeOrchestrator(team, undefined).start({ goal: 'G', plan: PLAN }).done;
    expect(report.steps[0]?.output).toBe('[redacted]');
    expect(await allOf(team.store)).not.toContain('tell-nobody');
  });

  it('must be a function, like that of the orchestrator', () => {
    expect(() => teamOf({ redact: 'x' as never }, [])).toThrow(/redact: Expected a function/);
    const team = teamOf({}, []);
    expect(() => composeOrchestrator({ ...team, redact: 1 as never }, undefined)).toThrow(
      /redact: Expected a function/,
    );
  });
});

describe('a redact that throws', () => {
  it('removes everything, and the run continues', async () => {
    const seen: unknown[] = [];
    const team = teamOf({}, seen);
    const redact = (): string => {
      throw new Error('tell-nobody');
    };
    const report = await composeOrchestrator({ ...team, redact }, undefined).start({
      goal: 'G',
      plan: PLAN,
    }).done;
    expect(report.status).toBe('completed');
    expect(report.steps[0]?.output).toEqual({ user: '[redacted]', token: '[redacted]' });
    expect(seen).toEqual([{ user: 'ada', token: 'tell-nobody' }]);
  });
});
