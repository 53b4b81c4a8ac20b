import { describe, expect, it } from 'vitest';

import { done, requestReplan } from '../../src/agents/report.js';
import type { Fact, FactType } from '../../src/model/facts.js';
import type { Scope } from '../../src/model/plan.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import type { Role } from './002-team.js';
import {
  approving,
  calledIn,
  dynamicProfile,
  fixedProfile,
  inOrder,
  toolkit,
  workflow,
} from './002-team.js';

/* Seed 002, "Dynamic Orchestration Design": its profile, its routes and its three examples. */

describe('the profile of the seed', () => {
  it('has its numbers: architect, trivial, 3 replans, 0.7, 2000 tokens', () => {
    const { limits, failure, approval, context } = dynamicProfile();
    expect(limits.maxReplans).toBe(3);
    expect(failure.onStepFailure).toBe('replan');
    expect(approval).toMatchObject({
      agents: ['architect'],
      autoApproveTrivial: true,
      confidenceBelow: 0.7,
    });
    expect(context.maxOutputTokens).toBe(2_000);
  });

  it('has a fixed mode that never replans, over the same options', () => {
    expect(fixedProfile().limits.maxReplans).toBe(0);
    expect(fixedProfile().approval.agents).toEqual(dynamicProfile().approval.agents);
  });

  it('accepts the settings of another profile, and refuses invalid ones', () => {
    const { approval } = dynamicProfile({
      approval: { agents: ['developer'], confidenceBelow: 0.9, autoApproveTrivial: false },
    });
    expect(approval).toMatchObject({
      agents: ['developer'],
      confidenceBelow: 0.9,
      autoApproveTrivial: false,
    });
    expect(() => dynamicProfile({ approval: { confidenceBelow: 1.1 } })).toThrow(
      'approval.confidenceBelow',
    );
    expect(() => dynamicProfile({ limits: { maxReplans: Number.POSITIVE_INFINITY } })).toThrow(
      'limits.maxReplans',
    );
  });
});

interface Route {
  readonly issue: string;
  readonly scope: Scope;
  readonly agents: readonly Role[];
  /** The steps that need approval. */
  readonly approvals: readonly string[];
}

/** An issue whose pipeline the planner composed, without a failure. */
const route = (title: string, { issue, scope, agents, approvals }: Route): void =>
  scenario(
    title,
    () => ({
      options: {
        agents: toolkit(),
        planner: () => workflow(scope, ...agents),
        policy: dynamicProfile(),
      },
      start: { goal: issue },
      onFact: approving,
    }),
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual(['planner', ...agents]);
      expect(factsOf('approval.requested').map(({ stepId }) => stepId)).toEqual(approvals);
      expect(report).toMatchObject({ goal: issue, status: 'completed', replans: 0 });
      expect(report.steps.map(({ output }) => output)).toEqual(
        agents.map((agent) => `${agent} did ${agent}`),
      );
    },
  );

describe('the routes of the planner', () => {
  route('a trivial fix needs developer and reviewer, and no approval', {
    issue: 'Fix typo in README.md',
    scope: 'trivial',
    agents: ['developer', 'reviewer'],
    approvals: [],
  });

  route('a bug is investigated first: analyst, developer, reviewer', {
    issue: 'Login fails intermittently',
    scope: 'simple',
    agents: ['analyst', 'developer', 'reviewer'],
    approvals: [],
  });

  route('a bug that needs a design goes to all four, and a person sees the design', {
    issue: 'Sessions are lost when a server restarts',
    scope: 'moderate',
    agents: ['analyst', 'architect', 'developer', 'reviewer'],
    approvals: ['architect'],
  });

  route('a clear feature needs no analyst: architect, developer, reviewer', {
    issue: 'Add an export of all invoices as CSV',
    scope: 'moderate',
    agents: ['architect', 'developer', 'reviewer'],
    approvals: ['architect'],
  });

  route('a security-sensitive change gets a reviewer of its own kind', {
    issue: 'Rotate the signing keys',
    scope: 'complex',
    agents: ['architect', 'developer', 'security_reviewer', 'reviewer'],
    approvals: ['architect'],
  });

  scenario(
    'lead only to existing agents: without a security reviewer the planner is told which agents exist',
    () => ({
      options: {
        agents: toolkit().filter(({ name }) => name !== 'security_reviewer'),
        planner: plannerInTurn(
          inOrder('developer', 'security_reviewer'),
          inOrder('developer', 'reviewer'),
        ),
        policy: dynamicProfile(),
      },
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        {
          by: 'validation',
          issues: [
            {
              code: 'unknown-agent',
              message:
                'Unknown agent "security_reviewer"; known agents: analyst, architect, developer, reviewer',
            },
          ],
        },
      ]);
      expect(toldBy(factsOf)[1]?.issues).toEqual(['unknown-agent at steps[1].agent']);
      expect(calledIn(facts)).toEqual(['planner', 'planner', 'developer', 'reviewer']);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'may be empty: a workflow without steps completes immediately',
    () => ({
      options: {
        agents: toolkit(),
        planner: () => ({ steps: [] }),
        policy: dynamicProfile(),
      },
    }),
    ({ report, facts }) => {
      expect(calledIn(facts)).toEqual(['planner']);
      expect(report).toMatchObject({ status: 'completed', reason: 'empty-plan' });
    },
  );
});

const analysis = {
  findings: 'Tokens are kept in the session and never checked',
  scope_assessment: 'complex',
  recommended_agents: ['security_reviewer'],
  relevant_files: ['src/login.ts', 'src/session.ts'],
};

/** "Add OAuth2 support": the analyst finds that the scope is complex and requests a security review. */
const oauth2 = (): ScenarioSetup => ({
  options: {
    agents: toolkit({
      analyst: [
        requestReplan(
          { reason: 'Scope is complex, need security review', agents: ['security_reviewer'] },
          analysis,
          { confidence: 0.9 },
        ),
      ],
    }),
    planner: plannerInTurn(inOrder('analyst', 'architect', 'developer', 'reviewer'), [
      'architect:architect<analyst',
      ...inOrder('architect', 'developer', 'security_reviewer', 'reviewer').slice(1),
    ]),
    policy: dynamicProfile(),
  },
  start: { goal: 'Add OAuth2 support' },
  at: { 500: (control) => control.approve('architect_rp1:1.1', 'Good design') },
});

/** The history of the seed: what was planned, requested, approved, started and ended. */
const TOLD: ReadonlySet<FactType> = new Set([
  'phase.entered',
  'plan.adopted',
  'replan.requested',
  'approval.requested',
  'approval.granted',
  'step.started',
  'step.completed',
  'step.skipped',
  'run.ended',
]);

const lineOf = (fact: Fact): string => {
  if ('phase' in fact) return `${fact.type} ${fact.phase}`;
  if ('revision' in fact) return `${fact.type} ${fact.revision}`;
  if ('status' in fact) return `${fact.type} ${fact.status}`;
  return `${fact.type} ${'stepId' in fact ? (fact.stepId ?? '') : ''}`;
};

describe('the complex feature with a replan', () => {
  scenario(
    'follows the path of the seed: analyst, replan, approval, architect, developer, security reviewer, reviewer',
    oauth2,
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual([
        'planner',
        'analyst',
        'planner',
        'architect',
        'developer',
        'security_reviewer',
        'reviewer',
      ]);
      expect(factsOf('approval.requested')).toEqual([
        {
          type: 'approval.requested',
          requestId: 'architect_rp1:1.1',
          stepId: 'architect_rp1',
          question: 'The policy asks for approval before architect starts',
          payload: 'Do the work of step architect',
        },
      ]);
      const calls = facts.filter((fact) => fact.type === 'agent.called');
      expect(calls.map(({ at }) => at)).toEqual([0, 0, 0, 500, 500, 500, 500]);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true, replans: 1 });
      expect(report.finalPlan?.steps.map(({ id }) => id)).toEqual([
        'analyst',
        'architect_rp1',
        'developer_rp1',
        'security_reviewer_rp1',
        'reviewer_rp1',
      ]);
    },
  );

  scenario(
    'tells the planner what was found, what is left, which agent asks and for which agents',
    oauth2,
    ({ factsOf }) => {
      expect(factsOf('replan.requested')).toEqual([
        {
          type: 'replan.requested',
          parentStepId: null,
          kind: 'requestReplan',
          stepId: 'analyst',
          agent: 'analyst',
          reason: 'Scope is complex, need security review',
          agents: ['security_reviewer'],
          confidence: 0.9,
        },
      ]);
      expect(toldBy(factsOf)).toEqual([
        { revision: 0, completed: [], failed: [], pending: [], requests: [], issues: [] },
        {
          revision: 1,
          completed: [`analyst = ${JSON.stringify(analysis)}`],
          failed: [],
          pending: ['architect', 'developer', 'reviewer'],
          requests: [
            'requestReplan of analyst: Scope is complex, need security review (security_reviewer)',
          ],
          issues: [],
        },
      ]);
    },
  );

  scenario(
    'is complete in its history: every plan, request, approval and end, in order',
    oauth2,
    ({ facts }) => {
      const story = facts.filter(({ type }) => TOLD.has(type)).map(lineOf);
      expect(story).toEqual([
        'phase.entered planning',
        'plan.adopted 0',
        'phase.entered executing',
        'step.started analyst',
        'step.completed analyst',
        'replan.requested analyst',
        'phase.entered draining',
        'phase.entered replanning',
        'plan.adopted 1',
        'step.skipped architect',
        'step.skipped developer',
        'step.skipped reviewer',
        'phase.entered executing',
        'step.started architect_rp1',
        'approval.requested architect_rp1',
        'approval.granted architect_rp1',
        'step.completed architect_rp1',
        'step.started developer_rp1',
        'step.completed developer_rp1',
        'step.started security_reviewer_rp1',
        'step.completed security_reviewer_rp1',
        'step.started reviewer_rp1',
        'step.completed reviewer_rp1',
        'phase.entered windingDown',
        'run.ended completed',
      ]);
    },
  );
});

describe('the analyst', () => {
  /** The node of the seed: it requests an architect when the scope is complex and none is planned. */
  const assessing = (...planned: readonly Role[]): ScenarioSetup => ({
    options: {
      agents: toolkit({
        analyst: [
          ({ summary }: { readonly summary: string }) =>
            summary.includes('architect')
              ? done(analysis)
              : requestReplan(
                  {
                    reason: 'Scope is complex, recommend adding architect',
                    agents: ['architect'],
                  },
                  analysis,
                ),
        ],
      }),
      planner: ({ requests }) =>
        requests.some(({ agents }) => agents.includes('architect'))
          ? workflow('complex', 'architect', 'developer', 'reviewer')
          : workflow('complex', ...planned),
      policy: dynamicProfile(),
    },
    onFact: approving,
  });

  scenario(
    'gets an architect when the scope is complex and none is planned',
    () => assessing('analyst', 'developer', 'reviewer'),
    ({ report, facts }) => {
      expect(calledIn(facts)).toEqual([
        'planner',
        'analyst',
        'planner',
        'architect',
        'developer',
        'reviewer',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(report.steps[0]).toMatchObject({ id: 'analyst', output: analysis });
    },
  );

  scenario(
    'requests nothing when the architect is on the plan',
    () => assessing('analyst', 'architect', 'developer', 'reviewer'),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested')).toEqual([]);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(report.steps[0]?.output).toEqual(analysis);
    },
  );
});
