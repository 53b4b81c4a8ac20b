import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it, vi } from 'vitest';

import { charts } from '../../scripts/visualize.js';
import { edgesOf, edgesWithoutChoices } from './machine-edges.js';
import { staticExtractor } from './static-extractor.js';

/* What a tool reads from the text of a chart is what runs: nothing is spread, computed or made elsewhere. */

const root = join(import.meta.dirname, '..', '..');

const extract = await staticExtractor();

beforeAll(() => {
  // It reports every selector in a chart as unreadable; none of them draws an edge.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

/** The chart of the orchestrator has a file for each phase; visualizations has the whole. */
const sourcesOf = (name: string): string[] =>
  name === 'orchestrator'
    ? [`visualizations/${name}.machine.ts`]
    : [`src/machines/${name}/chart.ts`, `visualizations/${name}.machine.ts`];

describe.each(charts)('the static reader, on the chart %s', (name, machine) => {
  it.each(sourcesOf(name))('finds in %s every transition of the machine, and no other', (path) => {
    const read = edgesWithoutChoices(extract(readFileSync(join(root, path), 'utf8')));
    expect(read.length).toBeGreaterThan(0);
    expect(read).toEqual(edgesOf(machine));
  });
});

it('the static reader loses what a chart takes from elsewhere, so that the comparison can fail', () => {
  const door = (on: string): string =>
    `import { ways } from './ways.js';
    createMachine({ id: 'door', initial: 'shut', states: { shut: { on: ${on} }, open: {} } })`;
  expect(edgesOf(extract(door(`{ push: { guard: 'isStrong', target: 'open' } }`)))).toEqual([
    'door.shut, push, door.open, isStrong',
  ]);
  expect(edgesOf(extract(door('{ ...ways }')))).toEqual([]);
});
