import { describe, expect } from 'vitest';

import { handOff, requestReplan } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { plan as planOf } from '../plan/plans.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { scriptedAgent } from '../scenarios/scripted.js';
import {
  collaborating,
  FIRST_PLAN,
  route,
  TEAM,
  toFixer,
  toReviewer,
} from './000-collaboration.js';

/** The plan as the seed prints it, whenever a plan is adopted and at the end. */
const tablesOf = (facts: readonly Fact[]): string[][] => {
  const builder = createRecordBuilder();
  return facts.flatMap((fact) => {
    builder.add(fact);
    if (fact.type !== 'plan.adopted' && fact.type !== 'run.ended') return [];
    const { steps: all } = builder.record();
    return [all.map(({ agent, status }, index) => `Step ${index + 1}: ${agent} (${status})`)];
  });
};

describe('seed 000, the two modes', () => {
  scenario(
    'initial planning: the task is analysed, planned once, and goes to the first agent',
    () => {
      const { options } = collaborating({});
      const first = { ...planOf(...FIRST_PLAN), analysis: 'A login form', scope: 'moderate' };
      const planner = plannerInTurn((request: { readonly goal: string }) => ({
        ...first,
        analysis: `${first.analysis}: ${request.goal}`,
      }));
      return { options: { ...options, planner }, start: { goal: 'Build the login' } };
    },
    (result) => {
      const { facts, factsOf } = result;
      const until = facts.findIndex(({ type }) => type === 'step.started');
      expect(facts.slice(0, until + 1).map(({ type }) => type)).toEqual([
        'run.started',
        'phase.entered',
        'agent.called',
        'agent.answered',
        'plan.proposed',
        'plan.adopted',
        'phase.entered',
        'step.started',
      ]);
      expect(factsOf('phase.entered').map(({ phase }) => phase)).toEqual([
        'planning',
        'executing',
        'windingDown',
      ]);
      expect(factsOf('plan.proposed')).toMatchObject([
        {
          origin: 'planner',
          plan: { analysis: 'A login form: Build the login', scope: 'moderate' },
        },
      ]);
      expect(facts[until]).toMatchObject({ stepId: 'design', agent: 'architect' });
      expect(route(result)).toEqual(['architect', 'codesmith', 'reviewer']);
    },
  );

  scenario(
    're-planning: every effect of a hand-off is a fact, in order, and the planner is not called again',
    () => {
      const { options } = collaborating({ reviewer: [toFixer] });
      return { options: { ...options, planner: plannerInTurn(['reviewer:review']) }, start: {} };
    },
    ({ facts, factsOf, report }) => {
      const from = facts.findIndex(({ type }) => type === 'step.completed');
      expect(facts.slice(from - 1)).toMatchObject([
        { type: 'agent.answered', agent: 'reviewer', report: 'handOff', output: 'One bug' },
        { type: 'step.completed', stepId: 'review', agent: 'reviewer' },
        { type: 'plan.proposed', origin: 'handOff', revision: 1 },
        { type: 'plan.adopted', revision: 1, steps: [{ id: 'fixer_rp1', agent: 'fixer' }] },
        { type: 'step.started', stepId: 'fixer_rp1', agent: 'fixer' },
        { type: 'agent.called', agent: 'fixer' },
        { type: 'agent.answered', agent: 'fixer', report: 'done' },
        { type: 'step.completed', stepId: 'fixer_rp1' },
        { type: 'phase.entered', phase: 'windingDown' },
        { type: 'run.ended', status: 'completed', reason: 'all-steps-completed' },
      ]);
      expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(1);
      expect(factsOf('phase.entered').map(({ phase }) => phase)).not.toContain('replanning');
      expect(report.replans).toBe(1);
    },
  );

  scenario(
    'a request for a plan, not for an agent, goes to the planner before the next pending step',
    () => {
      const request = requestReplan({ reason: 'The API is new', agents: ['research'] }, 'Half');
      const { options } = collaborating({ codesmith: [request, 'Implemented'] });
      const planner = plannerInTurn(FIRST_PLAN, ['research:api', 'codesmith:again<api']);
      return { options: { ...options, planner }, start: {} };
    },
    (result) => {
      const told = toldBy(result.factsOf);
      expect(told).toHaveLength(2);
      expect(told[1]).toMatchObject({
        pending: ['review'],
        requests: ['requestReplan of implement: The API is new (research)'],
      });
      expect(route(result)).toEqual([
        'architect',
        'codesmith',
        'research',
        'codesmith',
        'reviewer',
      ]);
      expect(result.factsOf('phase.entered').map(({ phase }) => phase)).toEqual([
        'planning',
        'executing',
        'draining',
        'replanning',
        'executing',
        'windingDown',
      ]);
    },
  );
});

describe('seed 000, the complete collaboration cycle', () => {
  scenario(
    'review, fix, re-review: the plan grows to four and to five steps and ends',
    () => collaborating({ reviewer: [toFixer, 'Approved'], fixer: [toReviewer] }),
    ({ facts, factsOf, report }) => {
      const done3 = [
        'Step 1: architect (completed)',
        'Step 2: codesmith (completed)',
        'Step 3: reviewer (completed)',
      ];
      expect(tablesOf(facts)).toEqual([
        [
          'Step 1: architect (pending)',
          'Step 2: codesmith (pending)',
          'Step 3: reviewer (pending)',
        ],
        [...done3, 'Step 4: fixer (pending)'],
        [...done3, 'Step 4: fixer (completed)', 'Step 5: reviewer (pending)'],
        [...done3, 'Step 4: fixer (completed)', 'Step 5: reviewer (completed)'],
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 2, allSucceeded: true });
      expect(report.steps.map(({ output }) => output)).toEqual([
        'architect is done',
        'codesmith is done',
        'One bug',
        'Fixed',
        'Approved',
      ]);
      // Without a new graph: one run, one start, and every step in the original slot.
      expect(factsOf('run.started')).toHaveLength(1);
      expect(new Set(factsOf('step.started').map(({ slot }) => slot))).toEqual(new Set(['slot-0']));
    },
  );

  scenario(
    'calls no member of the team without a step',
    () => collaborating({ reviewer: [toFixer, 'Approved'], fixer: [toReviewer] }),
    ({ factsOf, report }) => {
      expect(factsOf('run.started')).toMatchObject([{ agents: [...TEAM] }]);
      expect(factsOf('agent.called').map(({ agent }) => agent)).toEqual([
        'architect',
        'codesmith',
        'reviewer',
        'fixer',
        'reviewer',
      ]);
      expect(report.metrics.agents).not.toHaveProperty('research');
    },
  );
});

describe('seed 000, the test list', () => {
  scenario(
    'single collaboration: review, fix, end',
    () => collaborating({ reviewer: [toFixer] }, ['reviewer:review']),
    (result) => {
      expect(route(result)).toEqual(['reviewer', 'fixer']);
      expect(result.report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'multiple cycles: review, fix, review, fix, review, end',
    () =>
      collaborating({ reviewer: [toFixer, toFixer, 'Approved'], fixer: [toReviewer] }, [
        'reviewer:review',
      ]),
    (result) => {
      expect(route(result)).toEqual(['reviewer', 'fixer', 'reviewer', 'fixer', 'reviewer']);
      expect(result.report).toMatchObject({ status: 'completed', replans: 4 });
      expect(result.report.steps.at(-1)?.output).toBe('Approved');
    },
  );

  scenario(
    'different agents: CodeSmith, research, CodeSmith',
    () =>
      collaborating(
        {
          codesmith: [handOff({ agent: 'research', task: 'Research API docs' }), 'Implemented'],
          research: [handOff({ agent: 'codesmith', task: 'Go on with the API docs' }, 'The docs')],
        },
        ['codesmith:implement'],
      ),
    (result) => {
      expect(route(result)).toEqual(['codesmith', 'research', 'codesmith']);
      expect(result.report.steps.map(({ task, output }) => [task, output])).toEqual([
        ['Do the work of step implement', null],
        ['Research API docs', 'The docs'],
        ['Go on with the API docs', 'Implemented'],
      ]);
    },
  );

  scenario(
    'nested: architect, CodeSmith, review, fix, review, each requested by the one before',
    () =>
      collaborating(
        {
          architect: [handOff({ agent: 'codesmith', task: 'Implement the design' })],
          codesmith: [handOff({ agent: 'reviewer', task: 'Review the code' })],
          reviewer: [toFixer, 'Approved'],
          fixer: [toReviewer],
        },
        ['architect:design'],
      ),
    (result) => {
      expect(route(result)).toEqual(['architect', 'codesmith', 'reviewer', 'fixer', 'reviewer']);
      expect(result.report).toMatchObject({ status: 'completed', replans: 4 });
      expect(result.report.originalPlan?.steps).toHaveLength(1);
      expect(result.report.finalPlan?.steps).toHaveLength(5);
    },
  );
});

describe('seed 000, errors', () => {
  scenario(
    'an unknown agent causes a refusal and no step, and the workflow continues',
    () => collaborating({ codesmith: [handOff({ agent: 'security', task: 'Audit it' }, 'Code')] }),
    (result) => {
      expect(result.factsOf('request.refused')).toMatchObject([
        { what: 'handOff', agent: 'codesmith', bound: 'unknown-agent' },
      ]);
      expect(result.factsOf('plan.adopted')).toHaveLength(1);
      expect(route(result)).toEqual(['architect', 'codesmith', 'reviewer']);
      expect(result.report).toMatchObject({ status: 'completed', replans: 0 });
      expect(result.report.steps[1]?.output).toBe('Code');
    },
  );

  scenario(
    'an agent that joins during a run is not in its team',
    () => {
      const { options, start = {} } = collaborating({});
      const agents = [...options.agents];
      const recruits = (): unknown => {
        agents.push(scriptedAgent('security', 'Audited'));
        return handOff({ agent: 'security', task: 'Audit the design' }, 'Designed');
      };
      agents[0] = scriptedAgent('architect', recruits);
      return { options: { ...options, agents }, start };
    },
    (result) => {
      expect(result.factsOf('request.refused')).toMatchObject([
        { bound: 'unknown-agent', reason: 'Hand-off to security: Audit the design' },
      ]);
      expect(route(result)).toEqual(['architect', 'codesmith', 'reviewer']);
    },
  );

  scenario(
    'a request without an agent or a query is invalid: nothing is guessed, and other agents continue',
    () =>
      collaborating({
        architect: [handOff({ agent: '', task: 'Continue work' })],
        codesmith: [handOff({ agent: 'fixer', task: '' })],
      }),
    (result) => {
      expect(result.factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['design', 'invalid-output'],
        ['implement', 'invalid-output'],
      ]);
      expect(result.factsOf('plan.adopted')).toHaveLength(1);
      expect(route(result)).toEqual(['architect', 'codesmith', 'reviewer']);
      expect(result.report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 0 });
    },
  );
});
