import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from '../scenarios/harness.js';
import { deferred } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/* The documented order: one mailbox per run; the first event in it counts. */

describe('a timer and a result at the same moment', () => {
  const onePolicy = definePolicy({
    time: { stepTimeoutMs: 1_000 },
    retry: { attempts: 1 },
    failure: { onStepFailure: 'continue' },
  });

  scenario(
    'an answer before the timeout in the same tick counts',
    (clock) => {
      const answer = deferred<string>();
      // Armed before the run arms anything, so it is the first timer due then.
      clock.setTimeout(() => answer.resolve('just in time'), 1_000);
      return {
        options: { agents: [agentNamed('worker', () => answer.promise)], policy: onePolicy },
        start: { plan: { steps: steps('a') } },
      };
    },
    ({ report, facts, factsOf: told }) => {
      const answers = facts.filter((fact) => fact.type === 'agent.answered');
      expect(answers.map(({ at }) => at)).toEqual([1_000]);
      expect(told('agent.failed', 'step.failed')).toEqual([]);
      expect(told('step.completed')).toHaveLength(1);
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'just in time' });
    },
  );

  const late: { agent?: TestAgent } = {};
  scenario(
    'a timeout before the answer in the same tick counts, and the answer is ignored',
    (clock) => {
      const agent = agentNamed('worker', async () => {
        // In two parts, so that the last timer is armed after the timeout of the call; and the signal is ignored.
        await clock.sleep(999);
        await clock.sleep(1);
        return 'too late';
      });
      late.agent = agent;
      return {
        options: { agents: [agent], policy: onePolicy },
        start: { plan: { steps: steps('a') } },
      };
    },
    ({ report, facts, factsOf: told }) => {
      const failures = facts.filter((fact) => fact.type === 'agent.failed');
      expect(failures).toMatchObject([{ at: 1_000, code: 'timeout' }]);
      expect(told('agent.answered', 'step.completed')).toEqual([]);
      expect(told('step.failed')).toHaveLength(1);
      expect(late.agent?.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
      expect(report.steps[0]).toMatchObject({ status: 'failed', output: null });
    },
  );

  const asking = definePolicy({
    approval: { agents: ['worker'], timeoutMs: 1_000, onReject: 'skip' },
  });

  scenario(
    'an approval before the timeout of the question in the same tick counts',
    (clock) => ({
      // The question is asked after the approval is due to come: of two timers of one moment the first fires first.
      options: {
        agents: [agentNamed('worker', () => 'done'), slowAgent('other', clock, 500)],
        policy: asking,
      },
      start: { plan: { steps: steps('other:b', 'a<b') } },
      at: { 1_500: (control) => control.approve('a:1.1') },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(commands).toEqual([{ accepted: true }]);
      expect(told('approval.expired')).toEqual([]);
      expect(report.successfulSteps).toEqual(['b', 'a']);
    },
  );

  scenario(
    'a timeout of the question before the approval in the same tick counts',
    (clock) => ({
      options: {
        agents: [agentNamed('worker', () => 'done'), slowAgent('other', clock, 5_000)],
        policy: asking,
      },
      start: { plan: { steps: steps('a', 'other:b') } },
      onFact: (fact, control) => {
        if (fact.type !== 'approval.requested') return;
        clock.setTimeout(() => control.approve(fact.requestId), 1_000);
      },
    }),
    ({ report, facts, commands, factsOf: told }) => {
      const expiries = facts.filter((fact) => fact.type === 'approval.expired');
      expect(expiries.map(({ at }) => at)).toEqual([1_000]);
      expect(commands).toEqual([{ accepted: false, reason: 'already-decided' }]);
      expect(told('approval.granted')).toEqual([]);
      expect(report.skippedSteps).toEqual(['a']);
      expect(report.successfulSteps).toEqual(['b']);
    },
  );

  // The step starts a little later, so that the limit of the run ends it, and not its own.
  const closing = definePolicy({
    time: { limitMs: 1_000, planningMs: 1, verificationMs: 1, graceMs: 0, stepTimeoutMs: 5_000 },
  });

  scenario(
    'an answer before the time limit of the run in the same tick is kept',
    (clock) => {
      const answer = deferred<string>();
      clock.setTimeout(() => answer.resolve('just in time'), 1_000);
      return {
        options: {
          agents: [slowAgent('early', clock, 100), agentNamed('worker', () => answer.promise)],
          policy: closing,
        },
        start: { plan: { steps: steps('early:early', 'a<early', 'b<a') } },
      };
    },
    ({ report, factsOf: told }) => {
      expect(report).toMatchObject({
        status: 'timeExpired',
        reason: 'execution-time-used',
        durationMs: 1_000,
      });
      expect(report.steps[1]).toMatchObject({ status: 'completed', output: 'just in time' });
      expect(told('time.expired')).toEqual([]);
      expect(told('step.cancelled').map(({ stepId }) => stepId)).toEqual(['b']);
    },
  );

  scenario(
    'an answer after the time limit of the run in the same tick is ignored',
    (clock) => ({
      options: {
        agents: [
          slowAgent('early', clock, 100),
          agentNamed('worker', async () => {
            await clock.sleep(899);
            await clock.sleep(1);
            // A grace period of 0 is a timer, too, and was armed before this one.
            await clock.sleep(0);
            return 'too late';
          }),
        ],
        policy: closing,
      },
      start: { plan: { steps: steps('early:early', 'a<early') } },
    }),
    ({ report, factsOf: told }) => {
      expect(report).toMatchObject({
        status: 'timeExpired',
        reason: 'time-limit',
        durationMs: 1_000,
      });
      expect(report.steps[1]).toMatchObject({ status: 'cancelled', output: null });
      expect(told('time.expired')).toHaveLength(1);
      expect(told('agent.answered', 'step.completed').map(({ stepId }) => stepId)).toEqual([
        'early',
        'early',
      ]);
    },
  );
});
