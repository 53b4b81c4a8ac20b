import { describe, expect } from 'vitest';

import { requestReplan } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { workerBy } from './by-step.js';
import type { Control, ScenarioResult, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { TestAgent } from './team.js';
import { agentNamed, slowAgent, steps } from './team.js';

/* approval.onReject 'fail': a rejection ends the run immediately. */

const statuses = ({ report }: ScenarioResult) =>
  Object.fromEntries(report.steps.map(({ id, status }) => [id, status]));

const policyOf = (overrides: PolicyOverrides = {}) =>
  definePolicy({
    approval: { agents: ['architect'], onReject: 'fail' },
    time: { graceMs: 60_000 },
    ...overrides,
  });

const architect = (): TestAgent => agentNamed('architect', () => 'never');

const sayNo = (control: Control): void => {
  control.reject('a:1.1', 'Too risky');
};

/** No call was made after the rejection, and nothing is left. */
const expectEndedByNo = (result: ScenarioResult, at: number, bound = ''): void => {
  const { facts, report } = result;
  const rejectedAt = facts.findIndex(({ type }) => type === 'approval.rejected');
  expect(facts[rejectedAt]?.at).toBe(at);
  expect(facts.findLastIndex(({ type }) => type === 'agent.called')).toBeLessThan(rejectedAt);
  expect(report).toMatchObject({
    status: 'failed',
    reason: `step-rejected: a (architect)${bound}`,
    durationMs: at,
  });
};

describe('a rejection that ends the run', () => {
  const ended: { agent?: TestAgent } = {};
  scenario(
    'aborts running steps, never starts waiting ones, and keeps completed work',
    (clock) => {
      const worker = slowAgent('worker', clock, 100);
      ended.agent = worker;
      return {
        options: {
          agents: [worker, architect()],
          policy: policyOf({ limits: { maxParallel: 3 } }),
        },
        start: { plan: { steps: steps('done', 'architect:a', 'b<done', 'c', 'd<a') } },
        at: { 150: sayNo },
      };
    },
    (result) => {
      expectEndedByNo(result, 150);
      expect(statuses(result)).toEqual({
        done: 'completed',
        a: 'failed',
        b: 'cancelled',
        c: 'completed',
        d: 'skipped',
      });
      const aborted = ended.agent?.calls.map(({ step, signal }) => [step.id, signal.aborted]);
      expect(aborted).toEqual([
        ['done', false],
        ['c', false],
        ['b', true],
      ]);
    },
  );

  scenario(
    'makes no further call of planner, supervisor or summarizer',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10), architect()],
        planner: () => ({ steps: steps('b', 'c', 'architect:a<b,c') }),
        supervisor: () => ({ score: 100 }),
        summarizer: () => 'Never asked',
        policy: policyOf({ gates: { goal: 50 }, limits: { maxReplans: 3 } }),
      },
      at: { 50: sayNo },
    }),
    (result) => {
      expectEndedByNo(result, 50);
      expect(result.factsOf('replan.requested', 'verdict.given')).toEqual([]);
      expect(statuses(result)).toEqual({ a: 'failed', b: 'completed', c: 'completed' });
    },
  );

  const meanwhile = (
    name: string,
    overrides: PolicyOverrides,
    setup: Partial<ScenarioSetup>,
    phase: string,
  ): void => {
    scenario(
      name,
      (clock) => ({
        options: {
          agents: [
            workerBy({ b: requestReplan({ reason: 'More' }, 'b') }),
            slowAgent('slow', clock, 500),
            architect(),
          ],
          planner: () => ({ steps: steps('never') }),
          policy: policyOf(overrides),
        },
        ...setup,
        start: { plan: { steps: steps('architect:a', 'slow:c', ...(setup.at?.[1] ? [] : ['b'])) } },
        at: { ...setup.at, 100: sayNo },
      }),
      (result) => {
        const isAtBound = phase === 'awaitingLimitApproval';
        expectEndedByNo(result, 100, isAtBound ? ': replan-limit' : '');
        const phases = result.factsOf('phase.entered').map((fact) => fact.phase);
        expect(phases.slice(-2)).toEqual([phase, 'windingDown']);
        expect(statuses(result)).toMatchObject({ a: 'failed', c: 'cancelled' });
      },
    );
  };

  meanwhile('ends one that is about to plan again', {}, {}, 'draining');
  meanwhile('ends one that is paused', {}, { at: { 1: (run) => run.pause() } }, 'paused');
  meanwhile(
    'ends one that waits for another decision of a person',
    { limits: { maxReplans: 0 }, replan: { onLimit: 'askHuman' } },
    {},
    'awaitingLimitApproval',
  );

  scenario(
    'keeps the earlier reason of a run that is already ending, when the question timed out',
    (clock) => ({
      options: {
        agents: [slowAgent('slow', clock, 500), architect(), workerBy({ b: new Error('Broken') })],
        summarizer: async ({ signal }) => {
          await clock.sleep(1_000, signal);
          return 'Too late';
        },
        policy: policyOf({
          approval: { agents: ['architect'], onReject: 'fail', timeoutMs: 100 },
          failure: { onStepFailure: 'stop' },
          retry: { attempts: 1 },
        }),
      },
      start: { plan: { steps: steps('slow:c', 'architect:a', 'b') } },
    }),
    (result) => {
      expect(result.report).toMatchObject({ reason: 'step-failed', durationMs: 100 });
      expect(statuses(result)).toEqual({ a: 'failed', b: 'failed', c: 'cancelled' });
    },
  );
});
