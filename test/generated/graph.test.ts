import { expect, it } from 'vitest';

import { exploreWithXState } from '../../src/proof/paths/graph.js';
import type { ChartPaths } from './chart-paths.js';
import { explorePathsOf } from './chart-paths.js';
import { exploreWithGraph } from './graph.js';

const roadsOf = (explorations: readonly ChartPaths[]): string[][] =>
  explorations.flatMap(({ explored }) =>
    explored.paths.map(({ steps }) => steps.map(({ happening }) => happening.says)),
  );

it.each(['breaker', 'agentCall'] as const)(
  'finds the same paths through the chart %s with @xstate/graph as with xstate/graph, which users get',
  (chart) => {
    const roads = roadsOf(explorePathsOf(chart, undefined, exploreWithGraph));
    expect(roads.length).toBeGreaterThan(10);
    expect(roads).toEqual(roadsOf(explorePathsOf(chart, undefined, exploreWithXState)));
  },
);
