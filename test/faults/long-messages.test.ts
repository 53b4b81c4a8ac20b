import { describe, expect, it } from 'vitest';

import type { Issue } from '../../src/errors.js';
import { PolicyError, TimeTravelError } from '../../src/errors.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { validatePlan } from '../../src/plan/validate.js';
import { definePolicy } from '../../src/policy/policy.js';
import { parseFork } from '../../src/time-travel/fork-options.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/* Messages about huge input stay short enough to be read, logged and put into a prompt. */

const MESSAGE_MAX = 2_000;
const ISSUES_MAX = 50;

const COUNT = 100_000;

const planIssues = (plan: unknown, agents: readonly string[] = ['worker']): readonly Issue[] => {
  const validation = validatePlan(plan, { agents, maxSteps: COUNT });
  if (validation.ok) throw new Error('The plan is valid');
  return validation.issues;
};

const expectShort = (issues: readonly Issue[]): void => {
  expect(issues.length).toBeGreaterThan(0);
  expect(issues.length).toBeLessThanOrEqual(ISSUES_MAX);
  for (const { path, message } of issues) {
    expect(path.length).toBeLessThanOrEqual(MESSAGE_MAX);
    expect(message.length).toBeLessThanOrEqual(MESSAGE_MAX + 1);
  }
};

const manySteps = (count: number, stepOf: (index: number) => object): object => ({
  steps: Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    agent: 'worker',
    task: 'Do the work of this step',
    ...stepOf(index),
  })),
});

describe('the message about a large plan', () => {
  it('names the beginning, the length and the end of a long cycle', () => {
    const [issue, ...rest] = planIssues(
      manySteps(COUNT, (index) => ({ dependsOn: [`s${(index + 1) % COUNT}`] })),
    );
    expect(rest).toEqual([]);
    expect(issue?.message).toMatch(
      /^Dependency cycle of 100000 steps: s0 -> s1 -> s2 -> .* -> s0$/,
    );
    expect(issue?.message.length).toBeLessThan(300);
  });

  it('names all of a short cycle', () => {
    const [issue] = planIssues({
      steps: ['a', 'b'].map((id) => ({
        id,
        agent: 'worker',
        task: 'Do the work of this step',
        dependsOn: [id === 'a' ? 'b' : 'a'],
      })),
    });
    expect(issue?.message).toBe('Dependency cycle: a -> b -> a');
  });

  it('is short for every kind of mistake in every step', () => {
    const long = 'x'.repeat(COUNT);
    const agents = Array.from({ length: 1_000 }, (_, index) => `agent-${index}`);
    for (const [mistake, given] of [
      [{ agent: long }, agents],
      [{ id: long }, ['worker']],
      [{ id: 'same' }, ['worker']],
      [{ dependsOn: [long] }, ['worker']],
      [{ dependsOn: Array.from({ length: 10 }, () => 'missing') }, ['worker']],
      [{ task: long }, ['worker']],
      [{ votes: { count: 9, choose: 'majority' } }, ['worker']],
      [{ complexity: long, votes: long, dependsOn: long, id: null }, ['worker']],
    ] as const) {
      expectShort(
        planIssues(
          manySteps(500, () => mistake),
          given,
        ),
      );
    }
  });
});

describe('the error about large options', () => {
  const issuesOf = (error: unknown): readonly Issue[] =>
    (error as { readonly issues: readonly Issue[] }).issues;

  it('lists a bounded number of issues of a policy, and counts the rest', () => {
    const limits = Object.fromEntries(
      Array.from({ length: COUNT }, (_, index) => [`unknown${index}`, 1]),
    );
    let error: unknown;
    try {
      definePolicy({ limits });
    } catch (thrown) {
      error = thrown;
    }
    expect(PolicyError.isInstance(error)).toBe(true);
    expectShort(issuesOf(error));
    expect((error as Error).message).toMatch(/- and \d+ more$/);
    expect((error as Error).message.length).toBeLessThan(ISSUES_MAX * 200);
  });

  it('lists a bounded number of issues of a fork, and truncates quoted names', () => {
    const answers = Array.from({ length: 10_000 }, () => 7);
    const unknown = Object.fromEntries(answers.map((_, index) => [`name${index}`, 1]));
    for (const options of [
      { atSequence: 0, changes: { answers } },
      { atSequence: 0, ...unknown },
    ]) {
      let error: unknown;
      try {
        parseFork(options);
      } catch (thrown) {
        error = thrown;
      }
      expect(TimeTravelError.isInstance(error)).toBe(true);
      expectShort(issuesOf(error));
    }
  });

  it('lists a bounded number of issues of a team, and truncates their names', () => {
    const agent = { name: 'x'.repeat(COUNT), run: () => 'done' };
    let error: unknown;
    try {
      createOrchestrator({ agents: Array.from({ length: 1_000 }, () => agent) as never });
    } catch (thrown) {
      error = thrown;
    }
    expectShort(issuesOf(error));
    expect((error as Error).message.length).toBeLessThan(ISSUES_MAX * 200);
  });
});
