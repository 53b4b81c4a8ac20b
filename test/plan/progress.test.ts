import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { adoptPlan } from '../../src/plan/adopt.js';
import { itemsOf } from '../../src/plan/chunked-list.js';
import type { ProposedPlan } from '../../src/model/plan.js';
import { planSchema } from '../../src/model/plan.js';
import type { Progress, Settlement, StepState } from '../../src/model/progress.js';
import {
  emptyProgress,
  GIVEN_UP,
  isSatisfying,
  nextReady,
  settleStep,
  SKIPPED_BY_HUMAN,
  startStep,
  stateOf,
  withReady,
} from '../../src/plan/progress.js';
import { steps } from '../scenarios/team.js';
import { anyHistory, follow } from './histories.js';
import { plan } from './plans.js';

const COMPLETED: Settlement = { status: 'completed', outputKeys: ['key'], reason: null };
const FAILED: Settlement = { status: 'failed', outputKeys: [], reason: 'threw: Broken' };
const SKIPPED: Settlement = { status: 'skipped', outputKeys: [], reason: SKIPPED_BY_HUMAN };

const planned = (...texts: readonly string[]): Progress => adopted(plan(...texts));

const adopted = (proposed: ProposedPlan): Progress =>
  adoptPlan(emptyProgress, proposed, {
    revision: 0,
    merge: 'replacePending',
    resolvesFailures: true,
  }).progress;

const statusesOf = (progress: Progress): string[] =>
  itemsOf(progress.states).map(({ status }) => status);

const readyOf = ({ ready, readyHead, ...progress }: Progress): number[] =>
  ready.slice(readyHead).filter((index) => itemsOf(progress.states)[index]?.status === 'pending');

describe('starting a step', () => {
  it('makes it run, once', () => {
    const once = startStep(planned('a', 'b'), 0);
    expect(statusesOf(once)).toEqual(['running', 'pending']);
    expect(nextReady(once)).toBe(1);
    expect(startStep(once, 0)).toBe(once);
  });

  it('does nothing to a settled or missing step', () => {
    const { progress } = settleStep(planned('a'), 0, SKIPPED, 'skip');
    expect(startStep(progress, 0)).toBe(progress);
    expect(startStep(progress, 7)).toBe(progress);
  });

  it('passes over steps that settled while they waited', () => {
    const { progress } = settleStep(planned('a', 'b', 'c'), 0, SKIPPED, 'skip');
    expect(nextReady(progress)).toBe(1);
    expect(nextReady(startStep(progress, 1))).toBe(2);
  });
});

describe('settling a step', () => {
  it('happens once: a settled step never changes again', () => {
    const { progress } = settleStep(startStep(planned('a', 'b<a'), 0), 0, FAILED, 'skip');
    const again = settleStep(progress, 0, COMPLETED, 'skip');
    expect(again).toEqual({ progress, skipped: [] });
    expect(again.progress).toBe(progress);
  });

  it('of a missing step changes nothing', () => {
    const progress = planned('a');
    expect(settleStep(progress, 9, COMPLETED, 'skip').progress).toBe(progress);
  });

  it('makes a step ready when the last of its dependencies is completed', () => {
    const start = planned('a', 'b', 'c<a,b');
    const { progress: one } = settleStep(startStep(start, 0), 0, COMPLETED, 'skip');
    expect(stateOf(one, 2)).toMatchObject({ status: 'pending', unmet: 1 });
    const { progress: both } = settleStep(startStep(one, 1), 1, COMPLETED, 'skip');
    expect(nextReady(both)).toBe(2);
  });

  it('makes steps ready behind a step that a person skipped', () => {
    const { progress, skipped } = settleStep(planned('a', 'b<a'), 0, SKIPPED, 'skip');
    expect(skipped).toEqual([]);
    expect(nextReady(progress)).toBe(1);
  });

  it.each([
    ['failed', FAILED],
    ['was cancelled', { ...FAILED, status: 'cancelled' } as const],
    ['was rejected', { ...FAILED, status: 'skipped' } as const],
  ])('skips everything behind a step that %s, each step once, in order', (_, settlement) => {
    const start = startStep(planned('a', 'b<a', 'c<a', 'd<b,c', 'e<d', 'f'), 0);
    for (const onDependencyFailure of ['skip', 'stop'] as const) {
      const { progress, skipped } = settleStep(start, 0, settlement, onDependencyFailure);
      expect(skipped).toEqual([1, 2, 3, 4]);
      expect(statusesOf(progress).slice(1)).toEqual([
        'skipped',
        'skipped',
        'skipped',
        'skipped',
        'pending',
      ]);
      expect(stateOf(progress, 4)?.reason).toBe('dependency');
    }
    const released = settleStep(start, 0, settlement, 'run');
    expect(released.skipped).toEqual([]);
    expect(readyOf(released.progress)).toEqual([1, 2, 5]);
  });

  it('skips steps behind a dropped step, without counting a failure', () => {
    const start = startStep(planned('a', 'b<a', 'c<b', 'd'), 0);
    const givenUp: Settlement = { status: 'cancelled', outputKeys: [], reason: GIVEN_UP };
    const { progress, skipped } = settleStep(start, 0, givenUp, 'skip');
    expect(skipped).toEqual([1, 2]);
    expect(itemsOf(progress.states).map(({ status, reason }) => [status, reason])).toEqual([
      ['cancelled', 'given-up'],
      ['skipped', 'given-up'],
      ['skipped', 'given-up'],
      ['pending', null],
    ]);
    expect(progress.counts).toMatchObject({ unresolved: 0, failedSincePlan: 0, pending: 1 });
    expect(isSatisfying({ status: 'skipped', reason: GIVEN_UP })).toBe(false);
  });

  it('skips a chain of 50,000 steps without a stack overflow', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) =>
      steps(index === 0 ? 's0' : `s${index}<s${index - 1}`),
    );
    const progress = adopted(planSchema.parse({ steps: chain.flat() }));
    const { skipped } = settleStep(startStep(progress, 0), 0, FAILED, 'skip');
    expect(skipped).toHaveLength(49_999);
  });
});

describe('the ready list', () => {
  it('returns steps by rank, whatever the order they become ready in', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(3), { maxLength: 12 }),
        (ranks, batchSizes) => {
          const steps = planned(...ranks.map((_, index) => `s${index}`)).steps.map(
            (step, index) => ({ ...step, rank: ranks[index] ?? 0 }),
          );
          const { progress: start } = adoptPlan(
            emptyProgress,
            plan(...ranks.map((_, index) => `s${index}`)),
            { revision: 0, merge: 'append', resolvesFailures: true },
          );
          let progress: Progress = { ...start, steps, ready: [], readyHead: 0 };
          const left = ranks.map((_, index) => index);
          for (const size of [...batchSizes, ranks.length]) {
            progress = withReady(progress, left.splice(0, size));
            const ready = readyOf(progress).map((index) => ranks[index] ?? 0);
            expect(ready).toEqual(ready.toSorted((one, other) => one - other));
            const next = nextReady(progress);
            if (next !== undefined) progress = startStep(progress, next);
          }
        },
      ),
    );
  });
});

const statuses = ['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled'] as const;

const isOpen = ({ status }: StepState): boolean => status === 'pending' || status === 'running';

describe('at every point of any history', () => {
  it('the counts add up', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        follow(history, ({ counts, states, steps }) => {
          const all = itemsOf(states);
          for (const status of statuses) {
            expect(counts[status]).toBe(all.filter((state) => state.status === status).length);
          }
          expect(all).toHaveLength(steps.length);
          expect(counts.failedSincePlan).toBeLessThanOrEqual(counts.failed);
          expect(counts.unresolved).toBeGreaterThanOrEqual(counts.failedSincePlan);
          expect(counts.unresolved).toBeLessThanOrEqual(counts.failed + counts.skipped);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('exactly the steps without open dependencies are ready, by rank', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        follow(history, (progress) => {
          const all = itemsOf(progress.states);
          const rankOf = (index: number): number => progress.steps[index]?.rank ?? 0;
          const waiting = all.flatMap((state, index) =>
            state.status === 'pending' && state.unmet === 0 ? [index] : [],
          );
          expect(readyOf(progress)).toEqual(
            waiting.toSorted((one, other) => rankOf(one) - rankOf(other)),
          );
          for (const [index, state] of all.entries()) {
            if (state.status !== 'pending') continue;
            const dependencies = progress.steps[index]?.dependsOn.map((on) => all[on]) ?? [];
            const open = dependencies.filter((other) => other !== undefined && isOpen(other));
            expect(state.unmet).toBe(open.length);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('a step only starts when its dependencies allow it', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        follow(history, (progress, before) => {
          for (const [index, state] of itemsOf(progress.states).entries()) {
            if (state.status !== 'running' || stateOf(before, index)?.status === 'running')
              continue;
            for (const on of progress.steps[index]?.dependsOn ?? []) {
              const dependency = stateOf(progress, on);
              const isAllowed =
                dependency !== undefined &&
                (history.onDependencyFailure === 'run'
                  ? !isOpen(dependency)
                  : isSatisfying(dependency));
              expect(isAllowed).toBe(true);
            }
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('every waiting step can be settled', () => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (history, isFailing) => {
        let progress = follow(history, () => undefined);
        const settlement = isFailing ? FAILED : COMPLETED;
        for (const [index, state] of itemsOf(progress.states).entries()) {
          if (state.status !== 'running') continue;
          progress = settleStep(progress, index, settlement, history.onDependencyFailure).progress;
        }
        for (let next = nextReady(progress); next !== undefined; next = nextReady(progress)) {
          const started = startStep(progress, next);
          progress = settleStep(started, next, settlement, history.onDependencyFailure).progress;
        }
        expect(progress.counts.pending + progress.counts.running).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('the progress is plain JSON', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const progress = follow(history, () => undefined);
        expect(JSON.parse(JSON.stringify(progress))).toEqual(progress);
      }),
      { numRuns: 50 },
    );
  });
});
