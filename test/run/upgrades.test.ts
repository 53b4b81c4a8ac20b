import { afterAll, describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { JournalMismatchError } from '../../src/errors.js';
import { readJournal } from '../../src/journal/read-journal.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Policy } from '../../src/model/policy.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { Fact } from '../../src/model/facts.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { postgresStore } from '../../src/services/stores/postgres/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import type { Run } from '../../src/run/run.types.js';
import { steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import { temporaryFolder } from '../stores/temporary-folder.js';

/* A process is replaced by one with another team or another policy, on every store. */

expectNothingUnhandled();

const folder = temporaryFolder();
const opened: RunStore[] = [];
let schemas = 0;

afterAll(async () => {
  for (const store of opened) await store.close?.();
  folder.dispose();
});

const stores: Readonly<Record<string, () => RunStore | Promise<RunStore>>> = {
  memory: () => memoryStore(),
  SQLite: () => sqliteStore({ path: folder.newPath() }),
  PostgreSQL: async () => {
    schemas += 1;
    return postgresStore({ url: await sharedPostgres(), schema: `upgrades_${schemas}` });
  },
};

interface Build {
  readonly agents?: readonly string[];
  readonly policy?: Policy;
}

/** One build of a service: its calls, and its reports. A call of the step `stuckAt` lasts until it is aborted. */
const buildOn = (
  store: RunStore,
  { agents = ['worker'], policy = definePolicy() }: Build,
  stuckAt?: string,
) => {
  const calls: string[] = [];
  const errors: unknown[] = [];
  const team = agents.map((name) =>
    defineAgent({
      name,
      description: 'Works',
      run: async ({ step, signal }) => {
        calls.push(`${name} ${step.id}`);
        if (step.id === stuckAt) await aborted(signal);
        return `${name} did ${step.id}`;
      },
    }),
  );
  const orchestrator: Orchestrator = createOrchestrator({
    agents: team,
    store,
    policy,
    onError: (error) => void errors.push(error),
  });
  return { orchestrator, errors, calls };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

/** Returns when the run tells such a fact. */
const told = async (run: Run, isMeant: (fact: Fact) => boolean): Promise<void> => {
  for await (const fact of run.facts()) if (isMeant(fact)) return;
};

/** A run of three steps whose first is completed, released by the build that ran it. */
const halfDone = async (
  open: () => RunStore | Promise<RunStore>,
  build: Build = {},
): Promise<RunStore> => {
  const store = await open();
  opened.push(store);
  const { orchestrator } = buildOn(store, build, 'b');
  const run = orchestrator.start({
    goal: 'The goal',
    runId: 'run',
    plan: { steps: steps('a', 'b<a', 'c<b') },
  });
  await told(run, (fact) => fact.type === 'agent.called' && fact.stepId === 'b');
  await orchestrator.close({ graceMs: 0 });
  return store;
};

/** Resumes the run until it has told so many upgrades in all, and releases it. */
const resumeAndClose = async (store: RunStore, build: Build, upgrades: number): Promise<void> => {
  const { orchestrator } = buildOn(store, build, 'b');
  const run = await orchestrator.resume('run');
  let count = 0;
  await told(run, ({ type }) => type === 'run.upgraded' && (count += 1) === upgrades);
  await orchestrator.close({ graceMs: 0 });
};

const factsIn = async (store: RunStore): Promise<readonly Fact[]> => {
  const stored = await store.read('run');
  if (stored === undefined) throw new Error('There is no run');
  return readJournal(stored, 'run').entries.flatMap(({ facts }) => facts);
};

const upgradesIn = async (store: RunStore): Promise<readonly Fact[]> =>
  (await factsIn(store)).filter(({ type }) => type === 'run.upgraded');

describe.each(Object.entries(stores))('a build that replaces another, in %s', (_, open) => {
  it('resumes a run after an agent was added, and tells the new team once', async () => {
    const store = await halfDone(open);
    const next = buildOn(store, { agents: ['added', 'worker'] });
    const run = await next.orchestrator.resume('run');
    expect((await run.done).status).toBe('completed');
    expect(next.calls).toEqual(['worker b', 'worker c']);
    expect(await upgradesIn(store)).toMatchObject([
      { from: { agents: ['worker'] }, to: { agents: ['added', 'worker'] } },
    ]);
  });

  it('resumes a run after an agent that its open steps do not need was removed', async () => {
    const store = await halfDone(open, { agents: ['worker', 'unused'] });
    const next = buildOn(store, {});
    const run = await next.orchestrator.resume('run');
    expect((await run.done).status).toBe('completed');
  });

  it('refuses a run that needs a removed agent, and names the agent', async () => {
    const store = await halfDone(open);
    const before = await store.read('run');
    const next = buildOn(store, { agents: ['another'] });
    await expect(next.orchestrator.resume('run')).rejects.toThrow(
      /Step 'b' is not done, and its agent 'worker' is not in the team/,
    );
    expect((await store.read('run'))?.entries).toEqual(before?.entries);
    expect(next.calls).toEqual([]);
  });

  it('resumes a run under a policy that changes no fact so far, and tells `run.upgraded` once', async () => {
    const store = await halfDone(open);
    const policy = definePolicy({ time: { limitMs: 1_800_000 }, limits: { maxReplans: 1 } });
    for (let process = 0; process < 2; process += 1) {
      await resumeAndClose(store, { policy }, 1);
    }
    const next = buildOn(store, { policy });
    const run = await next.orchestrator.resume('run');
    expect((await run.done).status).toBe('completed');
    const upgrades = await upgradesIn(store);
    expect(upgrades).toMatchObject([{ type: 'run.upgraded' }]);
    const header = (await store.read('run'))?.header;
    const [upgrade] = upgrades as readonly Fact<'run.upgraded'>[];
    expect(upgrade?.from).toEqual({
      chartFingerprint: header?.chartFingerprint,
      policyFingerprint: header?.policyFingerprint,
      agents: ['worker'],
    });
    expect(upgrade?.to.chartFingerprint).toBe(header?.chartFingerprint);
    expect(upgrade?.to.policyFingerprint).not.toBe(header?.policyFingerprint);
    // An upgraded run can be inspected and forked.
    const replay = await next.orchestrator.replay('run');
    expect(replay.mismatch).toBeNull();
    const fork = await next.orchestrator.fork('run', { atSequence: replay.facts.length - 1 });
    expect((await fork.done).status).toBe('completed');
  });

  it('tells every further upgrade, also the one back to the first policy', async () => {
    const store = await halfDone(open);
    const policy = definePolicy({ limits: { maxReplans: 1 } });
    await resumeAndClose(store, { policy }, 1);
    await resumeAndClose(store, {}, 2);
    const [there, back] = (await upgradesIn(store)) as readonly Fact<'run.upgraded'>[];
    expect(back?.from).toEqual(there?.to);
    expect(back?.to).toEqual(there?.from);
    expect(await upgradesIn(store)).toHaveLength(2);
  });

  it('refuses a run whose facts would differ, with the first difference', async () => {
    const store = await halfDone(open);
    const next = buildOn(store, {
      policy: definePolicy({ approval: { agents: ['worker'] } }),
    });
    const error = await next.orchestrator.resume('run').catch((thrown: unknown) => thrown);
    if (!JournalMismatchError.isInstance(error)) throw error;
    const { difference, message } = error;
    const stored = (await factsIn(store)).find(({ sequence }) => sequence === difference?.sequence);
    expect(stored?.type).toBe('agent.called');
    expect(difference?.expected).toContain('agent.called (');
    expect(difference?.actual).toContain('approval.requested (');
    expect(message).toContain(`Fact ${difference?.sequence ?? 0}`);
    expect(next.calls).toEqual([]);
    expect((await store.list())[0]).toMatchObject({ status: 'running', ended: false });
  });

  it('carries such a run over on request', async () => {
    const store = await halfDone(open);
    const policy = definePolicy({
      approval: { plan: true, timeoutMs: 10, onTimeout: 'approve' },
    });
    const next = buildOn(store, { policy });
    const [run] = await next.orchestrator.recover({ carryOver: true });
    expect(run?.runId).toBe('run-2');
    expect((await run?.done)?.status).toBe('completed');
    expect((await store.list()).map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', 'carried-over: run-2'],
      ['completed', 'all-steps-completed'],
    ]);
  });

  it('reports a run that it cannot resume once, however often recover() is called', async () => {
    const store = await halfDone(open);
    const next = buildOn(store, {
      policy: definePolicy({ approval: { agents: ['worker'] } }),
    });
    for (let pass = 0; pass < 3; pass += 1) expect(await next.orchestrator.recover()).toEqual([]);
    expect(next.errors).toMatchObject([{ code: 'journal-mismatch' }]);
  });
});

describe('a run of which only the header is stored', () => {
  it('begins under the current policy, and tells `run.upgraded` once', async () => {
    const store = memoryStore();
    const { header } = (await (await halfDone(() => memoryStore())).read('run')) ?? {};
    if (header === undefined) throw new Error('There is no run');
    await store.create(header);
    const policy = definePolicy({ limits: { maxReplans: 1 } });
    const run = await buildOn(store, { policy }).orchestrator.resume('run');
    expect((await run.done).status).toBe('completed');
    const types = (await factsIn(store)).map(({ type }) => type);
    expect(types.indexOf('run.upgraded')).toBeGreaterThan(0);
    expect(types.indexOf('run.upgraded')).toBeLessThan(types.indexOf('step.completed'));
    expect(await upgradesIn(store)).toHaveLength(1);
  });
});
