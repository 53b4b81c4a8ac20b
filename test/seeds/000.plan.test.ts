import { describe, expect, it } from 'vitest';

import { done, handOff } from '../../src/agents/report.js';
import { adoptPlan } from '../../src/plan/adopt.js';
import { itemsOf } from '../../src/plan/chunked-list.js';
import { emptyProgress } from '../../src/plan/progress.js';
import { deepFrozen } from '../../src/deep-frozen.js';
import { plan as planOf } from '../plan/plans.js';
import { scenario } from '../scenarios/harness.js';
import { collaborating, FIRST_PLAN, route, toFixer, toReviewer } from './000-collaboration.js';

describe('seed 000, the new step', () => {
  scenario(
    'has an agent, the query as its task, its asker as its only dependency, and the number after the last',
    () => {
      const position = (call: { readonly step: { readonly position: string } }): unknown =>
        done(call.step.position);
      return collaborating({ reviewer: [toFixer], fixer: [position] });
    },
    ({ factsOf, report }) => {
      expect(factsOf('plan.adopted')[1]).toMatchObject({
        revision: 1,
        steps: [
          {
            id: 'fixer_rp1',
            agent: 'fixer',
            task: 'Fix SQL injection in auth.py',
            complexity: 'medium',
            dependsOn: ['review'],
          },
        ],
        replaced: [],
      });
      expect(report.steps[3]).toMatchObject({ status: 'completed', output: 'Step 4 of 4' });
    },
  );

  scenario(
    'is executed before every pending step',
    () =>
      collaborating({ codesmith: [toFixer], fixer: [toReviewer] }, [
        'codesmith:implement',
        'architect:document',
        'research:compare<document',
      ]),
    (result) => {
      expect(route(result)).toEqual(['codesmith', 'fixer', 'reviewer', 'architect', 'research']);
    },
  );

  scenario(
    'removes nothing: planned steps stay in their order',
    () =>
      collaborating({
        architect: [toFixer],
        codesmith: [toFixer],
        reviewer: [toFixer, 'Approved'],
      }),
    ({ report, factsOf }) => {
      expect(report.originalPlan?.steps.map(({ id }) => id)).toEqual([
        'design',
        'implement',
        'review',
      ]);
      expect(report.finalPlan?.steps.slice(0, 3)).toEqual(report.originalPlan?.steps);
      expect(report.finalPlan?.steps.slice(3).map(({ id }) => id)).toEqual([
        'fixer_rp1',
        'fixer_rp2',
        'fixer_rp3',
      ]);
      expect(factsOf('plan.adopted').flatMap(({ replaced }) => replaced)).toEqual([]);
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual([
        'design',
        'fixer_rp1',
        'implement',
        'fixer_rp2',
        'review',
        'fixer_rp3',
      ]);
    },
  );

  it('is in a new list: holders of the old plan see no change', () => {
    const first = adoptPlan(emptyProgress, planOf(...FIRST_PLAN), {
      revision: 0,
      merge: 'appendNext',
      resolvesFailures: true,
    }).progress;
    const before = structuredClone(first);
    const { progress } = adoptPlan(deepFrozen(first), planOf('fixer:fixer'), {
      revision: 1,
      merge: 'appendNext',
      resolvesFailures: false,
    });
    expect(first).toEqual(before);
    expect(progress.steps).not.toBe(first.steps);
    expect(progress.steps.map(({ id }) => id)).toEqual([
      'design',
      'implement',
      'review',
      'fixer_rp1',
    ]);
    expect(itemsOf(progress.states).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
      'pending',
      'pending',
    ]);
  });
});

describe('seed 000, the router', () => {
  scenario(
    'takes the first pending step, one after the other, and ends when none is left',
    () => collaborating({}, ['reviewer:one', 'research:two', 'architect:three', 'fixer:four']),
    (result) => {
      expect(
        result.facts.flatMap((fact) => (/^step|ended/.test(fact.type) ? [fact.type] : [])),
      ).toEqual([
        ...Array.from({ length: 4 }, () => ['step.started', 'step.completed']).flat(),
        'run.ended',
      ]);
      expect(route(result)).toEqual(['reviewer', 'research', 'architect', 'fixer']);
      expect(result.report.reason).toBe('all-steps-completed');
    },
  );

  scenario(
    'does not loop for ever: alternating review and fix end at the bound with every result',
    () => {
      // A finite number, so that a lost bound fails here instead of running for ever.
      const reviews = Array.from({ length: 30 }, () => toFixer);
      return collaborating({ reviewer: [...reviews, 'Approved'], fixer: [toReviewer] });
    },
    (result) => {
      const { factsOf, report } = result;
      const rounds = Array.from({ length: 4 }, () => ['fixer', 'reviewer']).flat();
      expect(route(result)).toEqual(['architect', 'codesmith', 'reviewer', ...rounds]);
      expect(factsOf('request.refused')).toMatchObject([{ limit: 8, bound: 'replan-limit' }]);
      expect(report).toMatchObject({ status: 'completed', replans: 8 });
      expect(report.steps.slice(2).map(({ output }) => output)).toEqual([
        'One bug',
        ...Array.from({ length: 4 }, () => ['Fixed', 'One bug']).flat(),
      ]);
    },
  );

  scenario(
    'clears a request once it is answered: the next one has its own agent and query',
    () =>
      collaborating({
        architect: [handOff({ agent: 'security', task: 'Audit the design' })],
        codesmith: [handOff({ agent: 'research', task: 'Research API docs' })],
        reviewer: ['Approved'],
      }),
    (result) => {
      expect(result.factsOf('plan.adopted').slice(1)).toMatchObject([
        { steps: [{ agent: 'research', task: 'Research API docs' }] },
      ]);
      expect(route(result)).toEqual(['architect', 'codesmith', 'research', 'reviewer']);
      expect(result.report.replans).toBe(1);
    },
  );
});
