import { describe, expect } from 'vitest';

import type { ReviewRequest, TestRequest } from '../../src/agents/roles.js';
import { done } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { inTurn, scriptedAgent } from './scripted.js';
import { steps } from './team.js';

/** A supervisor that rejects every first attempt; its feedback on the second is what it saw. */
const secondTime = ({ step, results }: ReviewRequest) =>
  step?.attempt === 1
    ? { score: 10, feedback: 'Not like this' }
    : { score: 90, feedback: JSON.stringify(results.map(({ output }) => output)) };

const rejectedOnce = (policy: PolicyOverrides, ...answers: readonly unknown[]): ScenarioSetup => ({
  options: {
    agents: [scriptedAgent('worker', ...answers)],
    supervisor: secondTime,
    policy: definePolicy({ limits: { maxVotes: 3 }, ...policy }),
  },
  start: { plan: { steps: steps('a') } },
});

describe('an attempt that ends without an output', () => {
  for (const gate of ['code', 'step'] as const) {
    scenario(
      `does not keep the output that was rejected at the ${gate} gate`,
      () => rejectedOnce({ gates: { [gate]: 70 } }, done('bad work'), done(null)),
      ({ report, factsOf }) => {
        expect(factsOf('verdict.given').map(({ passed, feedback }) => [passed, feedback])).toEqual([
          [false, 'Not like this'],
          [true, '[null]'],
        ]);
        expect(factsOf('step.completed')).toMatchObject([{ attempts: 2, outputKeys: [] }]);
        expect(report.steps).toMatchObject([{ status: 'completed', output: null }]);
      },
    );
  }

  scenario(
    'does not keep a rejected output when it was voted on',
    () => {
      const setup = rejectedOnce(
        { gates: { step: 70 } },
        ...[done('bad work'), done('bad work'), done(null), done(null)],
      );
      const votes = { count: 3, choose: 'majority' } as const;
      return { ...setup, start: { plan: { steps: steps('a').map((a) => ({ ...a, votes })) } } };
    },
    ({ report, factsOf }) => {
      expect(factsOf('vote.decided').map(({ winner }) => winner)).toEqual([1, 1]);
      expect(factsOf('step.completed')).toMatchObject([{ attempts: 2, outputKeys: [] }]);
      expect(report.steps[0]?.output).toBeNull();
    },
  );
});

describe('a fix that ends without an output', () => {
  scenario(
    'keeps the output of its attempt, which is tested again',
    () => {
      const tester = inTurn(
        () => ({ passed: false, failures: ['One'] }),
        ({ output }: TestRequest) => ({ passed: output === 'the work' }),
      ) as (request: TestRequest) => { passed: boolean };
      const setup = rejectedOnce({}, done('the work'), done(null));
      return { ...setup, options: { ...setup.options, tester } };
    },
    ({ report, factsOf }) => {
      expect(factsOf('tests.reported').map(({ passed }) => passed)).toEqual([false, true]);
      expect(report.steps).toMatchObject([{ status: 'completed', output: 'the work' }]);
    },
  );
});
