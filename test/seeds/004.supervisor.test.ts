import { describe, expect } from 'vitest';

import type { Supervisor } from '../../src/agents/roles.js';
import { blocked } from '../../src/agents/report.js';
import type { Verdict } from '../../src/agents/verdict.js';
import type { FactBody, FactType } from '../../src/model/facts.js';
import { presets } from '../../src/policy/presets.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { feedbackTexts, inTurn } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { callsIn, judging, teamOf } from './004-team.js';

/* Seed 004: what the supervisor is shown, who receives its feedback, and the order of the effects. */

/** Answers with what it was told. */
const listening = (): TestAgent => agentNamed('coder', feedbackTexts);

const oneStep = () => ({ steps: steps('coder:s1') });

describe('the feedback of the supervisor of seed 004', () => {
  scenario(
    'about a plan reaches the planner: its feedback as the reason, its issues as issues',
    () => ({
      options: teamOf({
        planner: plannerInTurn(
          ['coder:s1'],
          ({ requests, issues }: { requests: unknown; issues: unknown }) => ({
            analysis: JSON.stringify({ requests, issues }),
            steps: steps('coder:s2'),
          }),
        ),
        supervisor: inTurn(
          { score: 69, feedback: 'Too vague', issues: ['No tests', 'No end'] },
          { score: 90 },
        ) as never,
      }),
    }),
    ({ factsOf, report }) => {
      const issues = ['No tests', 'No end'].map((message) => ({
        code: 'refused-by-supervisor',
        path: '',
        message,
      }));
      const heard = JSON.parse(factsOf('plan.proposed')[1]?.plan?.analysis ?? '') as unknown;
      expect(heard).toMatchObject({
        requests: [{ kind: 'planRejected', reason: 'Score 69: Too vague' }],
        issues,
      });
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'supervisor', reason: 'Score 69: Too vague', issues },
      ]);
      expect(report.successfulSteps).toEqual(['s2']);
    },
  );

  scenario(
    'about a plan is dropped when the next one is refused for another reason',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['nobody:s2'], ['coder:s3']),
        supervisor: inTurn({ score: 69, issues: ['No tests'] }, { score: 90 }) as never,
      }),
    }),
    ({ factsOf }) => {
      expect(factsOf('plan.rejected').map(({ issues }) => issues.map(({ code }) => code))).toEqual([
        ['refused-by-supervisor'],
        ['unknown-agent'],
      ]);
      expect(toldBy(factsOf)[2]?.issues).toEqual(['unknown-agent at steps[0].agent']);
    },
  );

  scenario(
    'about the goal reaches the planner, with the issues as a list',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['coder:s2']),
        supervisor: ({ subject, results }) =>
          subject === 'goal' && results.length === 1
            ? { score: 79, feedback: 'Nearly', issues: ['No docs', 'No tests'] }
            : { score: 90 },
      }),
    }),
    ({ factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual([
        'goalNotAchieved of the plan: Nearly\n- No docs\n- No tests',
      ]);
    },
  );

  scenario(
    'about the code reaches the coder, with the issues as a list',
    () => ({
      options: teamOf({
        agents: [listening()],
        planner: oneStep,
        supervisor: inTurn(
          { score: 90 },
          { score: 59, feedback: 'Not yet', issues: ['There are no tests', 'x is no name'] },
          { score: 59, issues: ['There are no tests'] },
          { score: 90 },
        ) as never,
      }),
    }),
    ({ report, factsOf }) => {
      expect(report.steps[0]?.output).toEqual([
        'supervisor: Not yet\n- There are no tests\n- x is no name',
        'supervisor: - There are no tests',
      ]);
      expect(factsOf('step.retried').map(({ reason }) => reason)).toEqual([
        'Score 59: Not yet',
        'Score 59',
      ]);
    },
  );
});

describe('the request to the supervisor of seed 004', () => {
  const shown: Supervisor = ({ subject, tests }) => ({
    score: 90,
    feedback: `${subject}: ${JSON.stringify(tests)}`,
  });
  const feedbackIn = (
    factsOf: <Type extends FactType>(...types: Type[]) => FactBody<Type>[],
  ): string[] => factsOf('verdict.given').map(({ feedback }) => feedback);

  scenario(
    'about a step has the tester’s last answer, word for word',
    () => ({
      options: teamOf({
        planner: oneStep,
        tester: ({ cycle }) => ({
          passed: cycle > 0,
          failures: cycle > 0 ? [] : ['adds wrong'],
          coverage: `9${cycle} %`,
        }),
        supervisor: shown,
      }),
    }),
    ({ factsOf }) => {
      expect(feedbackIn(factsOf)).toEqual([
        'plan: null',
        'code: null',
        'step: {"passed":true,"failures":[],"coverage":"91 %"}',
        'goal: null',
      ]);
    },
  );

  scenario(
    'about a step has no test results where there is no tester',
    () => ({
      options: {
        agents: [listening()],
        planner: oneStep,
        supervisor: shown,
        policy: presets.supervised(),
      },
    }),
    ({ factsOf }) => {
      expect(feedbackIn(factsOf)).toContain('step: null');
    },
  );
});

describe('a verdict of seed 004 moves the escalation ladder before it has other effects', () => {
  const issue: Verdict = { score: 80, issues: ['Vague'] };
  const abortAtFour = presets.supervised({
    escalation: { issues: { correct: 1, refocus: 2, critical: 3, abort: 4 } },
  });

  scenario(
    'on an accepted plan: its first step has no reminder of the rejected plan',
    () => ({
      options: teamOf({
        agents: [listening()],
        planner: plannerInTurn(['coder:s1'], ['coder:s2']),
        supervisor: judging({ plan: [69, 70] }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(report.steps[0]?.output).toEqual([]);
      const order = factsOf('verdict.given', 'escalation.changed', 'plan.rejected', 'plan.adopted');
      expect(order.slice(0, 6).map(({ type }) => type)).toEqual([
        'verdict.given',
        'escalation.changed',
        'plan.rejected',
        'verdict.given',
        'escalation.changed',
        'plan.adopted',
      ]);
    },
  );

  scenario(
    'that confirms the goal',
    () => ({
      options: teamOf({
        planner: oneStep,
        supervisor: ({ subject }) => (subject === 'goal' ? { score: 90 } : issue),
      }),
    }),
    ({ report }) => {
      expect(report.escalations.map(({ to }) => to)).toEqual(['correct', 'refocus', 'none']);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
    },
  );

  scenario(
    'that confirms the goal with the fifth issue in a row: the run is aborted',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
        supervisor: ({ subject }) => (subject === 'plan' ? { score: 90 } : issue),
      }),
    }),
    ({ report, facts }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
      expect(report.successfulSteps).toEqual(['s1', 's2']);
      expect(facts.at(-1)?.type).toBe('run.ended');
    },
  );

  scenario(
    'on a plan accepted with an issue too many: no step of it starts',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['coder:s2'], ['coder:s3'], ['coder:s4']),
        supervisor: inTurn({ score: 69 }, { score: 69 }, { score: 69 }, issue) as never,
        policy: abortAtFour,
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').at(-1)).toMatchObject({ subject: 'plan', passed: true });
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation', replans: 3 });
      expect(factsOf('step.started')).toEqual([]);
    },
  );

  scenario(
    'on a sub-plan accepted with an issue too many: no step of it starts',
    () => ({
      options: teamOf({
        agents: [agentNamed('coder', ({ step }) => (step.id === 's3' ? blocked('No') : 'x'))],
        planner: ({ depth }) => ({
          steps: depth === 0 ? steps('coder:s1', 'coder:s2<s1', 'coder:s3<s2') : steps('coder:x'),
        }),
        supervisor: ({ subject, depth }) =>
          subject === 'plan' && depth === 0 ? { score: 90 } : issue,
      }),
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
      expect(report.successfulSteps).toEqual(['s1', 's2']);
      expect(callsIn(factsOf).at(-1)).toBe('s3/plan/supervisor.plan.1');
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['s1', 's2', 's3']);
    },
  );

  scenario(
    'on a step that passed its gate: the step is completed, even when its verdict ends the run',
    () => ({ options: teamOf({ supervisor: () => issue }) }),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').at(-1)).toMatchObject({ subject: 'step', passed: true });
      expect(report.successfulSteps).toEqual(['s1', 's2']);
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation', durationMs: 0 });
      expect(callsIn(factsOf).at(-1)).toBe('s2/1/supervisor.step');
    },
  );

  scenario(
    'on a step of a sub-plan: the step is completed, and nothing follows',
    () => ({
      options: teamOf({
        agents: [agentNamed('coder', ({ step }) => (step.id === 's1' ? blocked('No') : 'x'))],
        planner: ({ depth }) => ({
          steps: depth === 0 ? steps('coder:s1') : steps('coder:x', 'coder:y', 'coder:z'),
        }),
        supervisor: ({ subject }) => (subject === 'plan' ? { score: 90 } : issue),
        policy: abortAtFour,
      }),
    }),
    ({ report, factsOf }) => {
      expect(report.successfulSteps).toEqual(['s1/x', 's1/y']);
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation', durationMs: 0 });
      expect(callsIn(factsOf).at(-1)).toBe('s1/y/1/supervisor.step');
    },
  );
});
