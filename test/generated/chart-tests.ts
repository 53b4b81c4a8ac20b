import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { Sightings } from '../../src/proof/paths/observe.js';
import { behaviourOf } from './behaviour.js';
import type { ChartName, ChartPaths } from './chart-paths.js';
import { elementsOfChart, explorePathsOf, replayPaths, uncovered } from './chart-paths.js';

/** A guard against a test that hangs, on a machine that may be busy. */
const PATIENCE_MS = 300_000;

/** The tests of one chart: explored, replayed, covered, and compared with the recorded behaviour. */
export const describeChart = (chart: ChartName): void => {
  describe(`the paths of the chart ${chart}`, () => {
    const seen = new Sightings();
    let explorations: readonly ChartPaths[] = [];
    beforeAll(() => {
      explorations = explorePathsOf(chart);
    }, PATIENCE_MS);

    it(
      'are the same by the kernel and by the interpreter of XState, step by step',
      async () => {
        for (const exploration of explorations) {
          const { failures, sightings } = await replayPaths(exploration);
          expect(failures.slice(0, 3), exploration.configuration.name).toEqual([]);
          seen.add(sightings);
        }
        process.stdout.write(`${summaryOf(chart, explorations, seen)}\n`);
      },
      PATIENCE_MS,
    );

    it('reach every state and every transition, as observed on live actors', () => {
      expect(uncovered(chart, seen)).toEqual({ states: [], transitions: [] });
    });

    it('match the recorded behaviour: a change of behaviour is a change of the list', async () => {
      const file = join(import.meta.dirname, `behaviour/${chart}.txt`);
      await expect(behaviourOf(explorations)).toMatchFileSnapshot(file);
    });
  });
};

const summaryOf = (
  chart: ChartName,
  explorations: readonly ChartPaths[],
  seen: Sightings,
): string => {
  const { states, transitions } = elementsOfChart(chart);
  const left = uncovered(chart, seen);
  const paths = explorations.flatMap(({ explored }) => explored.paths);
  const steps = paths.reduce((sum, path) => sum + path.steps.length, 0);
  const edges = explorations.reduce((sum, { explored }) => sum + explored.edges.length, 0);
  return [
    `${chart}: ${states.length - left.states.length} of ${states.length} states`,
    `${transitions.length - left.transitions.length} of ${transitions.length} transitions`,
    `${explorations.length} configurations, ${edges} edges, ${paths.length} paths, ${steps} steps`,
  ].join(', ');
};
