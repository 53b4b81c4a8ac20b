import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import { steps } from '../scenarios/team.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import type { Program } from './restarts.js';
import { bundled } from './restarts.js';
import type { Answer } from './server.js';
import type { Server } from './servers.js';
import { startServer } from './servers.js';

/* Two real processes and one store: ownership of a run, and the process that has lost it. */

let folder: TemporaryFolder;
let program: Program;
const servers: Server[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  program = await bundled('server');
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  folder.dispose();
  program.dispose();
});

const started = async (name: string, leaseMs: number, agentMs: number): Promise<Server> => {
  const store = { kind: 'sqlite', path: join(folder.path, `${name}.db`) } as const;
  const logPath = join(folder.path, `${name}.log`);
  if (!existsSync(logPath)) writeFileSync(logPath, '');
  const server = await startServer(program.path, { store, logPath, leaseMs, agentMs });
  servers.push(server);
  return server;
};

const callsIn = (name: string): { key: string; pid: number }[] =>
  readFileSync(join(folder.path, `${name}.log`), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, key = '', pid = ''] = line.split(' ');
      return key === '' ? [] : [{ key, pid: Number(pid) }];
    });

/** Unfinished runs without an owner, each with a call that has no answer. */
const abandonRuns = async (path: string, runIds: readonly string[]): Promise<void> => {
  const store = sqliteStore({ path });
  const silent = defineAgent({
    name: 'worker',
    description: 'Never answers',
    run: () => new Promise<never>(() => undefined),
  });
  const orchestrator = composeOrchestrator({ agents: [silent], store }, undefined);
  const runs = runIds.map((runId) =>
    orchestrator.start({ goal: 'The goal', runId, plan: { steps: steps('a') } }),
  );
  // The plan is validated, and the step is called.
  await sleep(20);
  await orchestrator.close({ graceMs: 0 });
  await Promise.all(runs.map((run) => run.done));
  await store.close?.();
};

describe('two processes that resume the same run', () => {
  it('have exactly one winner, in each of 100 races, and the loser calls no agent', async () => {
    const runIds = Array.from({ length: 100 }, (_, index) => `race-${index}`);
    await abandonRuns(join(folder.path, 'races.db'), runIds);
    const [one, other] = [await started('races', 60_000, 100), await started('races', 60_000, 100)];
    const answers: Answer[] = [];
    for (let first = 0; first < runIds.length; first += 20) {
      const batch = runIds.slice(first, first + 20).flatMap((runId, index) => {
        const order = { verb: 'resume', runId } as const;
        // The two take turns in being first.
        const asked = index % 2 === 0 ? [one, other] : [other, one];
        return asked.map((server) => server.ask(order));
      });
      answers.push(...(await Promise.all(batch)));
    }
    for (const runId of runIds) {
      const both = answers.filter((answer) => answer.runId === runId);
      const winners = both.filter(({ calls }) => calls > 0);
      expect(winners, runId).toEqual([
        { runId, status: 'completed', reason: 'all-steps-completed', calls: 1 },
      ]);
      const [loser] = both.filter(({ calls }) => calls === 0);
      // Refused; or so late that nothing was left to do, and given the report.
      expect([loser?.code, loser?.status], runId).toSatisfy(
        ([code, status]: (string | undefined)[]) =>
          code === 'already-claimed' || status === 'completed',
      );
    }
    expect(answers.filter(({ code }) => code === 'already-claimed').length).toBeGreaterThan(0);
    expect(callsIn('races')).toHaveLength(runIds.length);
  }, 300_000);
});

describe('a process that is stopped longer than its lease', () => {
  it('has its writes refused when it wakes up, and makes no more calls', async () => {
    const stepIds = ['a', 'b<a', 'c<b', 'd<c'];
    const [first, second] = [await started('fenced', 500, 150), await started('fenced', 500, 150)];
    const ending = first.ask({ verb: 'start', runId: 'run', stepIds });
    while (!callsIn('fenced').some(({ key }) => key === 'run/b/1/worker')) await sleep(5);
    first.signal('SIGSTOP');
    const before = callsIn('fenced').filter(({ pid }) => pid === first.pid).length;

    let taken = await second.ask({ verb: 'resume', runId: 'run' });
    let refusals = 0;
    for (; taken.code === 'already-claimed'; refusals += 1) {
      await sleep(50);
      taken = await second.ask({ verb: 'resume', runId: 'run' });
    }
    expect(taken).toMatchObject({ status: 'completed' });
    expect(refusals, 'the lease was respected while it lasted').toBeGreaterThan(0);
    const written = await sqliteStore({ path: join(folder.path, 'fenced.db') }).read('run');

    first.signal('SIGCONT');
    expect(await ending).toMatchObject({
      status: 'detached',
      reason: expect.stringMatching(/^taken-over: /) as string,
    });
    await sleep(300);
    const after = callsIn('fenced').filter(({ pid }) => pid === first.pid).length;
    expect(after, 'calls of the one who was replaced').toBe(before);
    const keys = callsIn('fenced').map(({ key }) => key);
    expect(
      keys.filter((key) => key === 'run/b/1/worker'),
      'in flight: once more',
    ).toHaveLength(2);
    expect(new Set(keys).size).toBe(stepIds.length);
    const now = await sqliteStore({ path: join(folder.path, 'fenced.db') }).read('run');
    expect(now, 'the journal is the second one’s').toEqual(written);
  }, 120_000);
});

describe('two processes that start a run of the same name', () => {
  it('have one winner, and the other gets a conflict', async () => {
    const [one, other] = [await started('names', 60_000, 20), await started('names', 60_000, 20)];
    const order = { verb: 'start', runId: 'run', stepIds: ['a'] } as const;
    const answers = await Promise.all([one.ask(order), other.ask(order)]);
    expect(answers.filter(({ calls }) => calls === 1)).toHaveLength(1);
    const loser = answers.find(({ calls }) => calls === 0);
    expect(loser?.code ?? loser?.reason).toMatch(/run-conflict|RunConflictError|taken-over/);
    expect(callsIn('names')).toHaveLength(1);
  }, 120_000);
});
