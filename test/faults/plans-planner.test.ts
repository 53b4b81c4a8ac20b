import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioResult } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { agentNamed } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';
import { planning } from './plans-planning.js';

expectNoLeaks();

const TRIES = 3;
const patience: PolicyOverrides = {
  retry: { attempts: TRIES, backoffMs: 10 },
  time: { stepTimeoutMs: 1_000 },
  limits: { maxReplans: 2 },
};

/** No answer in any try: the run ends before any step runs. */
const expectNoAnswer = ({ report, factsOf }: ScenarioResult, code: string): void => {
  expect(factsOf('agent.failed').map((fact) => [fact.role, fact.code])).toEqual(
    Array.from({ length: TRIES }, () => ['planner', code]),
  );
  expect(factsOf('plan.rejected')).toMatchObject([{ by: 'planner' }]);
  expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed', replans: 0 });
  expect(report.steps).toEqual([]);
};

/** An answer that is not a plan: the planner is told and called again, until the replan bound. */
const expectNoPlan = ({ report, factsOf }: ScenarioResult, issue: string): void => {
  const issues = factsOf('plan.rejected').map((fact) =>
    fact.issues.map(({ code, path }) => `${code} at ${path}`),
  );
  expect(issues).toEqual(Array.from({ length: 3 }, () => [issue]));
  expect(report).toMatchObject({
    status: 'failed',
    reason: 'no-acceptable-plan: replan-limit',
    replans: 2,
  });
  expect(report.steps).toEqual([]);
};

describe('a planner that gives no answer', () => {
  scenario(
    'because it hangs is aborted at the timeout of every try; then the run fails as planning-failed',
    () => planning([() => new Promise(() => undefined)], patience),
    (result) => {
      expectNoAnswer(result, 'timeout');
      const calls = result.facts.filter(({ type }) => type === 'agent.called');
      const failures = result.facts.filter(({ type }) => type === 'agent.failed');
      expect(failures.map(({ at }, index) => at - (calls[index]?.at ?? 0))).toEqual([
        1_000, 1_000, 1_000,
      ]);
    },
  );

  scenario(
    'because it throws is retried as often as allowed; then the run fails as planning-failed',
    () => planning([new Error('No model today')], patience),
    (result) => expectNoAnswer(result, 'threw'),
  );

  scenario(
    'because it returns undefined is retried like one that throws',
    () => planning([undefined], patience),
    (result) => expectNoAnswer(result, 'invalid-output'),
  );

  scenario(
    'because its plan contains itself, or code, is retried like one that throws',
    () => {
      const circular: { steps: unknown[] } = { steps: [] };
      circular.steps.push(circular);
      return planning([circular, { steps: [() => 'work'] }, { steps: [1n] }], patience);
    },
    (result) => expectNoAnswer(result, 'not-serializable'),
  );
});

describe('a planner whose answer is not a plan', () => {
  scenario(
    'but malformed JSON is told so, and the run fails at the replan bound',
    () => planning(['{"steps":[{"id":"a",]}', '\ufeff{}', '{"steps":[]}{}'], patience),
    (result) => expectNoPlan(result, 'invalid-shape at '),
  );

  scenario(
    'but has the wrong shape is told so, and the run fails at the replan bound',
    () => planning([{ steps: 'a, b' }, { steps: { id: 'a' } }, { steps: null }], patience),
    (result) => expectNoPlan(result, 'invalid-shape at steps'),
  );

  scenario(
    'but 50 MB is told so, the answer is not kept, and the run fails at the replan bound',
    () => planning([{ steps: [], analysis: 'x'.repeat(50_000_000) }], patience),
    (result) => {
      expectNoPlan(result, 'plan-too-large at ');
      expect(JSON.stringify(result.journal).length).toBeLessThan(50_000);
    },
  );

  scenario(
    'at a replan costs the replan and keeps completed work',
    () => ({
      options: {
        agents: [
          agentNamed('worker', ({ step }) => {
            if (step.id === 'bad') throw new Error('Broken');
            return `did ${step.id}`;
          }),
        ],
        planner: plannerInTurn(['bad', 'b'], new Error('No model today')),
        policy: definePolicy({ retry: { attempts: 1 }, limits: { maxParallel: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 1, by: 'planner' }]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 1 });
      expect(report.successfulSteps).toEqual(['b']);
    },
  );
});
