import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { AgentCall } from '../../src/agents/agent.js';
import { requestReplan } from '../../src/agents/report.js';
import { scopeSchema } from '../../src/model/plan.js';
import { validatePlan } from '../../src/plan/validate.js';
import { scenario } from '../scenarios/harness.js';
import { steps } from '../scenarios/team.js';
import type { Role } from './002-team.js';
import { approving, calledIn, dynamicProfile, inOrder, toolkit, workflow } from './002-team.js';

/* Seed 002: what the planner is told, what it decides, and what agents pass on. */

describe('the planner', () => {
  scenario(
    'is told the issue, the team, the outputs, the request and the workflow so far',
    () => ({
      options: {
        agents: toolkit({
          analyst: [requestReplan({ reason: 'Add a design', agents: ['architect'] }, 'found')],
        }),
        planner: ({ goal, agents, completed, failed, pending, requests, limits }) => ({
          analysis: JSON.stringify({
            issue: goal,
            team: agents.map(({ name, description }) => `${name}: ${description}`),
            agentOutputs: completed,
            failed,
            currentWorkflow: pending,
            replanRequests: requests,
            limits: { maxSteps: limits.maxSteps, maxReplans: limits.maxReplans },
          }),
          steps: steps(...(requests.length === 0 ? inOrder('analyst', 'developer') : [])),
        }),
        policy: dynamicProfile(),
      },
      start: { goal: 'Add OAuth2 support' },
    }),
    ({ factsOf }) => {
      const [first, second] = factsOf('plan.proposed').map(
        ({ plan }) => JSON.parse(plan?.analysis ?? '') as unknown,
      );
      const always = {
        issue: 'Add OAuth2 support',
        team: [
          'analyst: The test agent analyst',
          'architect: The test agent architect',
          'developer: The test agent developer',
          'reviewer: The test agent reviewer',
          'security_reviewer: The test agent security_reviewer',
        ],
        failed: [],
        limits: { maxSteps: 15, maxReplans: 3 },
      };
      expect(first).toEqual({
        ...always,
        agentOutputs: [],
        currentWorkflow: [],
        replanRequests: [],
      });
      expect(second).toEqual({
        ...always,
        agentOutputs: [{ stepId: 'analyst', agent: 'analyst', output: 'found', isWhole: false }],
        currentWorkflow: [
          { stepId: 'developer', agent: 'developer', task: 'Do the work of step developer' },
        ],
        replanRequests: [
          {
            kind: 'requestReplan',
            stepId: 'analyst',
            agent: 'analyst',
            reason: 'Add a design',
            agents: ['architect'],
            confidence: null,
          },
        ],
      });
    },
  );

  scenario(
    'gives a reason for the plan and for every agent, and the history keeps them',
    () => ({
      options: {
        agents: toolkit(),
        planner: () => workflow('trivial', 'developer', 'reviewer'),
        policy: dynamicProfile(),
      },
      start: { goal: 'Fix typo in README.md' },
    }),
    ({ factsOf }) => {
      const [proposed] = factsOf('plan.proposed');
      expect(proposed).toMatchObject({ revision: 0, origin: 'planner' });
      expect(proposed?.plan?.analysis).toBe('A trivial issue for developer, reviewer');
      expect(proposed?.plan?.scope).toBe('trivial');
      expect(proposed?.plan?.steps.map(({ agent, reason }) => [agent, reason])).toEqual([
        ['developer', 'Always needed for code changes'],
        ['reviewer', 'Always needed after developer'],
      ]);
    },
  );

  it('decides on agents and reasons, not on limits or states, and cannot remove an approval', () => {
    const decided = validatePlan(
      {
        reasoning: 'dropped',
        replanned_count: 0,
        current_step_index: 1,
        steps: [
          {
            id: 'developer',
            agent: 'developer',
            task: 'Fix the typo in the README',
            reason: 'A small fix',
            status: 'completed',
            maxAttempts: 99,
          },
        ],
      },
      { agents: ['developer'], maxSteps: 15 },
    );
    expect(decided).toMatchObject({
      ok: true,
      plan: {
        analysis: '',
        steps: [
          {
            id: 'developer',
            agent: 'developer',
            task: 'Fix the typo in the README',
            dependsOn: [],
            complexity: 'medium',
            reason: 'A small fix',
            requiresApproval: false,
          },
        ],
      },
      warnings: Array.from(
        { length: 5 },
        () => expect.objectContaining({ code: 'unknown-key' }) as unknown,
      ),
    });
    expect(scopeSchema.options).toEqual(['trivial', 'simple', 'moderate', 'complex']);
  });
});

describe('the toolkit', () => {
  const analysisResult = z.object({
    findings: z.string(),
    scope_assessment: scopeSchema,
    recommended_agents: z.array(z.string()).default([]),
    relevant_files: z.array(z.string()).default([]),
    uncertainty_factors: z.array(z.string()).default([]),
  });

  const planOutput = {
    goal: 'Keep tokens out of the session',
    plan_markdown: '# Plan\n1. Move them',
  };
  const stream = {
    tool_calls: [
      { id: 1, tool: 'edit' },
      { id: 2, tool: 'test' },
    ],
    tool_results: [
      { id: 1, ok: true },
      { id: 2, ok: true },
    ],
  };

  scenario(
    'passes on: analysis to architect, goal and plan to developer, tool calls to reviewer',
    () => {
      const received: Partial<Record<Role, unknown>> = {};
      const receiving =
        (role: Role, output: unknown) =>
        ({ goal, dependencies }: AgentCall): unknown => {
          received[role] = { goal, dependencies };
          return role === 'reviewer' ? received : output;
        };
      const agents = toolkit({
        analyst: [receiving('analyst', { findings: 'Found it', scope_assessment: 'moderate' })],
        architect: [receiving('architect', planOutput)],
        developer: [receiving('developer', stream)],
        reviewer: [receiving('reviewer', null)],
      }).map((agent) => (agent.name === 'analyst' ? { ...agent, output: analysisResult } : agent));
      return {
        options: {
          agents,
          planner: () => workflow('moderate', 'analyst', 'architect', 'developer', 'reviewer'),
          policy: dynamicProfile(),
        },
        start: { goal: 'Add OAuth2 support' },
        onFact: approving,
      };
    },
    ({ report }) => {
      const analysed = {
        findings: 'Found it',
        scope_assessment: 'moderate',
        recommended_agents: [],
        relevant_files: [],
        uncertainty_factors: [],
      };
      const goal = 'Add OAuth2 support';
      const from = (role: Role, output: unknown) => ({
        goal,
        dependencies: [{ stepId: role, agent: role, output, isWhole: true }],
      });
      expect(report.steps.at(-1)?.output).toEqual({
        analyst: { goal, dependencies: [] },
        architect: from('analyst', analysed),
        developer: from('architect', planOutput),
        reviewer: from('developer', stream),
      });
      expect(report.steps[2]?.output).toEqual(stream);
    },
  );

  scenario(
    'must match its schemas: an analysis of unknown scope is a failure and leads to a replan',
    () => ({
      options: {
        agents: toolkit({ analyst: [{ findings: 'Hm', scope_assessment: 'gigantic' }] }).map(
          (agent) => (agent.name === 'analyst' ? { ...agent, output: analysisResult } : agent),
        ),
        planner: ({ failed }) =>
          failed.length === 0
            ? workflow('simple', 'analyst', 'developer')
            : workflow('simple', 'developer', 'reviewer'),
        policy: dynamicProfile({ retry: { attempts: 1 } }),
      },
    }),
    ({ report, facts }) => {
      expect(report.steps[0]).toMatchObject({
        id: 'analyst',
        status: 'failed',
        code: 'invalid-output',
        output: null,
      });
      expect(report.steps[0]?.reason).toContain('scope_assessment');
      expect(calledIn(facts)).toEqual(['planner', 'analyst', 'planner', 'developer', 'reviewer']);
    },
  );

  scenario(
    'is called by a custom driver where there is one',
    () => ({
      options: {
        agents: toolkit(),
        planner: () => workflow('trivial', 'developer', 'reviewer'),
        dispatcher: (agent, call) => `${agent.name} by remote control, ${call.key}`,
        policy: dynamicProfile(),
      },
    }),
    ({ report }) => {
      expect(report.steps.map(({ output }) => output)).toEqual([
        'developer by remote control, run/developer/1/worker',
        'reviewer by remote control, run/reviewer/1/worker',
      ]);
    },
  );
});
