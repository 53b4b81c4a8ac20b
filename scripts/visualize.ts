// Draws the charts and a run: everything in `visualizations/`. A test fails when it is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { presets } from '../src/index.js';
import { agentCallMachine } from '../src/machines/agent-call/chart.js';
import { approvalMachine } from '../src/machines/approval/chart.js';
import { breakerMachine } from '../src/machines/breaker/chart.js';
import { createOrchestratorMachine } from '../src/machines/orchestrator/chart.js';
import { stepMachine } from '../src/machines/step/chart.js';
import type { NamedChart } from './visualize/gallery.js';
import { gallery } from './visualize/gallery.js';
import { chartOf, phasesOf } from './visualize/chart.js';
import { machineSource } from './visualize/machine-source.js';
import { stateDiagram } from './visualize/mermaid.js';
import {
  overviewPictureOf,
  phasePicturesOf,
  phasesPictureOf,
  pictureOf,
} from './visualize/picture.js';
import { runPicture } from './visualize/run-picture.js';

const root = join(import.meta.dirname, '..');

/** The settings do not change the picture: stages that a policy turns off are drawn and not entered. */
const orchestratorMachine = createOrchestratorMachine({
  policy: presets.supervised(),
  team: {
    agents: ['coder', 'reviewer'],
    fallbacks: [],
    hasPlanner: true,
    hasSupervisor: true,
    hasTester: true,
    hasSummarizer: true,
  },
});

export const charts: readonly NamedChart[] = [
  ['orchestrator', orchestratorMachine],
  ['step', stepMachine],
  ['agent-call', agentCallMachine],
  ['approval', approvalMachine],
  ['breaker', breakerMachine],
];

/** Large charts have a second picture, with the names only. */
export const overviews: ReadonlySet<string> = new Set(['orchestrator', 'step']);

/** The expected content of every generated file, by its path. */
export const visualizations = async (): Promise<ReadonlyMap<string, string>> => {
  const files = await Promise.all(charts.map(filesOf));
  return new Map([
    ...files.flat(),
    ['visualizations/README.md', gallery(charts, overviews, phaseNames, repositoryUrl())],
    ['visualizations/run.svg', runPicture(join(root, 'test/examples/recorded-facts.jsonl'))],
  ]);
};

/** The chart with phases: its overview shows them as boxes, and each has its own picture. */
export const PHASED = 'orchestrator';

const phaseNames = ([name, machine]: NamedChart): readonly string[] =>
  name === PHASED ? phasesOf(chartOf(machine)).map((phase) => phase.name) : [];

type File = [path: string, text: string];

const overviewFiles = async ([name, machine]: NamedChart): Promise<File[]> => {
  if (!overviews.has(name)) return [];
  const overview = `visualizations/${name}.overview.svg`;
  if (name !== PHASED) return [[overview, await overviewPictureOf(machine)]];
  const phases = await phasePicturesOf(machine);
  return [
    [overview, await phasesPictureOf(machine, (phase) => `${name}.${phase}.svg`)],
    // For the page of a proof, which marks single states.
    [`visualizations/${name}.states.svg`, await overviewPictureOf(machine)],
    ...phases.map(([phase, svg]): File => [`visualizations/${name}.${phase}.svg`, svg]),
  ];
};

const filesOf = async ([name, machine]: NamedChart): Promise<File[]> => [
  [`visualizations/${name}.svg`, await pictureOf(machine)],
  ...(await overviewFiles([name, machine])),
  [`visualizations/${name}.mmd`, stateDiagram(machine)],
  [`visualizations/${name}.json`, `${JSON.stringify(machine.config, null, 2)}\n`],
  [`visualizations/${name}.machine.ts`, machineSource(machine)],
];

const repositoryUrl = (): string | undefined => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly repository?: { readonly url: string };
  };
  return manifest.repository?.url;
};

if (process.argv[1] === import.meta.filename) {
  for (const [path, text] of await visualizations()) writeFileSync(join(root, path), text);
}
