import { describe, expect } from 'vitest';

import { askHuman } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioResult, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { scriptedAgent } from './scripted.js';
import { steps } from './team.js';

/* The upper bound of a step's cost, reached by a run: the stages of an attempt, fixes and questions. */

const one = { maxSteps: 1, maxReplans: 0, maxDepth: 0, maxFixCycles: 1 } as const;

const worst = (policy: PolicyOverrides, options: Partial<ScenarioSetup['options']>) =>
  ({
    options: {
      agents: [],
      supervisor: () => ({ score: 90 }),
      policy: definePolicy({ retry: { attempts: 1 }, ...policy }),
      ...options,
    },
    start: { plan: { steps: steps('a') } },
    onFact: (fact, control) => {
      if (fact.type === 'approval.requested') control.approve(fact.requestId);
    },
  }) satisfies ScenarioSetup;

const rolesOf = ({ factsOf }: ScenarioResult): string[] =>
  factsOf('agent.called').map(({ key }) => key.replace('run/a/', ''));

const expectPriceTag = (result: ScenarioResult, calls: readonly string[]): void => {
  expect(rolesOf(result)).toEqual(calls);
  expect(result.orchestrator.bounds().agentCalls).toBe(calls.length);
};

describe('bounds() is exactly the cost of the most expensive step', () => {
  scenario(
    'with a question in the middle of a fix: the code is reviewed again, tests and verification are not',
    () =>
      worst(
        {
          limits: { ...one, maxAttempts: 2 },
          gates: { code: 60, step: 70 },
          approval: { maxQuestions: 1 },
        },
        {
          agents: [scriptedAgent('worker', 'work', askHuman({ question: 'How?' }), 'more work')],
          supervisor: ({ subject, step }) => ({
            score: subject === 'step' && step?.attempt === 1 ? 10 : 90,
          }),
          tester: ({ cycle }) => ({ passed: cycle > 0 }),
        },
      ),
    (result) => {
      expectPriceTag(result, [
        ...['1/worker', '1/supervisor.code', '1/tester'],
        ...['1/worker.fix1', '1/worker.fix1.q1', '1/supervisor.code.1', '1/tester.1'],
        '1/supervisor.step',
        ...['2/worker.q1', '2/supervisor.code', '2/tester'],
        ...['2/worker.fix1.q1', '2/tester.1', '2/supervisor.step'],
      ]);
    },
  );

  scenario(
    'with questions before there is an output: only the work begins again',
    () =>
      worst(
        {
          limits: { ...one, maxAttempts: 1 },
          gates: { code: 60, step: 70 },
          approval: { maxQuestions: 3 },
        },
        {
          agents: [
            scriptedAgent('worker', ...[1, 2, 3].map(() => askHuman({ question: 'How?' })), 'work'),
          ],
        },
      ),
    (result) => {
      expectPriceTag(result, [
        ...['1/worker', '1/worker.q1', '1/worker.q2', '1/worker.q3'],
        ...['1/supervisor.code', '1/supervisor.step'],
      ]);
    },
  );

  scenario(
    'with tests that finally cannot run: every attempt has its fixes, and every fix its tests',
    () =>
      worst(
        { limits: { ...one, maxAttempts: 2 }, approval: { maxQuestions: 0 } },
        {
          agents: [scriptedAgent('worker', 'work')],
          tester: ({ cycle }) => {
            if (cycle > 0) throw new Error('The lab is closed');
            return { passed: false };
          },
        },
      ),
    (result) => {
      expectPriceTag(result, [
        ...['1/worker', '1/tester', '1/worker.fix1', '1/tester.1'],
        ...['2/worker', '2/tester', '2/worker.fix1', '2/tester.1'],
      ]);
    },
  );
});
