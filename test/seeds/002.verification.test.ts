import { describe, expect } from 'vitest';

import type { ReviewRequest } from '../../src/agents/roles.js';
import type { Verdict } from '../../src/agents/verdict.js';
import type { Plan, Scope } from '../../src/model/plan.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { approving, calledIn, dynamicProfile, eachRound, toolkit, workflow } from './002-team.js';

/* Seed 002: a plan is verified before the developer executes it. */

describe('plan verification', () => {
  const codebase = ['src/login.ts', 'src/session.ts'];

  /** The three checks of the seed: a clear goal, files that exist, a scope that matches the complexity. */
  const violationsOf = ({ goal, plan }: ReviewRequest): string[] => {
    const tasks = plan?.steps ?? [];
    const files = tasks.flatMap(({ task }) => task.match(/src\/\w+\.ts/g) ?? []);
    const isMismatch =
      plan?.scope === 'trivial' && tasks.some(({ complexity }) => complexity === 'complex');
    return [
      ...(goal.split(' ').length < 3 ? ['The goal is not clear'] : []),
      ...files.filter((file) => !codebase.includes(file)).map((file) => `${file} does not exist`),
      ...(isMismatch ? ['The scope does not match the complexity'] : []),
    ];
  };

  const verifyPlan = (request: ReviewRequest): Verdict => {
    const issues = violationsOf(request);
    return {
      score: issues.length === 0 ? 100 : 60,
      issues,
      feedback: issues.length === 0 ? '' : `Use ${codebase.join(' or ')}`,
    };
  };

  const planTouching = (file: string, scope: Scope): Plan => ({
    ...workflow(scope, 'developer', 'reviewer'),
    steps: workflow(scope, 'developer', 'reviewer').steps.map((step) => ({
      ...step,
      task: `Look after ${file} as the ${step.agent}`,
      complexity: 'complex',
    })),
  });

  scenario(
    'comes before the developer: violations and suggested fixes reject the plan, the next one runs',
    () => ({
      options: {
        agents: toolkit(),
        planner: plannerInTurn(
          planTouching('src/oauth.ts', 'trivial'),
          planTouching('src/login.ts', 'complex'),
        ),
        supervisor: verifyPlan,
        policy: dynamicProfile({ gates: { plan: 70 } }),
      },
      start: { goal: 'Add OAuth2 support' },
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('verdict.given')).toMatchObject([
        {
          subject: 'plan',
          passed: false,
          issues: [
            'src/oauth.ts does not exist',
            'src/oauth.ts does not exist',
            'The scope does not match the complexity',
          ],
          feedback: 'Use src/login.ts or src/session.ts',
        },
        { subject: 'plan', passed: true, issues: [] },
      ]);
      expect(factsOf('plan.rejected')).toMatchObject([{ by: 'supervisor', revision: 0 }]);
      expect(calledIn(facts)).toEqual([
        'planner',
        'supervisor',
        'planner',
        'supervisor',
        'developer',
        'reviewer',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'of an unclear goal always fails: three more plans, and no agent is called',
    () => ({
      options: {
        agents: toolkit(),
        planner: eachRound('developer', 'reviewer'),
        supervisor: verifyPlan,
        policy: dynamicProfile({ gates: { plan: 70 } }),
      },
      start: { goal: 'Improve' },
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('verdict.given').map(({ issues }) => issues)).toEqual(
        Array.from({ length: 4 }, () => ['The goal is not clear']),
      );
      expect(new Set(calledIn(facts))).toEqual(new Set(['planner', 'supervisor']));
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
        replans: 3,
      });
    },
  );

  scenario(
    'of the architect’s plan comes before the developer too, and its reason reaches the planner',
    () => ({
      options: {
        agents: toolkit({ architect: ['Do something', 'Move the tokens out of src/session.ts'] }),
        planner: (request) => ({
          ...eachRound('architect', 'developer')(request),
          analysis: request.requests.map(({ kind, reason }) => `${kind}: ${reason}`).join(),
        }),
        supervisor: ({ results: [result] }) =>
          result?.output === 'Do something'
            ? { score: 40, issues: ['Not actionable'], feedback: 'Name the files' }
            : { score: 90 },
        policy: dynamicProfile({ gates: { step: 70 } }),
      },
      onFact: approving,
    }),
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual([
        'planner',
        'architect',
        'supervisor',
        'planner',
        'architect',
        'supervisor',
        'developer',
        'supervisor',
      ]);
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe(
        'stepFailed: Score 40: Name the files',
      );
      expect(report).toMatchObject({ status: 'completed', replans: 1, failedSteps: ['architect'] });
    },
  );
});
