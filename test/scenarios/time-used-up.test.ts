import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from './harness.js';
import { agentNamed, steps } from './team.js';

const hanging = agentNamed('worker', () => new Promise(() => undefined));

/** Longer than the time of the run, so that only the clocks of step and run end it. */
const PATIENT = { retry: { attempts: 1 }, time: { limitMs: 10_000 } };

describe('an agent that hangs until the execution time is used up', () => {
  scenario(
    'ends the run as timeExpired, and its step failed by step-timeout',
    () => ({
      options: { agents: [hanging], policy: definePolicy(PATIENT) },
      start: { plan: { steps: steps('a', 'b<a') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'execution-time-used' });
      expect(report.steps[0]).toMatchObject({ status: 'failed', code: 'step-timeout' });
    },
  );

  scenario(
    'ends it so where the first failure ends the run, too',
    () => ({
      options: {
        agents: [hanging],
        policy: definePolicy({ ...PATIENT, failure: { onStepFailure: 'stop' } }),
      },
      start: { plan: { steps: steps('a', 'b<a') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'execution-time-used' });
    },
  );

  scenario(
    'ends it so where steps have shares of the time, and the plan has only this step',
    () => ({
      options: {
        agents: [hanging],
        policy: definePolicy({ ...PATIENT, time: { limitMs: 10_000, stepShare: true } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'execution-time-used' });
    },
  );

  scenario(
    'ends a run with other steps as failed where its share of the time is used up',
    () => ({
      options: {
        agents: [hanging, agentNamed('quick', () => 'done')],
        policy: definePolicy({ ...PATIENT, time: { limitMs: 10_000, stepShare: true } }),
      },
      start: { plan: { steps: steps('a', 'quick:b') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );
});
