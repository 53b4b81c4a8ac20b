import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import type { Charts } from '../generated/chart-paths.js';
import { machineFor } from '../generated/chart-paths.js';
import { root } from '../package/manifest.js';
import type { ActionSite } from './action-sites.js';
import { ACTION_MUTATIONS, actionSites, sourceOf } from './action-sites.js';
import type { ChartName, Mutation } from './mutants.js';
import type { PathSuite } from './path-suite.js';
import { differenceOnPaths } from './path-suite.js';

/*
 * What actions ask is written into the sources, so a mistake in it is made there: the charts are bundled with it, and taken
 * along the paths of the charts as they are.
 */

export interface ActionMutant {
  /** Begins with `in`, which no chart does. */
  readonly id: string;
  readonly site: ActionSite;
  readonly mutation: Mutation;
}

export const actionMutants = (): ActionMutant[] =>
  actionSites().flatMap((site) =>
    ACTION_MUTATIONS[site.answers].map((mutation) => ({
      id: `in ${site.name} ${mutation}`,
      site,
      mutation,
    })),
  );

const CHANGES: Readonly<Record<Mutation, (call: string, site: ActionSite) => string>> = {
  negated: (call) => `!${call}`,
  'always true': () => 'true',
  'never taken': (_, { answers }) => NOTHING[answers],
  'one more': (call) => `(${call} + 1)`,
  'one less': (call) => `(${call} - 1)`,
};

const NOTHING: Readonly<Record<ActionSite['answers'], string>> = {
  boolean: 'false',
  number: '0',
  'or undefined': 'undefined',
  'or null': 'null',
};

const ENTRY = `
export { agentCallMachine as agentCall } from './src/machines/agent-call/chart.js';
export { approvalMachine as approval } from './src/machines/approval/chart.js';
export { breakerMachine as breaker } from './src/machines/breaker/chart.js';
export { createOrchestratorMachine as orchestrator } from './src/machines/orchestrator/chart.js';
export { stepMachine as step } from './src/machines/step/chart.js';
`;

/** The charts with one mistake. The folder must lie where XState is found, so that it is the same one. */
export const chartsWith = async (
  { id, site, mutation }: ActionMutant,
  folder: string,
): Promise<Charts> => {
  const outfile = join(folder, `${id.replaceAll(/\W+/g, '-')}.mjs`);
  const source = sourceOf(site.file);
  const changed = CHANGES[mutation](source.slice(site.start, site.end), site);
  const contents = `${source.slice(0, site.start)}${changed}${source.slice(site.end)}`;
  await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    external: ['xstate', 'zod'],
    plugins: [
      {
        name: 'a mistake in an action',
        setup: ({ onLoad }) => {
          onLoad({ filter: /src[\\/]machines[\\/].+\.ts$/ }, ({ path }) =>
            path === join(root, 'src/machines', site.file) ? { contents, loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  return (await import(pathToFileURL(outfile).href)) as Charts;
};

/** The first configuration whose paths show the mistake; undefined when none does. */
export const configurationRefuting = (
  charts: Charts,
  chart: ChartName,
  suites: readonly PathSuite[],
): string | undefined =>
  suites.find(
    ({ configuration, input, steps }) =>
      differenceOnPaths(machineFor(charts, chart, configuration), input, steps) !== undefined,
  )?.name;
