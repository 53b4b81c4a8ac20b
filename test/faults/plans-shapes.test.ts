import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/model/facts.js';
import type { RunReport } from '../../src/journal/report.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { after, workerBy } from '../scenarios/by-step.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { scenario } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { shortestMs } from '../cpu-time.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

interface Ran {
  readonly orchestrator: Orchestrator;
  readonly report: RunReport;
  readonly facts: readonly Fact[];
  /** The most calls that were open at one moment. */
  readonly mostAtOnce: number;
}

const MAX_PARALLEL = 8;

/** Runs a large plan once, with agents that are really busy at the same time. */
const runOf = async (plan: readonly string[]): Promise<Ran> => {
  const clock = watchedClock();
  const facts: Fact[] = [];
  let open = 0;
  let mostAtOnce = 0;
  const worker = agentNamed('worker', async ({ step, signal }) => {
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    await clock.sleep(10, signal);
    open -= 1;
    return step.id;
  });
  const orchestrator = composeOrchestrator(
    {
      agents: [worker],
      policy: definePolicy({ limits: { maxParallel: MAX_PARALLEL, maxSteps: 10_000 } }),
      clock,
    },
    undefined,
  );
  const run = orchestrator.start({ goal: 'A goal', runId: 'run', plan: { steps: steps(...plan) } });
  run.subscribe((fact) => facts.push(fact));
  await clock.runUntil(run.done);
  return { orchestrator, report: await run.done, facts, mostAtOnce };
};

const checkedRunOf = async (plan: readonly string[]): Promise<Ran> => {
  const ran = await runOf(plan);
  const { policy } = ran.orchestrator;
  expect(checkInvariants(ran.facts, { policy, bounds: ran.orchestrator.bounds() })).toEqual([]);
  return ran;
};

const chainOf = (length: number): string[] =>
  Array.from({ length }, (_, index) => (index === 0 ? 's0' : `s${index}<s${index - 1}`));

const fanOf = (width: number): string[] => {
  const middle = Array.from({ length: width }, (_, index) => `m${index}`);
  return ['root', ...middle.map((id) => `${id}<root`), `leaf<${middle.join()}`];
};

const completionOrder = (facts: readonly Fact[]): string[] =>
  facts.flatMap((fact) => (fact.type === 'step.completed' ? [fact.stepId] : []));

describe('a plan of an uncommon shape', { timeout: 60_000 }, () => {
  scenario(
    'such as a diamond runs in the order of its dependencies, its two sides at once',
    (clock) => ({
      options: {
        agents: [
          workerBy({
            a: after(clock, 10, 'a'),
            b: after(clock, 20, 'b'),
            c: after(clock, 30, 'c'),
          }),
        ],
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<a', 'd<b,c') } },
    }),
    ({ facts, report }) => {
      const starts = facts.flatMap((fact) =>
        fact.type === 'step.started' ? [[fact.stepId, fact.at]] : [],
      );
      expect(starts).toEqual([
        ['a', 0],
        ['b', 10],
        ['c', 10],
        ['d', 40],
      ]);
      expect(completionOrder(facts)).toEqual(['a', 'b', 'c', 'd']);
      expect(report.durationMs).toBe(40);
    },
  );

  it('such as a fan of 1,000 steps runs as wide as maxParallel, first to last', async () => {
    const { report, facts, mostAtOnce } = await checkedRunOf(fanOf(1_000));
    expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    expect(mostAtOnce).toBe(MAX_PARALLEL);
    const order = completionOrder(facts);
    expect(order).toHaveLength(1_002);
    expect([order[0], order.at(-1)]).toEqual(['root', 'leaf']);
    expect(report.durationMs).toBe(10 + (1_000 / MAX_PARALLEL) * 10 + 10);
  });

  it('such as a chain of 1,000 steps runs one after the other, without a stack overflow', async () => {
    const { report, facts, mostAtOnce } = await checkedRunOf(chainOf(1_000));
    expect(report).toMatchObject({ status: 'completed', durationMs: 10_000 });
    expect(mostAtOnce).toBe(1);
    expect(completionOrder(facts)).toEqual(chainOf(1_000).map((text) => text.split('<')[0]));
  });

  // Measured over two doublings, with a quarter more than four times allowed: a busy machine adds that much. A
  // quadratic cost would take sixteen times as long.
  it('such as a chain or a fan takes at most twice the time at twice the length', async () => {
    for (const shapeOf of [chainOf, fanOf]) {
      await runOf(shapeOf(500)); // Compiled by now.
      const onceMs = await shortestMs(4, () => runOf(shapeOf(250)));
      const twiceTwiceMs = await shortestMs(3, () => runOf(shapeOf(1_000)));
      expect(twiceTwiceMs / onceMs).toBeLessThan(2 * 2 * 1.25);
    }
  });
});

const broken = new Error('Broken');
const family = ['a', 'b<a', 'c<a', 'd<b,c', 'e<d', 'free'];

describe('a step behind one that was not completed', () => {
  scenario(
    'is skipped with the reason after a failure, as are its dependents, each settled once',
    () => ({
      options: {
        agents: [workerBy({ a: broken })],
        policy: definePolicy({
          retry: { attempts: 1 },
          failure: { onStepFailure: 'continue' },
        }),
      },
      start: { plan: { steps: steps(...family) } },
    }),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ id, status, reason }) => [id, status, reason])).toEqual([
        ['a', 'failed', 'Error: Broken'],
        ['b', 'skipped', 'dependency'],
        ['c', 'skipped', 'dependency'],
        ['d', 'skipped', 'dependency'],
        ['e', 'skipped', 'dependency'],
        ['free', 'completed', null],
      ]);
      expect(factsOf('step.skipped').map(({ stepId }) => stepId)).toEqual(['b', 'c', 'd', 'e']);
    },
  );

  scenario(
    'is skipped after a step that was skipped by a rejection',
    () => ({
      options: {
        agents: [workerBy({}), agentNamed('guarded', () => 'never')],
        policy: definePolicy({ approval: { agents: ['guarded'], onReject: 'skip' } }),
      },
      start: { plan: { steps: steps('guarded:a', ...family.slice(1)) } },
      at: { 10: (control) => control.reject('a:1.1', 'No') },
    }),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 5 }, () => 'skipped'),
        'completed',
      ]);
      expect(report.steps.slice(1, 5).map(({ reason }) => reason)).toEqual(
        Array.from({ length: 4 }, () => 'dependency'),
      );
      expect(factsOf('step.skipped')).toHaveLength(5);
      expect(factsOf('agent.called').map(({ stepId }) => stepId)).toEqual(['free']);
    },
  );

  // A person who skips a step means: continue without it. That is not a failure and blocks nothing.
  scenario(
    'runs without the output of a step that a person skipped',
    (clock) => ({
      options: { agents: [workerBy({ a: after(clock, 100, 'late') })] },
      start: { plan: { steps: steps(...family) } },
      at: { 10: (control) => control.skip(['a']) },
    }),
    ({ report }) => {
      expect(report.steps.map(({ status }) => status)).toEqual([
        'skipped',
        ...Array.from({ length: 5 }, () => 'completed'),
      ]);
    },
  );

  scenario(
    'is cancelled after a step that was cancelled with the run, each settled once',
    (clock) => ({
      options: { agents: [workerBy({ a: after(clock, 100, 'late') })] },
      start: { plan: { steps: steps(...family) } },
      at: { 10: (control) => control.abort('Enough') },
    }),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 5 }, () => 'cancelled'),
        'completed',
      ]);
      expect(factsOf('step.cancelled').map(({ stepId }) => stepId)).toEqual([
        'a',
        'b',
        'c',
        'd',
        'e',
      ]);
    },
  );
});
