import { describe, expect } from 'vitest';

import { handOff, needsContext, requestReplan } from '../../src/agents/report.js';
import type { RunReport } from '../../src/journal/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from './by-step.js';
import { workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn } from './planners.js';

const team = (
  { scout = {}, coder = {} }: Readonly<Record<string, Behaviours>>,
  answers: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [workerBy(scout, 'scout'), workerBy(coder, 'coder')],
    planner: plannerInTurn(...answers),
    policy: definePolicy({ ...overrides, retry: { attempts: 1 } }),
  },
});

/** Requested, granted, steps added. */
const replansOf = ({ metrics }: RunReport, agent: string): (number | undefined)[] => {
  const counts = metrics.agents[agent];
  return [counts?.replanRequests, counts?.replansGranted, counts?.stepsAdded];
};

describe('the metrics of an agent', () => {
  scenario(
    'count the replans it requested, those granted, and the steps they added',
    () =>
      team({ scout: { a: needsContext('More'), a_rp1: requestReplan({ reason: 'More still' }) } }, [
        ['scout:a', 'coder:b<a'],
        ['scout:a', 'coder:b', 'coder:c'],
        ['coder:b', 'coder:c'],
      ]),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(replansOf(report, 'scout')).toEqual([2, 2, 5]);
      expect(replansOf(report, 'coder')).toEqual([0, 0, 0]);
    },
  );

  scenario(
    'do not count a request that the bound refused as granted',
    () =>
      team(
        { scout: { a: needsContext('More'), a_rp1: needsContext('More still') } },
        [
          ['scout:a', 'coder:b<a'],
          ['scout:a', 'coder:b<a'],
        ],
        { limits: { maxReplans: 1 }, replan: { stopOnRepeatedPlan: false } },
      ),
    ({ report }) => {
      expect(replansOf(report, 'scout')).toEqual([2, 1, 2]);
    },
  );

  scenario(
    'count a plan that several agents requested for each of them, once',
    () =>
      team(
        {
          scout: { a: needsContext('More'), b: needsContext('More') },
          coder: { c: requestReplan({ reason: 'Other' }) },
        },
        [
          ['scout:a', 'scout:b', 'coder:c'],
          ['scout:d', 'coder:e', 'coder:f'],
        ],
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(replansOf(report, 'scout')).toEqual([2, 2, 3]);
      expect(replansOf(report, 'coder')).toEqual([1, 1, 3]);
    },
  );

  for (const [coalesce, scout, coder] of [
    ['first', [1, 1, 2], [1, 0, 0]],
    ['highestConfidence', [1, 0, 0], [1, 1, 2]],
  ] as const) {
    scenario(
      `count only requests that reach the planner, even when two are equal: coalesce ${coalesce}`,
      () =>
        team(
          {
            scout: { a: needsContext('More', 'a', { confidence: 0.1 }) },
            coder: { b: needsContext('More', 'b', { confidence: 0.9 }) },
          },
          [
            ['scout:a', 'coder:b'],
            ['coder:c', 'coder:d'],
          ],
          { replan: { coalesce } },
        ),
      ({ report }) => {
        expect(report).toMatchObject({ status: 'completed', replans: 1 });
        expect(replansOf(report, 'scout')).toEqual(scout);
        expect(replansOf(report, 'coder')).toEqual(coder);
      },
    );
  }

  scenario(
    'count a request once, even when the planner is called for it several times',
    () =>
      team({ scout: { a: needsContext('More') } }, [
        ['scout:a', 'coder:b<a'],
        ['nobody:x'],
        ['nobody:y'],
        ['coder:c', 'coder:d'],
      ]),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 3 });
      expect(replansOf(report, 'scout')).toEqual([1, 1, 2]);
    },
  );

  scenario(
    'do not count steps of a plan that was requested later by other agents',
    () =>
      team({ scout: { a: needsContext('More') }, coder: { b: requestReplan({ reason: 'Old' }) } }, [
        ['scout:a', 'coder:b<a'],
        new Error('No model today'),
        ['coder:c', 'coder:d'],
      ]),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(replansOf(report, 'scout')).toEqual([1, 1, 0]);
      expect(replansOf(report, 'coder')).toEqual([1, 1, 2]);
    },
  );

  scenario(
    'leave out replans caused by a failed step',
    () => team({ scout: { a: new Error('Broken') } }, [['scout:a'], ['coder:b', 'coder:c']]),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started')).toMatchObject([{ stepIds: ['a'] }]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(replansOf(report, 'scout')).toEqual([0, 0, 0]);
    },
  );

  scenario(
    'leave out hand-offs, except one that became a request',
    () =>
      team(
        {
          scout: { a: handOff({ agent: 'coder', task: 'Do the rest of it' }) },
          coder: { coder_rp1: handOff({ agent: 'scout', task: 'Look at it again' }) },
        },
        [['scout:a']],
        { limits: { maxReplans: 1 } },
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(replansOf(report, 'scout')).toEqual([0, 0, 0]);
      expect(replansOf(report, 'coder')).toEqual([1, 0, 0]);
    },
  );
});
