import { createActor, waitFor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { defineAgent } from '../../src/agents/agent.js';
import { blocked } from '../../src/agents/report.js';
import { ConfigurationError } from '../../src/errors.js';
import {
  composeOrchestrator,
  createOrchestrator,
} from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { describeEveryStore } from './every-store.js';

const goal = 'The goal of the run';
const plan = { steps: [{ id: 'a', agent: 'worker', task: 'Do it' }] } as const;
const input = { ticket: 'T-7', urgent: true };
const labels = { tenant: 'acme', user: 'ada' };
const expected = { runId: 'run', input, labels };

/** A team that keeps the run, input and labels of every call, by role. */
const observedTeam = () => {
  const seen: Record<string, unknown> = {};
  const see = (
    role: string,
    call: { readonly runId: string; readonly input: unknown; readonly labels: unknown },
  ): void => {
    seen[role] = { runId: call.runId, input: call.input, labels: call.labels };
  };
  const worker = agentNamed('worker', (call) => {
    see(call.step.depth === 0 ? 'worker' : 'worker of a sub-plan', call);
    return call.step.depth === 0 ? blocked('Needs two parts') : 'done';
  });
  const options = {
    agents: [worker],
    planner: (request: Parameters<typeof see>[1] & { readonly depth: number }) => {
      see('planner', request);
      return { steps: steps(...(request.depth === 0 ? ['a', 'b'] : ['part'])) };
    },
    supervisor: (request: Parameters<typeof see>[1]) => {
      see('supervisor', request);
      return { score: 90, issues: [], feedback: '' };
    },
    tester: (request: Parameters<typeof see>[1]) => {
      see('tester', request);
      return { passed: true, failures: [] };
    },
    summarizer: (request: Parameters<typeof see>[1]) => {
      see('summarizer', request);
      return 'Done';
    },
    policy: definePolicy({ gates: { step: 50 }, limits: { maxDepth: 1 } }),
  };
  return { seen, options };
};

const everyRole = {
  worker: expected,
  'worker of a sub-plan': expected,
  planner: expected,
  supervisor: expected,
  tester: expected,
  summarizer: expected,
};

describe('the input and the labels of a run', () => {
  it('are handed to every agent and role, in sub-plans too', async () => {
    const { seen, options } = observedTeam();
    const run = composeOrchestrator(options, undefined).start({
      goal,
      runId: 'run',
      input,
      labels,
    });
    expect((await run.done).status).toBe('completed');
    expect(seen).toEqual(everyRole);
  });

  it('are handed to every agent and role of a plain actor', async () => {
    const { seen, options } = observedTeam();
    const { machine } = composeOrchestrator(options, undefined);
    const actor = createActor(machine, { input: { goal, runId: 'run', input, labels } }).start();
    await waitFor(actor, ({ status }) => status === 'done');
    expect(seen).toEqual(everyRole);
  });

  it('are null and empty when the run has none, and no fact has them', async () => {
    const worker = agentNamed('worker', () => 'done');
    const run = composeOrchestrator({ agents: [worker] }, undefined).start({ goal, plan });
    await run.done;
    expect(worker.calls[0]).toMatchObject({ input: null, labels: {}, runId: run.runId });
    expect(run.journal()[0]?.facts[0]).not.toHaveProperty('input');
    expect(run.record().labels).toEqual({});
  });

  it('cannot be changed by an agent', async () => {
    const worker = agentNamed('worker', ({ input: given, labels: names }) => {
      expect(Object.isFrozen(given)).toBe(true);
      expect(Object.isFrozen(names)).toBe(true);
      return 'done';
    });
    const run = composeOrchestrator({ agents: [worker] }, undefined).start({
      goal,
      plan,
      input: { list: [1] },
      labels,
    });
    expect((await run.done).status).toBe('completed');
  });
});

describe('the schema of the input', () => {
  const schema = z.object({ ticket: z.string(), tries: z.number().default(3) });
  const worker = defineAgent({
    name: 'worker',
    description: 'Works',
    run: ({ input: given }) => given,
  });
  const orchestrator = createOrchestrator({ agents: [worker], input: schema });

  it('parses the input before the run starts: calls and the journal have the result', async () => {
    const run = orchestrator.start({ goal, plan, input: { ticket: 'T-7' } });
    const report = await run.done;
    expect(report.steps[0]?.output).toEqual({ ticket: 'T-7', tries: 3 });
    expect(run.journal()[0]?.facts[0]).toMatchObject({ input: { ticket: 'T-7', tries: 3 } });
  });

  it('refuses an input with all issues and their paths', () => {
    let refusal: unknown;
    try {
      orchestrator.start({ goal: '', plan, input: { ticket: 7, tries: 'many' } as never });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ConfigurationError);
    expect((refusal as ConfigurationError).issues.map(({ path }) => path)).toEqual([
      'goal',
      'input.ticket',
      'input.tries',
    ]);
  });

  it('refuses a missing input, an asynchronous schema and an output that is not JSON', () => {
    expect(() => orchestrator.start({ goal, plan } as never)).toThrow(/input/);
    const slow = z.string().refine(async () => true);
    expect(() =>
      createOrchestrator({ agents: [worker], input: slow }).start({ goal, plan, input: 'x' }),
    ).toThrow(/input: Checking it threw/);
    const big = z.string().transform(() => 10n);
    expect(() =>
      createOrchestrator({ agents: [worker], input: big }).start({ goal, plan, input: 'x' }),
    ).toThrow(ConfigurationError);
  });

  it('must be a schema of zod', () => {
    const notASchema = { agents: [worker], input: { ticket: 'string' } as never };
    expect(() => createOrchestrator(notASchema)).toThrow(/input: Expected a schema of zod/);
  });

  it('is not needed: any JSON within limits.maxOutputBytes is accepted', () => {
    const policy = definePolicy({ limits: { maxOutputBytes: 1_024 } });
    const any = createOrchestrator({ agents: [worker], policy });
    expect(() => any.start({ goal, plan, input: 'x'.repeat(2_000) })).toThrow(/input: /);
    expect(() => any.start({ goal, plan, input: new Map() as never })).toThrow(/input: /);
  });
});

describe('labels', () => {
  const orchestrator = composeOrchestrator({ agents: [agentNamed('worker', () => 1)] }, undefined);

  it.each([
    ['more than 32', Object.fromEntries(Array.from({ length: 33 }, (_, index) => [index, 'x']))],
    ['a name longer than 256 characters', { ['x'.repeat(257)]: 'x' }],
    ['an empty name', { '': 'x' }],
    ['a value longer than 256 characters', { name: 'x'.repeat(257) }],
    ['a value that is not a text', { name: 7 }],
    ['a list', ['x']],
  ])('are refused: %s', (_, given) => {
    expect(() => orchestrator.start({ goal, plan, labels: given as never })).toThrow(/labels/);
  });

  it('are in the record, the report and the first fact', async () => {
    const run = orchestrator.start({ goal, plan, labels });
    expect((await run.done).labels).toEqual(labels);
    expect(run.record().labels).toEqual(labels);
    expect(run.journal()[0]?.facts[0]).toMatchObject({ labels });
  });
});

describeEveryStore('the input and the labels of a run', (open) => {
  it('are stored once, listed, and handed to the calls of the next owner', async () => {
    const [store, other] = await open();
    const hanging = agentNamed(
      'worker',
      ({ signal }) => new Promise((_, stop) => signal.addEventListener('abort', stop)),
    );
    const first = composeOrchestrator({ agents: [hanging], store }, undefined);
    const run = first.start({ goal, plan, runId: 'run', input, labels });
    await run.started;
    await first.close({ graceMs: 1 });
    const stored = await other.read('run');
    expect(stored?.header).toMatchObject({ input, labels });
    expect(JSON.stringify(stored?.entries)).not.toContain('T-7');
    expect((await other.list())[0]?.header.labels).toEqual(labels);

    const worker = agentNamed('worker', () => 'done');
    const second = composeOrchestrator({ agents: [worker], store: other }, undefined);
    const resumed = await second.resume('run');
    expect((await resumed.done).labels).toEqual(labels);
    expect(worker.calls[0]).toMatchObject(expected);
    expect(resumed.journal()[0]?.facts[0]).toMatchObject({ input, labels });

    const fork = await second.fork('run', { atSequence: 0, runId: 'fork' });
    await fork.done;
    expect(fork.record().labels).toEqual(labels);
    expect((await other.read('fork'))?.header).toMatchObject({ input, labels });
  });
});

describe('the input of a run that another build carries over', () => {
  it('belongs to its successor', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const silent = agentNamed('worker', () => new Promise(() => undefined));
    const durability = { leaseMs: 1_000 };
    composeOrchestrator({ agents: [silent], clock, store, durability }, undefined).start({
      goal,
      plan,
      runId: 'run',
      input,
      labels,
    });
    await clock.settle();
    clock.advance(2_000);
    const worker = agentNamed('worker', () => 'done');
    const policy = definePolicy({ approval: { agents: ['worker'] } });
    const next = composeOrchestrator({ agents: [worker], clock, store, policy }, undefined);
    const successor = await next.resume('run', { carryOver: true });
    expect(successor.runId).toBe('run-2');
    expect(successor.record().labels).toEqual(labels);
    expect(store.read('run-2')).toMatchObject({ header: { input, labels } });
  });
});
