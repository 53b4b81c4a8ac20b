import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import type { AgentReport } from '../../src/agents/report.js';
import {
  askHuman,
  blocked,
  handOff,
  needsContext,
  requestReplan,
} from '../../src/agents/report.js';
import type { OrchestratorOptions } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Agent } from '../../src/agents/agent.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunHeader, RunStore } from '../../src/model/run-store.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import type { TemporaryFolder } from '../stores/temporary-folder.js';
import { temporaryFolder } from '../stores/temporary-folder.js';

/* A secret is put into every possible place, and every written byte is searched for it. */

expectNothingUnhandled();

const CANARY = 'canary-8d1f';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => {
  folder.dispose();
});

/** A store on disk; besides the bytes of its files it keeps every value it receives. */
const tappedStore = (): { store: RunStore; bytes: () => string } => {
  const inner: RunStore = sqliteStore({ path: join(folder.path, 'runs.db') });
  const written: string[] = [];
  const tap = (...values: unknown[]): void => {
    written.push(JSON.stringify(values));
  };
  const store: RunStore = {
    ...inner,
    create: (header: RunHeader, owner?: string) => {
      tap(header);
      return inner.create(header, owner);
    },
    append: (...given) => {
      tap(...given);
      return inner.append(...given);
    },
    post: (...given) => {
      tap(...given);
      return inner.post(...given);
    },
  };
  return { store, bytes: () => [...written, bytesOnDisk(folder.path)].join('\n') };
};

/** All files, including the log of the database. */
const bytesOnDisk = (path: string): string => {
  const bytes = readdirSync(path).map((name) => readFileSync(join(path, name), 'latin1'));
  expect(bytes.join('')).toContain('The goal');
  return bytes.join('\n');
};

/** Plays a run, and returns every byte that is visible outside its agents. */
const everyByteOf = async (team: OrchestratorOptions<readonly Agent[]>): Promise<string> => {
  const clock = virtualClock();
  const { store, bytes } = tappedStore();
  const orchestrator = composeOrchestrator({ ...team, clock, store }, undefined);
  const run = orchestrator.start({ goal: 'The goal', runId: 'run' });
  const told: unknown[] = [];
  run.subscribe((fact) => {
    told.push(fact, run.record());
    if (fact.type === 'approval.requested') void run.approve(fact.requestId, 'Yes');
  });
  await clock.runUntil(run.done);
  const report = await run.done;
  const explained = await Promise.all(
    report.steps.map(({ id }) => orchestrator.explain('run', id)),
  );
  const replay = await orchestrator.replay('run');
  const moments: unknown[] = [];
  for (let moment = replay.next(); moment !== undefined; moment = replay.next())
    moments.push(moment);
  const fork = await orchestrator.fork('run', { atSequence: 1 });
  await clock.runUntil(fork.done);
  const values = [told, report, run.record(), run.journal(), explained, moments, await fork.done];
  expect(report.steps.length).toBeGreaterThan(0);
  return [bytes(), ...values.map((value) => JSON.stringify(value))].join('\n');
};

/** An error as HTTP clients throw them. */
const richError = (message: string): Error => {
  const cause = Object.assign(new Error(`cause ${CANARY}`), {
    request: { headers: { authorization: `Bearer ${CANARY}` } },
  });
  const error = Object.assign(new Error(message, { cause }), {
    config: { url: `https://user:${CANARY}@host/?key=${CANARY}`, headers: { 'x-api-key': CANARY } },
    response: { body: CANARY },
  });
  error.stack = `Error: x\n    at ${CANARY} (file.js)`;
  return error;
};

describe('a secret never reaches a written byte', () => {
  it('when it is in the environment, in closures, headers, causes, stacks and properties of errors', async () => {
    process.env['PLANWRIGHT_CANARY'] = CANARY;
    const apiKey = CANARY;
    const bytes = await everyByteOf({
      agents: [
        defineAgent({
          name: 'worker',
          description: 'Calls something with a key',
          run: ({ key, step }) => {
            const headers = {
              authorization: `Bearer ${apiKey}`,
              env: process.env['PLANWRIGHT_CANARY'],
            };
            if (step.id === 'a' && !key.includes('#')) throw richError('Service unavailable');
            return `${Object.keys(headers).length} headers sent`;
          },
        }),
      ],
      planner: () => ({ steps: steps('a', 'b') }),
    });
    delete process.env['PLANWRIGHT_CANARY'];
    expect(bytes).toContain('Service unavailable');
    expect(bytes).not.toContain(CANARY);
  });

  const secretText = `look: https://host/?key=${CANARY} and ${CANARY}`;
  const answers: Readonly<Record<string, () => unknown>> = {
    output: () => ({ nested: [{ deep: secretText }], plain: secretText }),
    error: () => {
      throw richError(secretText);
    },
    blocked: () => blocked(secretText),
    needsContext: () => needsContext(secretText, { partial: secretText }),
    requestReplan: () => requestReplan({ reason: secretText }, secretText),
    handOff: () => handOff({ agent: 'other', task: secretText }, secretText),
    askHuman: () => askHuman({ question: secretText, payload: { shown: secretText } }),
  };

  const teamWith = (answer: () => unknown): OrchestratorOptions<readonly Agent[]> => ({
    redact: (text) => text.replaceAll(CANARY, '***'),
    agents: [
      defineAgent({
        name: 'worker',
        description: 'Says too much',
        run: ({ feedback }) => (feedback.length > 0 ? 'done' : (answer() as AgentReport)),
      }),
      defineAgent({ name: 'other', description: 'Says nothing', run: () => 'done' }),
    ],
    planner: () => ({
      analysis: secretText,
      steps: steps('a').map((step) => ({ ...step, task: secretText })),
    }),
    supervisor: () => ({ score: 65, issues: [secretText], feedback: secretText }),
    tester: ({ cycle }) =>
      cycle === 0
        ? {
            passed: false,
            failures: [secretText],
            fixPlan: { summary: secretText, steps: [secretText] },
          }
        : { passed: true },
    summarizer: () => secretText,
    policy: definePolicy({
      gates: { plan: 60, step: 60, goal: 60 },
      limits: { maxReplans: 1, maxAttempts: 1 },
    }),
  });

  it.each(Object.keys(answers))(
    'when `redact` knows it, wherever agents and roles return it: %s',
    async (kind) => {
      const bytes = await everyByteOf(teamWith(answers[kind]!));
      expect(bytes).toContain('***');
      expect(bytes).not.toContain(CANARY);
    },
  );

  it('and without `redact` it does, so this test would find one', async () => {
    const team = { ...teamWith(answers['output']!), redact: (text: string) => text };
    expect(await everyByteOf(team)).toContain(CANARY);
  });

  it('when a store error contains its address', async () => {
    const clock = virtualClock();
    const failing: RunStore = {
      ...memoryStore(),
      append: () => {
        throw new Error(`connect ECONNREFUSED postgres://user:${CANARY}@host/db`);
      },
    };
    const orchestrator = composeOrchestrator(
      { ...teamWith(() => 'x'), clock, store: failing },
      undefined,
    );
    const run = orchestrator.start({ goal: 'The goal' });
    await clock.runUntil(run.done);
    const report = await run.done;
    expect(report.reason).toContain('ECONNREFUSED');
    expect(JSON.stringify(report)).not.toContain(CANARY);
  });
});
