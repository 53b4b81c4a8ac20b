import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Policy } from '../../src/index.js';
import { definePolicy, needsContext } from '../../src/index.js';
import { after, workerBy } from '../scenarios/by-step.js';
import { play } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { tableRows } from './markdown.js';

/* The example of docs/replanning.md, played with every merge, has the results in the table. */

const text = readFileSync(join(import.meta.dirname, '../../docs/replanning.md'), 'utf8');
const rows = tableRows(text, 'merge').map(([merge = '', , , completed = '', rest = '']) => ({
  merge: merge.replaceAll('`', '') as Policy['replan']['merge'],
  completed: completed.replaceAll('`', ''),
  rest: rest.replaceAll('`', ''),
}));

describe('the table of merges in docs/replanning.md', () => {
  it('has a row for every merge', () => {
    expect(rows.map(({ merge }) => merge)).toEqual([
      'replacePending',
      'append',
      'appendNext',
      'replaceAll',
    ]);
  });

  it.each(rows)('is right about $merge', async ({ merge, completed, rest }) => {
    const { report, facts } = await play('straight', (clock) => ({
      options: {
        agents: [
          workerBy({
            a: after(clock, 10, needsContext('More')),
            b: after(clock, 50, 'did b'),
          }),
        ],
        planner: plannerInTurn(['a', 'b', 'c'], ['x']),
        policy: definePolicy({ limits: { maxParallel: 2 }, replan: { merge } }),
      },
    }));

    const order = facts.flatMap((fact) => (fact.type === 'step.completed' ? [fact.stepId] : []));
    expect(order.join(', ')).toBe(completed);
    const others = report.steps.filter(({ status }) => status !== 'completed');
    expect(others.map(({ id, status }) => `${id} ${status}`).join(', ')).toBe(rest);
  });
});
