import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { AdoptionRules } from '../../src/plan/adopt.js';
import { adoptPlan } from '../../src/plan/adopt.js';
import { itemsOf } from '../../src/plan/chunked-list.js';
import { findCycle } from '../../src/plan/cycle.js';
import { STEP_ID_PATTERN } from '../../src/model/plan.js';
import type { Progress } from '../../src/model/progress.js';
import {
  emptyProgress,
  GIVEN_UP,
  nextReady,
  settleStep,
  startStep,
} from '../../src/plan/progress.js';
import { anyHistory, follow } from './histories.js';
import { plan } from './plans.js';

const first: AdoptionRules = { revision: 0, merge: 'replacePending', resolvesFailures: true };
const second = (merge: AdoptionRules['merge']): AdoptionRules => ({ ...first, revision: 1, merge });

const idsOf = (progress: Progress): string[] => progress.steps.map(({ id }) => id);

/** For each step: its id, and the ids of its dependencies. */
const edgesOf = ({ steps }: Progress): [string, string[]][] =>
  steps.map(({ id, dependsOn }) => [id, dependsOn.map((index) => steps[index]?.id ?? '?')]);

/** The first plan, with `a` completed. */
const begun = (...texts: readonly string[]): Progress => {
  const { progress } = adoptPlan(emptyProgress, plan(...texts), first);
  const end = { status: 'completed', outputKeys: ['key'], reason: null } as const;
  return settleStep(startStep(progress, 0), 0, end, 'skip').progress;
};

const orderOf = (progress: Progress): string[] => {
  const order: string[] = [];
  let next = progress;
  for (let index = nextReady(next); index !== undefined; index = nextReady(next)) {
    order.push(next.steps[index]?.id ?? '?');
    const end = { status: 'completed', outputKeys: [], reason: null } as const;
    next = settleStep(startStep(next, index), index, end, 'skip').progress;
  }
  return order;
};

describe('the first plan', () => {
  it('keeps its ids and the order of its steps', () => {
    const { progress, added, replaced } = adoptPlan(emptyProgress, plan('b<a', 'a', 'c'), first);
    expect(edgesOf(progress)).toEqual([
      ['b', ['a']],
      ['a', []],
      ['c', []],
    ]);
    expect(added).toEqual([0, 1, 2]);
    expect(replaced).toEqual([]);
    expect(orderOf(progress)).toEqual(['a', 'b', 'c']);
  });

  it('keeps the votes that its steps request', () => {
    const votes = { count: 3, choose: 'majority' } as const;
    const [asking, plain] = plan('a', 'b').steps;
    const proposed = { analysis: '', steps: [{ ...asking!, votes }, plain!] };
    const { progress } = adoptPlan(emptyProgress, proposed, first);
    expect(progress.steps.map((step) => step.votes)).toEqual([votes, null]);
  });

  it('may be empty', () => {
    const { progress, added } = adoptPlan(emptyProgress, plan(), first);
    expect(added).toEqual([]);
    expect(progress.counts).toEqual(emptyProgress.counts);
  });
});

describe('a later plan', () => {
  for (const merge of ['replacePending', 'replaceAll'] as const) {
    it(`replaces waiting steps and keeps completed ones: ${merge}`, () => {
      const { progress, replaced } = adoptPlan(
        begun('a', 'b', 'c<b'),
        plan('b', 'x<b,a'),
        second(merge),
      );
      expect(replaced).toEqual([1, 2]);
      expect(itemsOf(progress.states).map(({ status, reason }) => [status, reason])).toEqual([
        ['completed', null],
        ['skipped', 'replaced'],
        ['skipped', 'replaced'],
        ['pending', null],
        ['pending', null],
      ]);
      expect(edgesOf(progress).slice(3)).toEqual([
        ['b_rp1', []],
        ['x_rp1', ['b_rp1', 'a']],
      ]);
      expect(orderOf(progress)).toEqual(['b_rp1', 'x_rp1']);
    });
  }

  it('is placed after waiting steps: append', () => {
    const { progress, replaced } = adoptPlan(
      begun('a', 'b', 'c'),
      plan('x', 'y<c'),
      second('append'),
    );
    expect(replaced).toEqual([]);
    expect(orderOf(progress)).toEqual(['b', 'c', 'x_rp1', 'y_rp1']);
  });

  it('is placed before waiting steps, the latest first: appendNext', () => {
    const once = adoptPlan(begun('a', 'b', 'c'), plan('x', 'y'), second('appendNext')).progress;
    expect(orderOf(once)).toEqual(['x_rp1', 'y_rp1', 'b', 'c']);
    const again = adoptPlan(once, plan('z'), { ...second('appendNext'), revision: 2 }).progress;
    expect(orderOf(again)).toEqual(['z_rp2', 'x_rp1', 'y_rp1', 'b', 'c']);
    const behind = adoptPlan(again, plan('last'), { ...second('append'), revision: 3 }).progress;
    expect(orderOf(behind).at(-1)).toBe('last_rp3');
  });

  it('replaces everything: dropped steps stay unchanged, and no step may depend on them', () => {
    const running = startStep(begun('a', 'b', 'c<b', 'd'), 1);
    const givenUp = { status: 'cancelled', outputKeys: [], reason: GIVEN_UP } as const;
    const before = settleStep(running, 1, givenUp, 'skip').progress;
    const { progress, replaced } = adoptPlan(before, plan('x<a', 'b'), second('replaceAll'));
    expect(replaced).toEqual([3]);
    expect(itemsOf(progress.states).map(({ status, reason }) => [status, reason])).toEqual([
      ['completed', null],
      ['cancelled', 'given-up'],
      ['skipped', 'given-up'],
      ['skipped', 'replaced'],
      ['pending', null],
      ['pending', null],
    ]);
    expect(orderOf(progress)).toEqual(['x_rp1', 'b_rp1']);
  });

  it('waits for its dependencies: not for completed steps, but for running or waiting ones', () => {
    const before = startStep(begun('a', 'b', 'c'), 1);
    const { progress } = adoptPlan(before, plan('x<a', 'y<b', 'z<c'), second('append'));
    expect(itemsOf(progress.states).map(({ unmet }) => unmet)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('resolves earlier failures, unless it is a hand-off', () => {
    const { progress } = adoptPlan(emptyProgress, plan('a', 'b<a'), first);
    const end = { status: 'failed', outputKeys: [], reason: 'threw' } as const;
    const failed = settleStep(startStep(progress, 0), 0, end, 'skip').progress;
    expect(failed.counts).toMatchObject({ unresolved: 2, failedSincePlan: 1 });
    const answered = adoptPlan(failed, plan('x'), second('append')).progress;
    expect(answered.counts).toMatchObject({ unresolved: 0, failedSincePlan: 0, failed: 1 });
    const rules = { ...second('append'), resolvesFailures: false };
    const handedOff = adoptPlan(failed, plan('x'), rules).progress;
    expect(handedOff.counts).toMatchObject({ unresolved: 2, failedSincePlan: 1, failed: 1 });
  });
});

describe('the ids of a later plan', () => {
  it('never collide with similar ids', () => {
    const { progress } = adoptPlan(
      begun('a', 'a_rp1', 'a_rp1-2', 'b'),
      plan('a', 'a_rp1', 'b<a'),
      second('append'),
    );
    expect(idsOf(progress)).toEqual([
      'a',
      'a_rp1',
      'a_rp1-2',
      'b',
      'a_rp1-3',
      'a_rp1_rp1',
      'b_rp1',
    ]);
    expect(edgesOf(progress).at(-1)).toEqual(['b_rp1', ['a_rp1-3']]);
  });

  it('stay within 64 characters and stay different', () => {
    const long = 'x'.repeat(63);
    const { progress } = adoptPlan(
      begun('a', `${long}a`, `${long}b`),
      plan(`${long}a`, `${long}b`),
      second('append'),
    );
    const ids = idsOf(progress);
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(STEP_ID_PATTERN);
  });
});

describe('after any history of plans, starts, ends and skips', () => {
  it('ids are unique and every dependency exists, without a cycle', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        follow(history, (progress) => {
          const ids = idsOf(progress);
          expect(new Set(ids).size).toBe(ids.length);
          for (const id of ids) expect(id).toMatch(STEP_ID_PATTERN);
          for (const [index, { dependsOn }] of progress.steps.entries()) {
            for (const on of dependsOn) {
              expect(progress.steps[on]).toBeDefined();
              expect(progress.dependents[on]).toContain(index);
            }
          }
          const graph = edgesOf(progress).map(([id, dependsOn]) => ({ id, dependsOn }));
          expect(findCycle(graph)).toBeUndefined();
        });
      }),
      { numRuns: 300 },
    );
  });

  it('a settled step never changes, nor does its output', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        follow(history, (progress, before) => {
          expect(progress.steps.slice(0, before.steps.length)).toEqual(before.steps);
          for (const [index, state] of itemsOf(before.states).entries()) {
            if (state.status === 'pending' || state.status === 'running') continue;
            expect(itemsOf(progress.states)[index]).toEqual(state);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('a step that ran is never replaced', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        follow(history, (progress, before) => {
          for (const [index, state] of itemsOf(before.states).entries()) {
            if (state.status !== 'running') continue;
            expect(itemsOf(progress.states)[index]?.reason).not.toBe('replaced');
          }
        });
      }),
      { numRuns: 300 },
    );
  });
});
