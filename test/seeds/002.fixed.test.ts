import { describe, expect, it } from 'vitest';

import type { TestRequest } from '../../src/agents/roles.js';
import { requestReplan } from '../../src/agents/report.js';
import type { Policy } from '../../src/model/policy.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { play, scenario } from '../scenarios/harness.js';
import type { Answers } from './002-team.js';
import {
  approving,
  calledIn,
  dynamicProfile,
  fixedProfile,
  rejecting,
  toolkit,
  workflow,
} from './002-team.js';

/* Seed 002, orchestration_mode "fixed": Architect, human approval, Developer, Reviewer, done. */

const pipeline = workflow('moderate', 'architect', 'developer', 'reviewer');

const fixed = (answers: Answers = {}, policy: Policy = fixedProfile()): ScenarioSetup => ({
  options: { agents: toolkit(answers), policy },
  start: { goal: 'Add OAuth2 support', plan: pipeline },
  onFact: approving,
});

describe('the fixed mode', () => {
  scenario(
    'runs architect, approval, developer and reviewer, without a planner',
    () => fixed(),
    ({ report, factsOf }) => {
      const order = factsOf('approval.granted', 'agent.called').map(({ type, stepId }) => [
        type,
        stepId,
      ]);
      expect(order).toEqual([
        ['approval.granted', 'architect'],
        ['agent.called', 'architect'],
        ['agent.called', 'developer'],
        ['agent.called', 'reviewer'],
      ]);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true, replans: 0 });
    },
  );

  it('produces the same facts as the dynamic mode while nothing fails', async () => {
    const inFixed = await play('straight', () => fixed());
    const inDynamic = await play('straight', () => fixed({}, dynamicProfile()));
    expect(inFixed.facts.length).toBeGreaterThan(10);
    expect(inFixed.facts).toEqual(inDynamic.facts);
  });

  scenario(
    'keeps its plan when an agent asks for another',
    () => {
      const setup = fixed({ developer: [requestReplan({ reason: 'Needs a migration' }, 'half')] });
      return { ...setup, options: { ...setup.options, planner: () => pipeline }, start: {} };
    },
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual(['planner', 'architect', 'developer', 'reviewer']);
      expect(factsOf('request.refused')).toMatchObject([{ limit: 0, bound: 'replan-limit' }]);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(report.steps[1]?.output).toBe('half');
    },
  );

  scenario(
    'fails when an agent does: dependents are skipped, and there is no replan',
    () => {
      const setup = fixed({ developer: [new Error('The build is broken')] });
      const policy = fixedProfile({ retry: { attempts: 1 } });
      return {
        ...setup,
        options: { ...setup.options, policy, planner: () => pipeline },
        start: {},
      };
    },
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual(['planner', 'architect', 'developer']);
      expect(factsOf('replan.started')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
      expect(report.steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'skipped']);
    },
  );

  scenario(
    'ends with a rejection, and no agent is called after it',
    () => ({ ...fixed(), onFact: rejecting }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('approval.rejected')).toMatchObject([
        { stepId: 'architect', reason: 'Too risky' },
      ]);
      expect(calledIn(facts)).toEqual([]);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'step-rejected: architect (architect)',
      });
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'rejected'],
        ['skipped', null],
        ['skipped', null],
      ]);
    },
  );

  scenario(
    'lets developer and reviewer alternate inside a step, with the reviewer as tester',
    () => {
      const setup = fixed({ developer: ['first version', 'second version'] });
      const reviewer = ({ step, cycle }: TestRequest) =>
        step.id === 'developer' && cycle === 0
          ? { passed: false, failures: ['No tests'], fixPlan: { steps: ['Write tests'] } }
          : { passed: true };
      return {
        ...setup,
        options: { ...setup.options, tester: reviewer },
        start: { plan: workflow('moderate', 'architect', 'developer') },
      };
    },
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map(({ key }) => key)).toEqual([
        'run/architect/1/worker.q1',
        'run/architect/1/tester',
        'run/developer/1/worker',
        'run/developer/1/tester',
        'run/developer/1/worker.fix1',
        'run/developer/1/tester.1',
      ]);
      expect(report.steps[1]?.output).toBe('second version');
      expect(report.metrics.fixCycles).toBe(1);
    },
  );
});
