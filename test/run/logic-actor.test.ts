import { describe, expect, it, vi } from 'vitest';
import type { ActorRefFrom, Snapshot } from 'xstate';
import { assign, createActor, sendTo, setup, toPromise } from 'xstate';

import type { RunStore } from '../../src/model/run-store.js';
import type { Orchestrator, RunReport } from '../../src/index.js';
import {
  createOrchestrator,
  defineAgent,
  definePolicy,
  StoreUnavailableError,
  systemClock,
} from '../../src/index.js';
import { memoryStore } from '../../src/services/stores/index.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';

/* `orchestrator.logic`, by itself and in a machine of a user. */

const calls: string[] = [];

const worker = defineAgent({
  name: 'worker',
  description: 'Works',
  run: ({ key, task }) => {
    calls.push(key);
    return `did ${task}`;
  },
});
const publisher = defineAgent({
  name: 'publisher',
  description: 'Publishes',
  run: () => 'published',
});

const LEASE_MS = 100;

const createTeam = (store?: RunStore, clock = systemClock()): Orchestrator =>
  createOrchestrator({
    agents: [worker, publisher],
    durability: { leaseMs: LEASE_MS },
    clock,
    planner: () => ({
      steps: [
        { id: 'write', agent: 'worker', task: 'Write' },
        { id: 'publish', agent: 'publisher', task: 'Publish', dependsOn: ['write'] },
      ],
    }),
    policy: definePolicy({ approval: { agents: ['publisher'] } }),
    ...(store === undefined ? {} : { store }),
  });

const input = { goal: 'An article' };

type RunActor = ActorRefFrom<Orchestrator['logic']>;

const untilAsked = (actor: RunActor): Promise<string> =>
  vi.waitFor(() => {
    const [open] = actor.getSnapshot().context.openApprovals;
    if (open === undefined) throw new Error('No question was asked');
    return open.requestId;
  });

/** As a program stores it. */
const throughJson = (snapshot: Snapshot<unknown>): Snapshot<unknown> =>
  JSON.parse(JSON.stringify(snapshot)) as Snapshot<unknown>;

describe('an actor of orchestrator.logic', () => {
  it('shows the record, takes commands as events, emits the facts, and ends with the report', async () => {
    const actor = createActor(createTeam().logic, { input: { ...input, runId: 'run' } });
    const facts: number[] = [];
    actor.on('*', ({ sequence }) => {
      facts.push(sequence);
    });
    expect(actor.getSnapshot().context).toMatchObject({ runId: 'run', goal: 'An article' });
    actor.start();
    const requestId = await untilAsked(actor);
    expect(actor.getSnapshot()).toMatchObject({
      status: 'active',
      context: { steps: [{ status: 'completed' }, { status: 'awaitingApproval' }] },
    });
    actor.send({ type: 'approval.grant', requestId, answer: 'Yes', by: 'Ada' });
    const report: RunReport = await toPromise(actor);
    expect(report).toMatchObject({ status: 'completed', steps: [{ output: 'did Write' }, {}] });
    expect(actor.getSnapshot().context).toMatchObject({
      status: 'completed',
      approvals: [{ answer: 'Yes', by: 'Ada' }],
    });
    expect(facts).toEqual(facts.map((_fact, index) => index + 1));
    expect(facts.length).toBeGreaterThan(10);
  });

  it('reports an id that is in use as its error', async () => {
    const store = memoryStore();
    const taken = { input: { ...input, runId: 'taken' } };
    const first = createActor(createTeam(store).logic, taken);
    first.start();
    await untilAsked(first);
    const second = createActor(createTeam(store).logic, taken);
    second.start();
    await expect(toPromise(second)).rejects.toMatchObject({ code: 'run-conflict' });
    first.send({ type: 'run.abort', reason: 'Enough' });
    await toPromise(first);
  });

  it('reports invalid input as its error', async () => {
    const actor = createActor(createTeam().logic, { input: { goal: '' } });
    actor.start();
    await expect(toPromise(actor)).rejects.toMatchObject({ code: 'invalid-configuration' });
  });

  it('emits a refusal for a command that is invalid or that the run refuses', async () => {
    const actor = createActor(createTeam().logic, { input });
    const refusals: string[] = [];
    actor.on('command.refused', ({ command, reason }) => {
      refusals.push(`${command}: ${reason}`);
    });
    actor.start();
    await untilAsked(actor);
    actor.send({ type: 'approval.grant', requestId: 'unknown', answer: 'Yes' });
    actor.send({ type: 'time.extend', extraMs: -1 });
    actor.send({ type: 'run.explode' } as never);
    await vi.waitFor(() => expect(refusals).toHaveLength(3));
    expect(refusals.sort()).toEqual([
      'approval.grant: unknown-request',
      'run.explode: invalid-command: unknown type',
      expect.stringMatching(/^time.extend: invalid-command: extraMs/),
    ]);
    actor.stop();
  });

  it.each([
    ['with a store', memoryStore()],
    ['without a store', undefined],
  ])('persists and restores its run %s, and repeats no fact and no call', async (_name, store) => {
    calls.length = 0;
    const orchestrator = createTeam(store);
    const first = createActor(orchestrator.logic, { input });
    const facts: string[] = [];
    first.on('*', ({ sequence, type }) => {
      facts.push(`${sequence} ${type}`);
    });
    first.start();
    const requestId = await untilAsked(first);
    const persisted = throughJson(first.getPersistedSnapshot());
    expect(JSON.stringify(persisted).includes('"journal"')).toBe(store === undefined);
    first.stop();
    if (store !== undefined) await orchestrator.close();

    const second = createActor(createTeam(store).logic, { snapshot: persisted, input });
    second.on('*', ({ sequence, type }) => {
      facts.push(`${sequence} ${type}`);
    });
    expect(second.getSnapshot().context.openApprovals).toHaveLength(1);
    second.start();
    second.send({ type: 'approval.grant', requestId, answer: 'Yes' });
    expect((await toPromise(second)).status).toBe('completed');
    expect(calls).toHaveLength(1);
    expect(facts.map((fact) => Number.parseInt(fact, 10))).toEqual(
      facts.map((_fact, index) => index + 1),
    );

    const ended = createActor(createTeam(store).logic, {
      snapshot: throughJson(second.getPersistedSnapshot()),
      input,
    });
    ended.start();
    expect(ended.getSnapshot()).toMatchObject({ status: 'done', output: { status: 'completed' } });
  });

  it('starts a run that was persisted before it was durable', async () => {
    const orchestrator = createTeam(memoryStore());
    const early = createActor(orchestrator.logic, { input: { ...input, runId: 'early' } });
    const persisted = throughJson(early.getPersistedSnapshot());
    const actor = createActor(orchestrator.logic, { snapshot: persisted, input });
    actor.start();
    await untilAsked(actor);
    expect((await orchestrator.resume('early')).record().goal).toBe('An article');
    actor.send({ type: 'run.abort', reason: 'Enough' });
    expect((await toPromise(actor)).status).toBe('aborted');
  });

  it('emits a refusal for a command that cannot be delivered', async () => {
    const store = memoryStore();
    const owner = createActor(createTeam(store).logic, { input: { ...input, runId: 'run' } });
    owner.start();
    await untilAsked(owner);
    const snapshot = throughJson(owner.getPersistedSnapshot());
    const other = createActor(createTeam(store).logic, { snapshot, input });
    const refusals: string[] = [];
    other.on('command.refused', ({ reason }) => {
      refusals.push(reason);
    });
    other.start();
    vi.spyOn(store, 'read').mockImplementation(() => {
      throw new StoreUnavailableError('The disk is gone');
    });
    other.send({ type: 'run.pause' });
    await vi.waitFor(() => expect(refusals).toEqual(['undelivered: The disk is gone']));
    vi.restoreAllMocks();
    other.stop();
    owner.send({ type: 'run.abort', reason: 'Enough' });
    await toPromise(owner);
  });

  it('aborts the calls of its run when it is stopped, and keeps the journal, without a store', async () => {
    const aborted: string[] = [];
    const patient = defineAgent({
      name: 'patient',
      description: 'Waits until it is aborted',
      run: ({ key, signal }) =>
        new Promise<string>((resolve) => {
          calls.push(key);
          signal.addEventListener('abort', () => {
            aborted.push(key);
            resolve('aborted');
          });
        }),
    });
    const { logic } = createOrchestrator({ agents: [patient] });
    const plan = { steps: [{ id: 'wait', agent: 'patient', task: 'Wait' }] } as const;
    const actor = createActor(logic, { input: { goal: 'Wait', runId: 'run', plan } });
    calls.length = 0;
    actor.start();
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    actor.stop();
    await vi.waitFor(() => expect(aborted).toEqual(calls));
    const persisted = JSON.stringify(actor.getPersistedSnapshot());
    expect(persisted).toContain('"journal"');
    expect(persisted).not.toContain('run.ended');
  });

  it('leaves a stored run alone when it is stopped', async () => {
    const orchestrator = createTeam(memoryStore());
    const actor = createActor(orchestrator.logic, { input: { ...input, runId: 'run' } });
    actor.start();
    const requestId = await untilAsked(actor);
    actor.stop();
    const run = await orchestrator.resume('run');
    await run.approve(requestId);
    expect((await run.done).status).toBe('completed');
  });

  it.each([
    ['with a store', memoryStore()],
    ['without a store', undefined],
  ])('stays active when its orchestrator is closed, and continues %s', async (_name, store) => {
    const orchestrator = createTeam(store);
    const actor = createActor(orchestrator.logic, { input });
    actor.start();
    const requestId = await untilAsked(actor);
    await orchestrator.close();
    const snapshot = throughJson(actor.getPersistedSnapshot());
    expect(snapshot.status).toBe('active');

    const restored = createActor(createTeam(store).logic, { snapshot, input });
    restored.start();
    restored.send({ type: 'approval.grant', requestId, answer: 'Yes' });
    expect((await toPromise(restored)).status).toBe('completed');
    expect(actor.getSnapshot().status).toBe('active');
    actor.stop();
  });

  it('commands a run that another process owns, and ends with its report', async () => {
    const store = memoryStore();
    const owner = createActor(createTeam(store).logic, { input: { ...input, runId: 'run' } });
    owner.start();
    const requestId = await untilAsked(owner);
    const snapshot = throughJson(owner.getPersistedSnapshot());
    const other = createActor(createTeam(store).logic, { snapshot, input });
    other.start();
    other.send({ type: 'approval.grant', requestId, answer: 'Yes' });
    expect((await toPromise(owner)).status).toBe('completed');
    expect((await toPromise(other)).status).toBe('completed');
  });

  it('resumes the run of a process that died, at the end of its lease', async () => {
    const store = memoryStore();
    // Its clock stands still, so its lease is not renewed.
    const dead = createActor(createTeam(store, virtualClock()).logic, { input });
    dead.start();
    const requestId = await untilAsked(dead);
    const snapshot = throughJson(dead.getPersistedSnapshot());

    const clock = virtualClock();
    const heir = createActor(createTeam(store, clock).logic, { snapshot, input });
    heir.start();
    heir.send({ type: 'approval.grant', requestId, answer: 'Yes' });
    const done = toPromise(heir);
    await clock.runUntil(done);
    expect((await done).status).toBe('completed');
    expect(clock.now() - virtualClock().now()).toBeGreaterThanOrEqual(LEASE_MS);
    dead.stop();
  });
});

describe('a machine that invokes orchestrator.logic', () => {
  const machineOf = (orchestrator: Orchestrator) =>
    setup({
      types: {
        context: {} as { readonly report: RunReport | null },
        events: {} as { readonly type: 'approve'; readonly requestId: string },
      },
      actors: { run: orchestrator.logic },
    }).createMachine({
      context: { report: null },
      initial: 'running',
      states: {
        running: {
          invoke: {
            id: 'run',
            src: 'run',
            input: { goal: 'An article' },
            onDone: { target: 'ended', actions: assign({ report: ({ event }) => event.output }) },
          },
          on: {
            approve: {
              actions: sendTo('run', ({ event: { requestId } }) => ({
                type: 'approval.grant' as const,
                requestId,
                answer: 'Yes',
              })),
            },
          },
        },
        ended: { type: 'final' },
      },
    });

  it.each([
    ['with a store', memoryStore()],
    ['without a store', undefined],
  ])('is persisted and restored together with its run, %s', async (_name, store) => {
    const first = createActor(machineOf(createTeam(store)));
    first.start();
    const requestId = await untilAsked(first.getSnapshot().children['run'] as RunActor);
    const persisted = throughJson(first.getPersistedSnapshot());
    first.stop();

    const team = createTeam(store);
    const second = createActor(machineOf(team), { snapshot: persisted });
    second.start();
    second.send({ type: 'approve', requestId });
    await toPromise(second);
    expect(second.getSnapshot().context.report).toMatchObject({
      status: 'completed',
      steps: [{ output: 'did Write' }, { output: 'published' }],
    });
  });
});
