import { describe, expect, it } from 'vitest';

import { askHuman, needsContext } from '../../src/agents/report.js';
import { validatePlan } from '../../src/plan/validate.js';
import { visibleText } from '../../src/plan/visible-text.js';
import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { shortestMs } from '../cpu-time.js';
import { expectNoLeaks } from './no-leaks.js';
import { expectEachRefused, givenInShort, issuesOfGiven, untilGood } from './plans-planning.js';

expectNoLeaks();

const plan = (...texts: readonly string[]): { steps: ReturnType<typeof steps> } => ({
  steps: steps(...texts),
});

const validStep = { id: 'a', agent: 'worker', task: 'Do the work of step a' };

/** Asks for another plan once; after that it works. */
const asksFirst = agentNamed('worker', ({ step }) =>
  step.id === 'asks' ? needsContext('More about it', 'half') : `did ${step.id}`,
);

describe('a plan with an unknown agent', () => {
  it('is refused by start() when it is given, with the known agents listed', () => {
    expect(issuesOfGiven(plan('a', 'nobody:b'))).toEqual([
      {
        code: 'unknown-agent',
        path: 'steps[1].agent',
        message: 'Unknown agent "nobody"; known agents: worker',
      },
    ]);
  });

  scenario(
    'is refused as a first or a new plan, counted, and the planner is told',
    () => ({
      options: {
        agents: [asksFirst],
        planner: plannerInTurn(['nobody:a'], ['asks'], ['toString:b'], ['c']),
      },
    }),
    ({ report, factsOf }) => {
      const rejections = factsOf('plan.rejected');
      expect(rejections.map(({ by, revision }) => [by, revision])).toEqual([
        ['validation', 0],
        ['validation', 1],
      ]);
      expect(rejections.map(({ issues }) => issues.map(({ message }) => message))).toEqual([
        ['Unknown agent "nobody"; known agents: worker'],
        ['Unknown agent "toString"; known agents: worker'],
      ]);
      expect(report).toMatchObject({ replans: 3, successfulSteps: ['asks', 'c_rp1'] });
    },
  );
});

describe('a plan with a cycle', () => {
  const circle = Array.from({ length: 50 }, (_, index) => `s${index}<s${(index + 1) % 50}`);
  const cyclic: readonly (readonly string[])[] = [
    ['a<b', 'b<a'],
    circle,
    ['a', 'b<a,d', 'c<b', 'd<c'],
  ];

  scenario(
    'is refused as cyclic-dependency: of two steps, of fifty, and behind a step that could run',
    () => untilGood(cyclic, 50),
    (result) => {
      expectEachRefused(
        result,
        Array.from({ length: 3 }, () => ['cyclic-dependency at steps']),
      );
      const paths = result
        .factsOf('plan.rejected')
        .map(({ issues }) => issues[0]?.message.split(' -> ') ?? []);
      expect(paths[0]).toEqual(['Dependency cycle: a', 'b', 'a']);
      expect(paths[1]?.[0]).toMatch(/^Dependency cycle of 50 steps: /);
      expect(paths[1]?.at(-1)).toBe(paths[1]?.[0]?.split(': ')[1]);
      expect(paths[2]).toEqual(['Dependency cycle: b', 'd', 'c', 'b']);
    },
  );

  // A step that depends on itself has its own code, which is more precise.
  it('of one step is refused as self-dependency', () => {
    expect(givenInShort(plan('a', 'b<a,b'))).toEqual(['self-dependency at steps[1].dependsOn[1]']);
  });

  scenario(
    'is refused even when only a skipped step leads to it',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async ({ step, signal }) => {
            await clock.sleep(100, signal);
            return step.id === 'asks' ? needsContext('More about it') : `did ${step.id}`;
          }),
        ],
        planner: plannerInTurn(['asks', 'b<asks'], ['x<b,y', 'y<x'], ['z<b']),
      },
      at: { 50: (control) => control.skip(['b']) },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { issues: [{ code: 'cyclic-dependency', message: 'Dependency cycle: x -> y -> x' }] },
      ]);
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['asks', 'completed'],
        ['b', 'skipped'],
        ['z_rp1', 'completed'],
      ]);
    },
  );
});

describe('a plan with ambiguous ids', () => {
  scenario(
    'that are equal, or equal except for case, is refused as duplicate-step-id',
    () =>
      untilGood([
        ['a', 'a'],
        ['a', 'A'],
        ['step-one', 'b', 'STEP-one'],
      ]),
    (result) => {
      expectEachRefused(result, [
        ['duplicate-step-id at steps[1].id'],
        ['duplicate-step-id at steps[1].id'],
        ['duplicate-step-id at steps[2].id'],
      ]);
    },
  );

  // Ids are ASCII, so both spellings are refused for that as well.
  it('that are equal after normalization is refused as duplicate-step-id', () => {
    const issues = givenInShort({
      steps: [
        { ...validStep, id: 'caf\u00e9' },
        { ...validStep, id: 'cafe\u0301' },
      ],
    });
    expect(issues).toContain('duplicate-step-id at steps[1].id');
    expect(issues).toContain('invalid-step-id at steps[0].id');
  });
});

describe('a plan with a missing dependency', () => {
  scenario(
    'is refused as unknown-dependency, also for an alias of the step itself',
    () => untilGood([['a<z'], ['a', 'b<A'], ['a<a_rp1']]),
    (result) => {
      expectEachRefused(result, [
        ['unknown-dependency at steps[0].dependsOn[0]'],
        ['unknown-dependency at steps[1].dependsOn[0]'],
        ['unknown-dependency at steps[0].dependsOn[0]'],
      ]);
    },
  );

  scenario(
    'on a step’s own future name is refused',
    () => ({
      options: {
        agents: [asksFirst],
        planner: plannerInTurn(['asks'], ['b<b_rp1'], ['b<asks']),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { issues: [{ code: 'unknown-dependency' }] },
      ]);
      expect(report.successfulSteps).toEqual(['asks', 'b_rp1']);
    },
  );

  scenario(
    'counts a dependency that is named twice once',
    () => ({
      options: {
        agents: [
          agentNamed('worker', ({ dependencies }) => dependencies.map(({ stepId }) => stepId)),
        ],
      },
      start: { plan: plan('a', 'b<a,a,a') },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.adopted')[0]?.steps[1]?.dependsOn).toEqual(['a']);
      expect(report.steps[1]?.output).toEqual(['a']);
    },
  );
});

describe('a plan that is too large', () => {
  const many = Array.from({ length: 10_001 }, (_, index) => `s${index}`);
  const large: readonly (readonly [plan: unknown, issue: string])[] = [
    [many, 'plan-too-large at steps'],
    [{ steps: [{ ...validStep, task: 'x'.repeat(2_000_000) }] }, 'plan-too-large at '],
    [{ steps: [{ ...validStep, task: 'x'.repeat(1_000_000) }] }, 'plan-too-large at steps[0].task'],
    // Bounded by the schema and by the grammar, whose codes are kept.
    [{ analysis: 'x'.repeat(1_000_000), steps: [validStep] }, 'invalid-shape at analysis'],
    [{ steps: [{ ...validStep, id: 'x'.repeat(10_000) }] }, 'invalid-step-id at steps[0].id'],
  ];

  scenario(
    'by 10,001 steps, 1 MB, a task of 1 MB or an id of 10 kB is refused and not kept',
    () => untilGood(large.map(([candidate]) => candidate)),
    (result) => {
      expectEachRefused(
        result,
        large.map(([, issue]) => [issue]),
      );
      expect(JSON.stringify(result.journal).length).toBeLessThan(50_000);
    },
  );

  it('by 10,001 steps is refused by start() when it is given', () => {
    expect(givenInShort(plan(...many))).toEqual(['plan-too-large at steps']);
    expect(givenInShort(plan(...many), 10_000)).toEqual(['plan-too-large at steps']);
  });
});

describe('a plan with invalid ids', () => {
  const ids = [
    '__proto__',
    'a.b',
    '*',
    '',
    ' ',
    '0',
    '😀',
    'a\nb',
    'a\n',
    '../x',
    'a/b',
    'a#2',
    'b:1.1',
    'x'.repeat(65),
  ];

  it('outside the grammar is refused as invalid-step-id, with the id escaped and truncated', () => {
    const issues = issuesOfGiven({ steps: ids.map((id) => ({ ...validStep, id })) });
    expect(issues.map(({ code, path }) => [code, path])).toEqual(
      ids.map((_, index) => ['invalid-step-id', `steps[${index}].id`]),
    );
    for (const { message } of issues) {
      expect(message).not.toContain('\n');
      expect(message.length).toBeLessThan(300);
    }
  });

  scenario(
    'outside the grammar is refused as invalid-step-id when a planner proposes it',
    () => untilGood(ids.map((id) => ({ steps: [{ ...validStep, id }] }))),
    (result) => {
      expectEachRefused(
        result,
        ids.map(() => ['invalid-step-id at steps[0].id']),
      );
    },
  );

  // `constructor` needs no escaping and is looked up as an own key: the grammar accepts it.
  scenario(
    'is not one whose ids are names that every object inherits',
    () => ({
      options: { agents: [agentNamed('worker', ({ step }) => step.id)] },
      start: { plan: plan('constructor', 'toString<constructor', 'hasOwnProperty<toString') },
    }),
    ({ report }) => {
      expect(report.steps.map(({ output }) => output)).toEqual([
        'constructor',
        'toString',
        'hasOwnProperty',
      ]);
    },
  );
});

describe('a plan with invisible characters', () => {
  const TAG = '\u{e0041}';
  const RIGHT_TO_LEFT = '\u202e';
  const ZERO_WIDTH = '\u200b';

  it('in ids, agents and dependencies is refused', () => {
    const candidates = [TAG, RIGHT_TO_LEFT, ZERO_WIDTH].map((hidden) =>
      givenInShort({
        steps: [
          { ...validStep, id: `a${hidden}` },
          { ...validStep, id: 'b', agent: `worker${hidden}` },
          { ...validStep, id: 'c', dependsOn: [`b${hidden}`] },
        ],
      }),
    );
    for (const issues of candidates) {
      expect(issues).toEqual([
        'invalid-step-id at steps[0].id',
        'unknown-agent at steps[1].agent',
        'unknown-dependency at steps[2].dependsOn[0]',
      ]);
    }
  });

  it('such as 100,000 combining marks in a task is refused as plan-too-large', () => {
    const task = `e${'\u0301'.repeat(100_000)}`;
    expect(givenInShort({ steps: [{ ...validStep, task }] })).toEqual([
      'plan-too-large at steps[0].task',
    ]);
  });

  const task = `Delete the ${RIGHT_TO_LEFT}logs${ZERO_WIDTH} of last ${TAG}year`;
  const shown = 'Delete the \\u{202e}logs\\u{200b} of last \\u{e0041}year';

  it('or stacked marks in a task, a reason or an analysis gets a warning', () => {
    const covered = `Delete the lo${'\u0301'.repeat(17)}gs of last year`;
    const validation = validatePlan(
      {
        analysis: `Harmless${TAG}`,
        steps: [
          { ...validStep, task, reason: covered },
          { ...validStep, id: 'b', task: covered, reason: task },
          { ...validStep, id: 'c', task: 'Löschen: 日本語, 👩\u200d💻, می\u200cخواهم' },
        ],
      },
      { agents: ['worker'], maxSteps: 15 },
    );
    if (!validation.ok) throw new Error('It is only a warning');
    const warnings = validation.warnings.map(({ code, path, severity }) => [code, path, severity]);
    expect(warnings).toEqual(
      ['analysis', 'steps[0].task', 'steps[0].reason', 'steps[1].task', 'steps[1].reason'].map(
        (path) => ['hidden-characters', path, 'warning'],
      ),
    );
    expect(validation.plan.steps[0]?.task).toBe(task);
  });

  it('is checked in time proportional to its text', async () => {
    const look = (length: number): Promise<number> => {
      const text = `${'\u0301'.repeat(length)}${RIGHT_TO_LEFT.repeat(length)}`;
      return shortestMs(5, () => visibleText(text));
    };
    const short = await look(10_000);
    expect(await look(100_000)).toBeLessThan(40 * short);
  });

  scenario(
    'shows them escaped to the approver, and the agent gets them unchanged',
    () => ({
      options: {
        agents: [
          agentNamed('worker', (call) =>
            call.feedback.length === 0 ? askHuman({ question: task }) : call.task,
          ),
        ],
        policy: definePolicy({ approval: { plan: true, agents: ['worker'] } }),
      },
      start: { plan: { analysis: task, steps: [{ ...validStep, task }] } },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toMatchObject([
        { requestId: 'plan:plan.1', payload: { analysis: shown, steps: [{ task: shown }] } },
        { requestId: 'a:1.1', payload: shown },
        { requestId: 'a:1.2', question: shown },
      ]);
      expect(report.steps[0]?.output).toBe(task);
    },
  );
});
