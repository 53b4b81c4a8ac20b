import { describe, expect } from 'vitest';

import { done } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { eachInAStep } from './agents-faulty.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/** Verdicts with an invalid score, and how the supervisor call fails. */
const noScores: readonly (readonly [score: unknown, code: string])[] = [
  [-1, 'invalid-output'],
  [-1e-320, 'invalid-output'],
  [101, 'invalid-output'],
  [100.000001, 'invalid-output'],
  ['7', 'invalid-output'],
  [null, 'invalid-output'],
  [[50], 'invalid-output'],
  [Number.NaN, 'not-serializable'],
  [Infinity, 'not-serializable'],
  [-Infinity, 'not-serializable'],
  [Number('1e309'), 'not-serializable'],
  [50n, 'not-serializable'],
];

const scores = [-0, 0, 1e-320, 0.5, 99.999999, 100];

describe('an invalid score', () => {
  // The gate accepts every score, so only an invalid one can fail it.
  const gateOfNothing = definePolicy({
    gates: { step: 0 },
    retry: { attempts: 1 },
    limits: { maxAttempts: 1, maxDepth: 0, maxParallel: 1, maxSteps: 50, maxFailures: 50 },
    failure: { onStepFailure: 'continue' },
    escalation: { issues: { correct: 96, refocus: 97, critical: 98, abort: 99 } },
  });

  scenario(
    'that is not finite or out of range is no verdict and passes no gate; -0 and the smallest number are valid',
    () => {
      const all = [...noScores.map(([score]) => score), ...scores];
      return {
        options: {
          agents: [agentNamed('worker', () => 'work')],
          supervisor: ({ step }) => ({ score: all[Number(step?.id.slice(1))] as number }),
          policy: gateOfNothing,
        },
        start: { plan: { steps: steps(...all.map((_, index) => `s${index}`)) } },
      };
    },
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ role, code }) => [role, code])).toEqual(
        noScores.map(([, code]) => ['supervisor', code]),
      );
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ...noScores.map(() => ['failed', 'review-failed']),
        ...scores.map(() => ['completed', null]),
      ]);
      expect(factsOf('verdict.given').map(({ score, passed }) => [score, passed])).toEqual(
        scores.map((score) => [score === 0 ? 0 : score, true]),
      );
    },
  );

  const noConfidences = [-1, Number.NaN, Infinity, Number('1e309'), '0.5', null, 1.01];
  const confidences = [-0, 1e-320, 0.5, 1];
  const sure = (confidence: unknown): unknown => done('work', { confidence: confidence as number });

  scenario(
    'of confidence, not finite or out of range, fails the attempt as invalid-output',
    () => eachInAStep([...noConfidences, ...confidences].map(sure)),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual(
        noConfidences.map(() => 'invalid-output'),
      );
      expect(report.successfulSteps).toEqual(['f7', 'f8', 'f9', 'f10', 'last']);
      const told = factsOf('agent.answered').map(({ confidence }) => confidence);
      expect(told).toEqual([expect.closeTo(0, 10), 1e-320, 0.5, 1, null]);
    },
  );
});
