import { beforeAll, describe, expect, it } from 'vitest';

import { createSimulator } from '../../src/proof/simulate/simulator.js';
import type { Covered } from './chart-coverage.js';
import { ChartCoverage } from './chart-coverage.js';

/* The coverage of the charts by simulated worlds. The generated paths cover everything; this measures random runs. */

const WORLDS = 600;

/** Only a crash of our own code leads there, and none of it crashes. */
const isCrash = ({ name }: Covered): boolean => name.includes(' xstate.error.actor');

describe('the charts in simulated worlds', () => {
  const coverage = new ChartCoverage();

  beforeAll(async () => {
    const simulator = createSimulator({}, { runnerOf: coverage.runnerOf });
    for (let seed = 0; seed < WORLDS; seed += 1) {
      const { violations } = await simulator.run(seed);
      expect(violations, `seed ${seed}, by XState's own interpreter of transitions`).toEqual([]);
      coverage.count();
    }
  }, 300_000);

  it('are in nearly every state in some world', () => {
    const unseen = [...coverage.states.values()].filter(({ worlds }) => worlds === 0);
    const names = unseen.map(({ name }) => name);
    // The first decision is left before a world can look.
    expect(names).toContain('step.approvalDecision');
    // The rarest are reached in two or three worlds of these: a change of the charts may lose one of them.
    expect(names.length, names.join(', ')).toBeLessThanOrEqual(3);
  });

  it('take most of their transitions, and the coverage is printed', () => {
    const transitions = [...coverage.transitions.values()].filter((each) => !isCrash(each));
    const taken = transitions.filter(({ worlds }) => worlds > 0);
    process.stdout.write(`\n${report(coverage)}\n`);
    expect(taken.length / transitions.length).toBeGreaterThan(0.8);
  });
});

const share = ({ worlds }: Covered): string => `${((100 * worlds) / WORLDS).toFixed(1)} %`;

/** The counts of each chart, and the rarest of what was reached. */
const report = ({ states, transitions }: ChartCoverage): string => {
  const lines = [states, transitions].flatMap((map, index) => {
    const all = [...map.values()];
    const what = index === 0 ? 'states' : 'transitions';
    return [...new Set(all.map(({ chart }) => chart))].map((chart) => {
      const own = all.filter((each) => each.chart === chart);
      const seen = own.filter(({ worlds }) => worlds > 0).length;
      return `  ${chart.padEnd(14)} ${String(seen).padStart(3)} of ${own.length} ${what}`;
    });
  });
  const rarest = [...states.values()].sort((left, right) => left.worlds - right.worlds).slice(0, 8);
  const rare = rarest.map((each) => `  ${share(each).padStart(7)}  ${each.name}`);
  return [`${WORLDS} worlds in the charts:`, ...lines, '  rarest states:', ...rare].join('\n');
};
