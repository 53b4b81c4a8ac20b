import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findCycle } from '../../src/plan/cycle.js';
import { STEP_ID_PATTERN } from '../../src/model/plan.js';
import type { PlanRules, PlanValidation } from '../../src/plan/validate.js';
import { validatePlan } from '../../src/plan/validate.js';
import { steps } from '../scenarios/team.js';
import { anyPlan, plan } from './plans.js';

const rules: PlanRules = { agents: ['worker', 'reviewer'], maxSteps: 5 };

const issuesOf = (validation: PlanValidation): string[] =>
  validation.ok ? [] : validation.issues.map(({ code, path }) => `${code} at ${path}`);

const issuesIn = (candidate: unknown, given: PlanRules = rules): string[] =>
  issuesOf(validatePlan(candidate, given));

const step = { id: 'a', agent: 'worker', task: 'Write the code' };

describe('a plan', () => {
  it('of a planner is accepted with every default filled in and unknown keys removed', () => {
    const candidate = {
      steps: [{ ...step, maxReplans: 99, approved: true }],
      limits: { maxReplans: 99 },
    };
    expect(validatePlan(candidate, rules)).toEqual({
      ok: true,
      plan: {
        analysis: '',
        steps: [{ ...step, dependsOn: [], complexity: 'medium', requiresApproval: false }],
      },
      warnings: [
        {
          code: 'unknown-key',
          path: 'limits',
          message: 'There is no `limits` in a plan',
          severity: 'warning',
        },
        expect.objectContaining({ path: 'steps[0].maxReplans', severity: 'warning' }),
        expect.objectContaining({ path: 'steps[0].approved', severity: 'warning' }),
        expect.objectContaining({ code: 'task-length', severity: 'warning' }),
      ],
    });
  });

  it.each([
    ['depends_on', 'dependsOn'],
    ['DependsOn', 'dependsOn'],
    ['dependson', 'dependsOn'],
    ['dependOn', 'dependsOn'],
    ['dependencies', 'dependsOn'],
    ['depends', 'dependsOn'],
    ['requires_approval', 'requiresApproval'],
    ['requireApproval', 'requiresApproval'],
    ['needsApproval', 'requiresApproval'],
    ['requiresHumanApproval', 'requiresApproval'],
    ['complexty', 'complexity'],
    ['Votes', 'votes'],
  ])('is refused when a step has `%s`: `%s` is meant', (key, meant) => {
    const plan = { steps: [{ ...step, [key]: [] }] };
    expect(validatePlan(plan, rules)).toEqual({
      ok: false,
      issues: [
        {
          code: 'unknown-key',
          path: `steps[0].${key}`,
          message: `There is no \`${key}\` in a plan. Did you mean \`${meant}\`?`,
        },
      ],
    });
  });

  it.each(['notes', 'tags', 'risk', 'type', 'title', 'priority', 'status', 'reasoning', 'owner'])(
    'of a planner may have a key of its own: %s',
    (key) => {
      expect(validatePlan({ steps: [{ ...step, [key]: 'x' }] }, rules).ok).toBe(true);
    },
  );

  it('that a person gave is refused for every unknown key, anywhere in it', () => {
    const votes = { count: 2, choose: 'majority', chose: 'majority' };
    const plan = { stps: [], steps: [{ ...step, notes: 'x', votes }] };
    const validation = validatePlan(plan, { ...rules, isGiven: true, maxVotes: 2 });
    expect(validation).toMatchObject({
      ok: false,
      issues: [
        { path: 'stps', message: 'There is no `stps` in a plan. Did you mean `steps`?' },
        { path: 'steps[0].notes', message: 'There is no `notes` in a plan. Did you mean `votes`?' },
        {
          path: 'steps[0].votes.chose',
          message: 'There is no `chose` in a plan. Did you mean `choose`?',
        },
      ],
    });
  });

  it('may have no steps at all', () => {
    expect(issuesIn({ steps: [] })).toEqual([]);
  });

  it('may name a dependency twice: it counts once', () => {
    const validation = validatePlan({ steps: steps('a', 'b<a,a') }, rules);
    expect(validation.ok && validation.plan.steps[1]?.dependsOn).toEqual(['a']);
  });

  it('may depend on existing steps', () => {
    const candidate = { steps: steps('b<a') };
    expect(issuesIn(candidate)).toEqual(['unknown-dependency at steps[0].dependsOn[0]']);
    expect(issuesIn(candidate, { ...rules, existingStepIds: ['a'] })).toEqual([]);
  });

  it('may reuse the id of an existing step', () => {
    const given = { ...rules, existingStepIds: ['a'] };
    expect(issuesIn({ steps: steps('a', 'b<a') }, given)).toEqual([]);
    expect(issuesIn({ steps: steps('a<b', 'b<a') }, given)).toEqual(['cyclic-dependency at steps']);
  });

  it('is valid whenever it keeps the rules, and validation changes nothing in it', () => {
    fc.assert(
      fc.property(anyPlan({ existing: ['a', 'old'] }), (candidate) => {
        const validation = validatePlan(candidate, { ...rules, existingStepIds: ['a', 'old'] });
        expect(validation).toMatchObject({ ok: true, plan: candidate });
      }),
    );
  });
});

describe('an invalid plan', () => {
  it.each([
    ['nothing', undefined, ['invalid-shape at ']],
    ['null', null, ['invalid-shape at ']],
    ['a text', 'a, then b', ['invalid-shape at ']],
    ['a list', [step], ['invalid-shape at ']],
    ['an object without steps', { plan: [step] }, ['invalid-shape at ']],
    ['steps that are not a list', { steps: step }, ['invalid-shape at steps']],
    ['a step that is null', { steps: [null] }, ['invalid-shape at steps[0]']],
    [
      'a step without an agent',
      { steps: [{ id: 'a', task: 'x' }] },
      ['invalid-shape at steps[0].agent'],
    ],
    [
      'a wrong dependency',
      { steps: [{ ...step, dependsOn: [1] }] },
      ['invalid-shape at steps[0].dependsOn[0]'],
    ],
    [
      'a wrong complexity',
      { steps: [{ ...step, complexity: 'hard' }] },
      ['invalid-shape at steps[0].complexity'],
    ],
    ['a wrong scope', { steps: [step], scope: 'huge' }, ['invalid-shape at scope']],
    [
      'consent of its own',
      { steps: [{ ...step, requiresApproval: 'no' }] },
      ['invalid-shape at steps[0].requiresApproval'],
    ],
    [
      'a vote of one',
      { steps: [{ ...step, votes: { count: 1, choose: 'majority' } }] },
      ['invalid-shape at steps[0].votes.count'],
    ],
    [
      'a vote that is chosen otherwise',
      { steps: [{ ...step, votes: { count: 2.5, choose: 'lot' } }] },
      ['invalid-shape at steps[0].votes.count', 'invalid-shape at steps[0].votes.choose'],
    ],
    [
      'an analysis without end',
      { steps: [step], analysis: 'x'.repeat(20_001) },
      ['invalid-shape at analysis'],
    ],
  ])('is %s', (_, candidate, issues) => {
    expect(issuesIn(candidate)).toEqual(issues);
  });

  it('never causes an exception', () => {
    const anything = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
      fc.record({ steps: fc.anything() }),
      fc.record({ steps: fc.array(fc.anything(), { maxLength: 4 }) }),
      fc.record({ steps: fc.array(fc.record({ id: fc.anything(), agent: fc.anything() })) }),
    );
    fc.assert(
      fc.property(anything, (candidate) => {
        const validation = validatePlan(candidate, rules);
        if (!validation.ok) expect(validation.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a plan is rejected', () => {
  it('when it names an unknown agent, with the known ones listed', () => {
    const validation = validatePlan({ steps: steps('nobody:a') }, rules);
    expect(validation).toEqual({
      ok: false,
      issues: [
        {
          code: 'unknown-agent',
          path: 'steps[0].agent',
          message: 'Unknown agent "nobody"; known agents: worker, reviewer',
        },
      ],
    });
  });

  it.each([
    '',
    ' ',
    '0',
    '1a',
    '_a',
    '__proto__',
    'a.b',
    'a/b',
    '*',
    '../x',
    'a b',
    'ä',
    '👍',
    'a\n',
  ])('when it calls a step %j', (id) => {
    expect(issuesIn({ steps: [{ ...step, id }] })).toEqual(['invalid-step-id at steps[0].id']);
  });

  it('when the id of a step has 65 characters or more', () => {
    expect(issuesIn({ steps: [{ ...step, id: 'x'.repeat(64) }] })).toEqual([]);
    expect(issuesIn({ steps: [{ ...step, id: 'x'.repeat(65) }] })).toHaveLength(1);
    const [issue] = issuesMessages({ steps: [{ ...step, id: 'x'.repeat(10_000) }] });
    expect(issue?.length).toBeLessThan(300);
  });

  it.each([
    ['the same id twice', ['a', 'b', 'a']],
    ['ids that differ in case', ['Step', 'b', 'sTEP']],
  ])('when it uses %s', (_, ids) => {
    expect(issuesIn({ steps: steps(...ids) })).toEqual(['duplicate-step-id at steps[2].id']);
  });

  it('when a step depends on itself, on a missing step, or on a cycle', () => {
    expect(issuesIn(plan('a<a'))).toEqual(['self-dependency at steps[0].dependsOn[0]']);
    expect(issuesIn(plan('a<z'))).toEqual(['unknown-dependency at steps[0].dependsOn[0]']);
    const validation = validatePlan(plan('a<b', 'b<c', 'c<a'), rules);
    expect(validation).toMatchObject({
      issues: [{ code: 'cyclic-dependency', message: 'Dependency cycle: a -> b -> c -> a' }],
    });
  });

  it('when it has more steps than the policy allows, without a look at its steps', () => {
    expect(issuesIn(plan('a', 'b', 'c', 'd', 'e'))).toEqual([]);
    expect(issuesIn(plan('a', 'b', 'c', 'd', 'e', 'f'))).toEqual(['plan-too-large at steps']);
    let looks = 0;
    const hostile = {
      get id() {
        looks += 1;
        return 'a';
      },
    };
    expect(issuesIn({ steps: Array(10_001).fill(hostile) })).toEqual(['plan-too-large at steps']);
    expect(looks).toBe(0);
  });

  it('when it requests more votes than the policy allows; without a limit, any votes', () => {
    const asking = (count: number): unknown => ({
      steps: [step, { ...step, id: 'b', votes: { count, choose: 'bestConfidence' } }],
    });
    const found = ['too-many-votes at steps[1].votes.count'];
    expect(issuesIn(asking(3), { ...rules, maxVotes: 3 })).toEqual([]);
    expect(issuesIn(asking(4), { ...rules, maxVotes: 3 })).toEqual(found);
    expect(issuesIn(asking(2), { ...rules, maxVotes: 1 })).toEqual(found);
    expect(issuesIn(asking(2))).toEqual(found);
    expect(issuesMessages(asking(2))).toEqual([
      'Expected no votes (limits.maxVotes is 1), got 2: leave them out',
    ]);
  });

  it('when a task is empty or too long', () => {
    expect(issuesIn({ steps: [{ ...step, task: ' \n\t' }] })).toEqual([
      'empty-task at steps[0].task',
    ]);
    expect(issuesIn({ steps: [{ ...step, task: 'x'.repeat(20_000) }] })).toEqual([]);
    expect(issuesIn({ steps: [{ ...step, task: 'x'.repeat(20_001) }] })).toEqual([
      'plan-too-large at steps[0].task',
    ]);
  });

  it('with all issues at once, up to fifty', () => {
    expect(issuesIn(plan('nobody:a<a', 'b<z', 'b'))).toEqual([
      'unknown-agent at steps[0].agent',
      'duplicate-step-id at steps[2].id',
      'self-dependency at steps[0].dependsOn[0]',
      'unknown-dependency at steps[1].dependsOn[0]',
    ]);
    const many = Array.from({ length: 100 }, (_, index) => `nobody:s${index}`);
    expect(issuesIn({ steps: steps(...many) }, { ...rules, maxSteps: 100 })).toHaveLength(50);
    const shapeless = { steps: Array.from({ length: 100 }, () => ({})) };
    expect(issuesIn(shapeless, { ...rules, maxSteps: 100 })).toHaveLength(50);
  });
});

const issuesMessages = (candidate: unknown): string[] => {
  const validation = validatePlan(candidate, rules);
  return validation.ok ? [] : validation.issues.map(({ message }) => message);
};

describe('an accepted plan', () => {
  /** Plans that are mostly invalid, in every possible way. */
  const id = fc.constantFrom('a', 'A', 'b', 'c', '9', '');
  const nearlyPlan = fc.record({
    steps: fc.array(
      fc.record({
        id,
        agent: fc.constantFrom('worker', 'worker', 'worker', 'nobody'),
        task: fc.constantFrom('Write the code of it', 'Write the code of it', ''),
        dependsOn: fc.array(fc.constantFrom('a', 'b', 'c', 'old'), { maxLength: 2 }),
      }),
      { maxLength: 7 },
    ),
  });

  it('keeps every rule, however it was made', () => {
    let accepted = 0;
    fc.assert(
      fc.property(nearlyPlan, (candidate) => {
        const validation = validatePlan(candidate, { ...rules, existingStepIds: ['old'] });
        if (!validation.ok) return;
        accepted += 1;
        const { steps: taken } = validation.plan;
        const ids = taken.map((each) => each.id);
        expect(taken.length).toBeLessThanOrEqual(rules.maxSteps);
        expect(new Set(ids.map((each) => each.toLowerCase())).size).toBe(ids.length);
        for (const each of taken) {
          expect(each.id).toMatch(STEP_ID_PATTERN);
          expect(rules.agents).toContain(each.agent);
          expect(each.task.trim()).not.toBe('');
          for (const on of each.dependsOn) expect([...ids, 'old']).toContain(on);
          expect(new Set(each.dependsOn).size).toBe(each.dependsOn.length);
        }
        expect(findCycle(taken)).toBeUndefined();
        expect(validatePlan(validation.plan, { ...rules, existingStepIds: ['old'] })).toEqual(
          validation,
        );
      }),
      { numRuns: 3_000, seed: 5 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
