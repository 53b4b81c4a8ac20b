import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  askHuman,
  blocked,
  definePolicy,
  handOff,
  needsContext,
  type PolicyOverrides,
} from '../../src/index.js';
import { bound, refusable } from '../../src/model/statuses.js';
import { workerBy } from '../scenarios/by-step.js';
import { play } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { steps } from '../scenarios/team.js';
import { tableRows } from './markdown.js';

/* Every row of the table of refused requests in docs/policy.md, reached by a run. */

interface Situation {
  readonly policy?: PolicyOverrides;
  /** What the agent answers in step `a`. */
  readonly a: unknown;
  /** Without plans the run has no planner. */
  readonly plans?: readonly unknown[];
  readonly hasTester?: boolean;
}

const twice = { count: 2, choose: 'majority' };
const voted = { steps: steps('a').map((step) => ({ ...step, votes: twice })) };

const situations: Readonly<Record<string, Situation>> = {
  'replan replan-limit': {
    policy: { limits: { maxReplans: 0 } },
    a: needsContext('More'),
    plans: [['a']],
  },
  'replan repeated-plan': { a: needsContext('More'), plans: [['a'], ['a']] },
  'replan no-planner': { a: needsContext('More') },
  'handOff replan-limit': {
    policy: { limits: { maxReplans: 0 } },
    a: handOff({ agent: 'worker', task: 'Do it' }),
  },
  'handOff unknown-agent': { a: handOff({ agent: 'wizard', task: 'Do it' }) },
  'subplan depth-limit': {
    policy: { limits: { maxDepth: 1, maxAttempts: 1, maxReplans: 0 } },
    a: blocked('Too hard'),
    plans: [['a'], ['b']],
  },
  'question question-limit': {
    policy: { approval: { maxQuestions: 0 }, limits: { maxAttempts: 1 } },
    a: askHuman({ question: 'Where?' }),
  },
  'fix fix-limit': { policy: { limits: { maxFixCycles: 1 } }, a: 'an output', hasTester: true },
  'vote vote-limit': {
    policy: { limits: { maxVotes: 2, maxAttempts: 1, maxReplans: 0, maxDepth: 0 } },
    a: ({ key }: { key: string }) => key,
    plans: [voted],
  },
};

const reportOf = async ({ policy = {}, a, plans, hasTester = false }: Situation) => {
  const { report } = await play('straight', () => ({
    options: {
      agents: [workerBy({ a, 'a/b': blocked('Too hard as well') })],
      ...(plans === undefined ? {} : { planner: plannerInTurn(...plans) }),
      ...(hasTester ? { tester: () => ({ passed: false, failures: ['One'] }) } : {}),
      policy: definePolicy(policy),
    },
    ...(plans === undefined ? { start: { plan: { steps: steps('a') } } } : {}),
  }));
  return report;
};

const page = readFileSync(join(import.meta.dirname, '../../docs/policy.md'), 'utf8');
const rows = tableRows(page, 'refused').map(([what = '', at = '']) =>
  `${what} ${at}`.replaceAll('`', ''),
);

describe('the table of refused requests in docs/policy.md', () => {
  it('has a row for every situation here, and names every request and every bound', () => {
    expect(rows).toEqual(Object.keys(situations));
    const words = new Set(rows.flatMap((row) => row.split(' ')));
    expect([...words].sort()).toEqual([...refusable.options, ...bound.options].sort());
  });

  it.each(Object.entries(situations))('is right about %s', async (row, situation) => {
    const report = await reportOf(situation);
    expect(report.refused.map(({ what, bound: at }) => `${what} ${at}`)).toContain(row);
    expect(report.allSucceeded).toBe(false);
    expect(report.reason.split(': ').at(-1)).toBe(row.split(' ').at(-1));
  });

  it.each([
    { policy: { limits: { maxDepth: 0, maxAttempts: 1, maxReplans: 0 } }, a: blocked('Too hard') },
    { policy: { limits: { maxFixCycles: 0, maxReplans: 0 } }, a: 'an output', hasTester: true },
  ])('is right that a bound of 0 refuses nothing: $policy', async (situation) => {
    const report = await reportOf({ ...situation, plans: [['a']] });
    expect(report.failedSteps).toEqual(['a']);
    expect(report.refused).toEqual([]);
  });
});
