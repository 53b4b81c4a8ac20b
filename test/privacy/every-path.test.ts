import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { z } from 'zod';

import { defineAgent } from '../../src/agents/agent.js';
import type { AgentReport } from '../../src/agents/report.js';
import { askHuman, handOff, needsContext, requestReplan } from '../../src/agents/report.js';
import { secret } from '../../src/agents/secret.js';
import type { ChartRunner } from '../../src/kernel/chart-runner.js';
import { plainRunner } from '../../src/kernel/chart-runner.js';
import type { OrchestratorOptions } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Agent } from '../../src/agents/agent.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';

/* Every path from a callback into a journal: secrets are removed first, and texts are cut afterwards. */

expectNothingUnhandled();

const SECRET = 'tell-nobody-0123456789';

const policy = definePolicy({
  limits: { maxAttempts: 1, maxDepth: 0, maxReplans: 1 },
  retry: { attempts: 1 },
});

/** Every byte that a run of one step leaves: journal, facts, record and report. */
const writtenBy = async (options: Partial<OrchestratorOptions<readonly Agent[]>>) => {
  const store = memoryStore();
  const orchestrator = composeOrchestrator({ agents: [], policy, ...options, store }, undefined);
  const plan = { steps: [{ id: 'a', agent: 'worker', task: 'Do it' }] };
  const run = orchestrator.start({
    goal: 'G',
    runId: 'run',
    ...(options.planner === undefined ? { plan } : {}),
  });
  const told: unknown[] = [];
  run.subscribe((fact) => {
    told.push(fact);
    if (fact.type === 'approval.requested') void run.approve(fact.requestId, 'Yes');
  });
  const report = await run.done;
  return JSON.stringify([await store.read('run'), told, run.record(), report]);
};

const worker = (
  run: () => unknown,
  rest: Partial<Parameters<typeof defineAgent>[0]> = {},
): Agent => {
  let calls = 0;
  return defineAgent({
    name: 'worker',
    description: 'Works',
    ...rest,
    run: () => ((calls += 1) === 1 ? (run() as AgentReport) : { user: 'ada', token: 'x' }),
  });
};

/** A text in which a cut at 2,000 characters, or at 80, splits the secret. */
const acrossTheCut = (characters: number): string =>
  `${'x'.repeat(characters - SECRET.length / 2)}${SECRET} and the rest`;

/** Half of the secret counts as a leak. */
const halves = [SECRET.slice(0, 10), SECRET.slice(-10)];

describe('a secret that a cut would split', () => {
  const redact = (text: string): string => text.replaceAll(SECRET, '***');
  const longError = new Error(acrossTheCut(2_000 - 'Error: '.length));

  /** Made anew for every run: an agent counts its calls. */
  type Team = () => Partial<OrchestratorOptions<readonly Agent[]>>;

  const planning = (step: { readonly id?: string; readonly agent?: string }): Team => {
    const steps = [{ id: 'a', agent: 'worker' as never, task: 'Do it', ...(step as object) }];
    return () => ({ agents: [worker(() => 'x')], planner: () => ({ steps }) });
  };
  const working =
    (run: () => unknown, output?: z.ZodType): Team =>
    () => ({ agents: [worker(run, output === undefined ? {} : { output })] });

  it.each<[string, Team]>([
    ['in an error of an agent', working(() => Promise.reject(longError))],
    [
      'in a thrown object that is no error',
      working(() => {
        const thrown: unknown = { text: acrossTheCut(2_000 - 60) };
        throw thrown;
      }),
    ],
    [
      'in an error of a getter',
      working(() => ({
        get a(): never {
          throw new Error(acrossTheCut(2_000 - '$.a threw while it was read: '.length));
        },
      })),
    ],
    [
      'in what a schema says',
      working(
        () => 'x',
        z.string().refine(() => false, { error: acrossTheCut(2_000 - 7) }),
      ),
    ],
    [
      'in an error of a planner',
      () => ({ agents: [worker(() => 'x')], planner: () => Promise.reject(longError) }),
    ],
    ['in the id of a step that is refused', planning({ id: acrossTheCut(80) })],
    ['in the name of an agent that does not exist', planning({ agent: acrossTheCut(80) })],
    [
      'in a hand-off to an agent that does not exist',
      working(() => handOff({ agent: acrossTheCut(64), task: 'Do it' })),
    ],
  ])('is not written, not even half of it: %s', async (_, team) => {
    const written = await writtenBy({ ...team(), redact });
    expect(halves.filter((half) => written.includes(half))).toEqual([]);
    // This test would find it: without `redact` half of it is there.
    expect((await writtenBy(team())).includes(SECRET.slice(0, 10))).toBe(true);
  });

  it('is not in the report of a run whose store failed', async () => {
    const store: RunStore = {
      ...memoryStore(),
      append: () => {
        throw new Error(acrossTheCut(2_000));
      },
    };
    const agents = [worker(() => 'x')];
    const plan = { steps: [{ id: 'a', agent: 'worker', task: 'Do it' }] };
    const reasonWith = async (given: object): Promise<string> => {
      const orchestrator = composeOrchestrator({ agents, policy, store, ...given }, undefined);
      return (await orchestrator.start({ goal: 'G', plan }).done).reason;
    };
    const reason = await reasonWith({ redact });
    expect(halves.filter((half) => reason.includes(half))).toEqual([]);
    expect(await reasonWith({})).toContain(SECRET.slice(0, 10));
  });

  it('is not written as the reason of a planned step or as a success criterion', async () => {
    const planner = () => ({
      successCriteria: SECRET,
      steps: [{ id: 'a', agent: 'worker', task: 'Do it', reason: SECRET }],
    });
    const agents = [worker(() => 'x')];
    expect((await writtenBy({ agents, planner, redact })).includes(SECRET)).toBe(false);
    expect((await writtenBy({ agents, planner })).includes(SECRET)).toBe(true);
  });
});

describe('a secret inside a transform', () => {
  const token = secret(z.string());
  const login = z.object({ user: z.string(), token });

  it.each<[string, z.ZodType]>([
    ['that renames it', login.transform(({ token: session }) => ({ session }))],
    ['that puts it into a text', login.transform((given) => `${given.user}:${given.token}`)],
    [
      'whose result is checked once more',
      login
        .transform(({ token: session }) => ({ session }))
        .pipe(z.object({ session: z.string() })),
    ],
    [
      'in a field of another name',
      z
        .object({ user: z.string(), token: z.string() })
        .transform(({ token: raw, user }) => ({ user, inner: { token: raw } }))
        .pipe(z.object({ user: z.string(), inner: secret(z.object({ token: z.string() })) })),
    ],
    [
      'of a codec',
      z.codec(login, z.object({ session: z.string() }), {
        decode: (given) => ({ session: given.token }),
        encode: ({ session }) => ({ user: '', token: session }),
      }),
    ],
    ['that overwrites', login.overwrite((given) => ({ ...given, user: given.token }))],
    ['in a list', z.array(login.transform((given) => given.token))],
  ])('%s is not written', async (_, output) => {
    const value = { user: 'ada', token: SECRET };
    const isList = output instanceof z.ZodArray;
    const written = await writtenBy({
      agents: [worker(() => (isList ? [value] : value), { output })],
    });
    expect(written).toContain('step.completed');
    expect(written).not.toContain(SECRET);
    expect(written).toContain('[redacted]');
  });

  it.each<[string, z.ZodType, unknown]>([
    ['a template literal', z.templateLiteral(['key-', token]), `key-${SECRET}`],
    ['the names of a record', z.record(token, z.string()), { [SECRET]: 'x' }],
  ])('%s is not written', async (_, output, value) => {
    const written = await writtenBy({ agents: [worker(() => value, { output })] });
    expect(written).toContain('step.completed');
    expect(written).not.toContain(SECRET);
  });
});

describe('an output that was not validated', () => {
  const output = z.object({
    user: z.string(),
    token: secret(z.string()),
    codes: z.array(secret(z.string())).optional(),
  });
  const held = { user: 'ada', token: SECRET, deep: [{ codes: [SECRET], note: 'shown' }] };

  it.each<[string, () => unknown]>([
    ['the payload of a question', () => askHuman({ question: 'Q', payload: { draft: held } })],
    ['a payload without names', () => askHuman({ question: 'Q', payload: SECRET })],
    ['partial work that needs context', () => needsContext('More', { draft: held })],
    ['partial work without names', () => needsContext('More', `so far: ${SECRET}`)],
    ['partial work in a list', () => needsContext('More', [SECRET])],
    ['partial work before a replan', () => requestReplan({ reason: 'R' }, { draft: held })],
    ['partial work before a hand-off', () => handOff({ agent: 'o', task: 'T' }, { draft: held })],
  ])('has no field with the name of a secret one: %s', async (_, report) => {
    const agents = [worker(report, { output })];
    const planner = () => ({ steps: [{ id: 'a', agent: 'worker', task: 'Do it' }] });
    const written = await writtenBy({ agents, planner });
    expect(written).toContain('[redacted]');
    expect(written).not.toContain(SECRET);
  });

  it('is shown to a person without its secret fields', async () => {
    const agents = [
      worker(() => askHuman({ question: 'Q', payload: { draft: held } }), { output }),
    ];
    const written = await writtenBy({ agents });
    expect(written).toContain('"draft":{"user":"ada","token":"[redacted]"');
    expect(written).toContain('"note":"shown"');
  });

  it.each<[string, z.ZodType]>([
    ['a list of secrets', z.array(secret(z.string()))],
    ['a secret as a whole', secret(z.object({ token: z.string() }))],
  ])('is not written at all where the secret field has no name: %s', async (_, schema) => {
    const report = () => askHuman({ question: 'Q', payload: { anything: SECRET } });
    const written = await writtenBy({ agents: [worker(report, { output: schema })] });
    expect(written).not.toContain(SECRET);
  });

  it("goes through the agent's own redact", async () => {
    const redact = (): string => 'a draft';
    const report = () => askHuman({ question: 'Q', payload: { token: SECRET } });
    const written = await writtenBy({ agents: [worker(report, { redact })] });
    expect(written).toContain('a draft');
    expect(written).not.toContain(SECRET);
  });
});

describe('a message about a refused output', () => {
  const quoting = z.object({
    user: z.string(),
    token: secret(z.string()).refine(() => false, { error: ({ input }) => `not ${String(input)}` }),
  });
  const throwing = z.object({
    token: secret(z.string()).transform((token) => {
      throw new TypeError(`not ${token}`);
    }),
  });

  it.each<[string, z.ZodType, string]>([
    ['that quotes a secret', quoting, 'token: custom'],
    ['of a schema that throws', throwing, 'The schema threw TypeError'],
  ])('has the path and the rule, and does not quote the value: %s', async (_, output, said) => {
    const agents = [worker(() => ({ user: 'ada', token: SECRET }), { output })];
    const written = await writtenBy({ agents });
    expect(written).toContain(said);
    expect(written).not.toContain(SECRET);
  });

  it('does not quote values of an agent with its own redact', async () => {
    const output = z.string().refine(() => false, { error: ({ input }) => `not ${String(input)}` });
    const redact = (): string => 'x';
    const team = (given: object) => ({ agents: [worker(() => SECRET, { output, ...given })] });
    expect((await writtenBy(team({ redact }))).includes(SECRET)).toBe(false);
    expect((await writtenBy(team({}))).includes(SECRET)).toBe(true);
  });
});

describe('an error inside a chart', () => {
  it('is passed to onError, and only its name is written', async () => {
    const store = memoryStore();
    const thrown = new RangeError(`The chart met ${SECRET}`);
    const errors: unknown[] = [];
    const faulty = (chart: AnyStateMachine): ChartRunner => ({
      ...plainRunner(chart),
      advance: () => {
        throw thrown;
      },
    });
    const orchestrator = composeOrchestrator(
      { agents: [worker(() => 'x')], store, onError: (error) => errors.push(error) },
      undefined,
      faulty,
    );
    const plan = { steps: [{ id: 'a', agent: 'worker', task: 'Do it' }] };
    const report = await orchestrator.start({ goal: 'G', runId: 'run', plan }).done;
    expect(report).toMatchObject({ status: 'failed', reason: 'internal-error: RangeError' });
    expect(JSON.stringify([await store.read('run'), report])).not.toContain(SECRET);
    expect(errors).toEqual([thrown]);
  });
});
