import { describe, expect } from 'vitest';

import { blocked, handOff } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { Policy } from '../../src/model/policy.js';
import type { Behaviours } from './by-step.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { plannerInTurn } from './planners.js';
import { agentNamed, steps } from './team.js';

const toFixer = (output?: unknown) =>
  handOff({ agent: 'fixer', task: 'Fix the SQL injection' }, output);
const toReviewer = (output?: unknown) =>
  handOff({ agent: 'reviewer', task: 'Review the fix once more' }, output);

/** The team of seed 000: a reviewer and a fixer that hand off to each other. */
const collaborating = (
  { worker = {}, reviewer = {}, fixer = {} }: Readonly<Record<string, Behaviours>>,
  plan: readonly string[],
  policy: Policy = presets.collaborative(),
): ScenarioSetup => ({
  options: {
    agents: [workerBy(worker), workerBy(reviewer, 'reviewer'), workerBy(fixer, 'fixer')],
    policy,
  },
  start: { plan: { steps: steps(...plan) } },
});

describe('a hand-off', () => {
  scenario(
    'adds one step for the other agent without calling the planner: review, fix, end',
    () => collaborating({ reviewer: { review: toFixer({ bugs: 1 }) } }, ['a', 'reviewer:review<a']),
    ({ report, factsOf }) => {
      expect(factsOf('plan.proposed')[1]).toEqual({
        type: 'plan.proposed',
        parentStepId: null,
        revision: 1,
        origin: 'handOff',
        plan: {
          analysis: '',
          steps: [
            {
              id: 'fixer',
              agent: 'fixer',
              task: 'Fix the SQL injection',
              dependsOn: ['review'],
              complexity: 'medium',
              requiresApproval: false,
            },
          ],
        },
        message: 'PLAN_RESPONSE',
      });
      expect(factsOf('plan.adopted')[1]).toMatchObject({
        revision: 1,
        steps: [
          { id: 'fixer_rp1', agent: 'fixer', task: 'Fix the SQL injection', dependsOn: ['review'] },
        ],
        replaced: [],
      });
      expect(factsOf('agent.called').map(({ role }) => role)).not.toContain('planner');
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['a', 'did a'],
        ['review', { bugs: 1 }],
        ['fixer_rp1', 'did fixer_rp1'],
      ]);
    },
  );

  scenario(
    'goes back and forth until the reviewer is satisfied',
    () =>
      collaborating(
        {
          reviewer: { review: toFixer(), reviewer_rp2: toFixer() },
          fixer: { fixer_rp1: toReviewer(), fixer_rp3: toReviewer() },
        },
        ['a', 'reviewer:review<a'],
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 4 });
      expect(report.successfulSteps).toEqual([
        'a',
        'review',
        'fixer_rp1',
        'reviewer_rp2',
        'fixer_rp3',
        'reviewer_rp4',
      ]);
    },
  );

  scenario(
    'that repeats for ever ends at the bound, with all results kept',
    () => ({
      options: {
        agents: [
          agentNamed('reviewer', (call) => toFixer(`reviewed by ${call.step.id}`)),
          agentNamed('fixer', (call) => toReviewer(`fixed by ${call.step.id}`)),
        ],
        policy: presets.collaborative({ limits: { maxReplans: 5 } }),
      },
      start: { plan: { steps: steps('reviewer:review') } },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 5 });
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['review', 'reviewed by review'],
        ['fixer_rp1', 'fixed by fixer_rp1'],
        ['reviewer_rp2', 'reviewed by reviewer_rp2'],
        ['fixer_rp3', 'fixed by fixer_rp3'],
        ['reviewer_rp4', 'reviewed by reviewer_rp4'],
        ['fixer_rp5', 'fixed by fixer_rp5'],
      ]);
      expect(factsOf('replan.requested')).toMatchObject([
        {
          kind: 'handOff',
          stepId: 'fixer_rp5',
          reason: 'Hand-off to reviewer: Review the fix once more',
          agents: ['reviewer'],
        },
      ]);
      expect(factsOf('request.refused')).toMatchObject([
        { what: 'handOff', stepId: 'fixer_rp5', agent: 'fixer', limit: 5, bound: 'replan-limit' },
      ]);
    },
  );

  scenario(
    'at the bound fails the run where the policy says so: onLimit fail',
    () =>
      collaborating(
        { reviewer: { review: toFixer('half') } },
        ['reviewer:review', 'b<review'],
        presets.collaborative({ limits: { maxReplans: 0 }, replan: { onLimit: 'fail' } }),
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit' });
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'half' });
      expect(report.cancelledSteps).toEqual(['b']);
    },
  );

  scenario(
    'to an agent outside the team is refused at no cost, and the run continues',
    () =>
      collaborating(
        { worker: { a: handOff({ agent: 'wizard', task: 'Do some magic' }, 'half') } },
        ['a', 'b<a'],
      ),
    ({ report, factsOf }) => {
      expect(factsOf('request.refused')).toMatchObject([
        { what: 'handOff', bound: 'unknown-agent', reason: 'Hand-off to wizard: Do some magic' },
      ]);
      expect(factsOf('plan.proposed')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['a', 'half'],
        ['b', 'did b'],
      ]);
    },
  );

  for (const name of ['toString', '__proto__', 'x'.repeat(5_000)]) {
    scenario(
      `to ${JSON.stringify(name.slice(0, 12))} is refused as unknown`,
      () => collaborating({ worker: { a: handOff({ agent: name, task: 'Do it' }) } }, ['a']),
      ({ report, factsOf }) => {
        expect(factsOf('request.refused')).toMatchObject([
          { bound: 'unknown-agent', reason: `Hand-off to ${name.slice(0, 64)}: Do it` },
        ]);
        expect(report.status).toBe('completed');
      },
    );
  }

  scenario(
    'leaves no state that a later request inherits',
    () =>
      collaborating(
        {
          worker: { a: handOff({ agent: 'wizard', task: 'Do some magic' }) },
          reviewer: { review: toFixer() },
        },
        ['a', 'reviewer:review<a'],
      ),
    ({ factsOf }) => {
      expect(factsOf('plan.adopted')[1]?.steps).toMatchObject([
        { agent: 'fixer', task: 'Fix the SQL injection' },
      ]);
    },
  );

  scenario(
    'to the same agent is a normal step',
    () => collaborating({ reviewer: { review: toReviewer() } }, ['reviewer:review']),
    ({ report }) => {
      expect(report.successfulSteps).toEqual(['review', 'reviewer_rp1']);
    },
  );
});

describe('a hand-off that cannot be carried out', () => {
  scenario(
    'inside a sub-plan is refused, and the sub-plan continues',
    () => {
      const { options } = collaborating(
        { worker: { a: blocked('Too hard') }, reviewer: { 'a/part': toFixer('half of it') } },
        [],
        definePolicy({ limits: { maxAttempts: 1, maxDepth: 1 } }),
      );
      return { options: { ...options, planner: plannerInTurn(['a'], ['reviewer:part']) } };
    },
    ({ report, factsOf }) => {
      expect(factsOf('request.refused')).toMatchObject([
        { parentStepId: 'a', bound: 'replan-limit' },
      ]);
      expect(factsOf('plan.proposed').map(({ origin }) => origin)).toEqual(['planner', 'planner']);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(report.steps.find(({ id }) => id === 'a')?.output).toBe('half of it');
    },
  );

  scenario(
    'while the run winds down adds no step, and its result is kept',
    (clock) =>
      collaborating(
        {
          worker: { a: after(clock, 10, new Error('Broken')) },
          reviewer: { review: after(clock, 12, toFixer('half of it')) },
        },
        ['a', 'reviewer:review'],
        presets.collaborative({
          limits: { maxParallel: 2 },
          failure: { onStepFailure: 'stop' },
        }),
      ),
    ({ report, factsOf }) => {
      expect(factsOf('plan.proposed')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'failed', reason: 'step-failed', replans: 0 });
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['a', null],
        ['review', 'half of it'],
      ]);
    },
  );
});

describe('the step of a hand-off', () => {
  scenario(
    'runs before waiting steps: merge appendNext',
    () => collaborating({ worker: { a: toFixer() } }, ['a', 'b', 'c<b']),
    ({ factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual([
        'a',
        'fixer_rp1',
        'b',
        'c',
      ]);
    },
  );

  for (const merge of ['append', 'replacePending', 'replaceAll'] as const) {
    scenario(
      `runs after waiting steps and replaces none of them: merge ${merge}`,
      () =>
        collaborating(
          { worker: { a: toFixer() } },
          ['a', 'b', 'c<b'],
          presets.collaborative({ replan: { merge } }),
        ),
      ({ report, factsOf }) => {
        expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual([
          'a',
          'b',
          'c',
          'fixer_rp1',
        ]);
        expect(report.skippedSteps).toEqual([]);
      },
    );
  }

  scenario(
    'starts immediately in a free slot, beside running steps',
    (clock) =>
      collaborating(
        {
          worker: { a: after(clock, 10, toFixer()), b: after(clock, 50, 'did b') },
          fixer: { fixer_rp1: after(clock, 10, 'fixed') },
        },
        ['a', 'b'],
        presets.collaborative({ limits: { maxParallel: 2 } }),
      ),
    ({ facts, report }) => {
      const started = facts.flatMap((fact) =>
        fact.type === 'step.started' ? [[fact.stepId, fact.at]] : [],
      );
      expect(started).toEqual([
        ['a', 0],
        ['b', 0],
        ['fixer_rp1', 10],
      ]);
      expect(report.durationMs).toBe(50);
    },
  );

  scenario(
    'spends the same budget as replans',
    () => {
      const { options } = collaborating(
        { reviewer: { review: toFixer() }, fixer: { fixer_rp1: new Error('Broken') } },
        [],
        definePolicy({ limits: { maxReplans: 2 }, retry: { attempts: 1 } }),
      );
      return { options: { ...options, planner: plannerInTurn(['reviewer:review'], ['b']) } };
    },
    ({ report, factsOf }) => {
      expect(factsOf('replan.started').map(({ replans }) => replans)).toEqual([2]);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(report.successfulSteps).toEqual(['review', 'b_rp2']);
    },
  );

  scenario(
    'needs the same approval as any step of its agent',
    () => ({
      ...collaborating(
        { worker: { a: toFixer() } },
        ['a'],
        presets.collaborative({ approval: { agents: ['fixer'] } }),
      ),
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.granted')).toMatchObject([{ stepId: 'fixer_rp1' }]);
      expect(report.status).toBe('completed');
    },
  );
});
