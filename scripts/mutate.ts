// Tests every mutant of every guard with the generated paths and with the proof, and records the results.
// The proof takes most of the time. `-- --paths` leaves it out, `-- --proof` only continues it, `-- --page` only writes the
// page. Results are kept between runs; `-- --fresh` starts from the beginning.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  actionMutants,
  chartsWith,
  configurationRefuting,
} from '../test/mutation/action-mutants.js';
import type { ChartMutants } from '../test/mutation/chart-mutants.js';
import { chartMutantsOf, CHARTS, refutingConfiguration } from '../test/mutation/chart-mutants.js';
import { mutationsPage, mutationsTable } from '../test/mutation/page.js';
import { askedGuards, PROOF_CASES, refutationByProof } from '../test/mutation/proof-suite.js';
import type { Results } from '../test/mutation/results.js';
import { readResults, readSurvivors, writeResults } from '../test/mutation/results.js';

const PROGRESS_EVERY = 10;

const STRIDE = 8;

const isAsked = (option: string): boolean => process.argv.includes(option);

const withPaths = (charts: readonly ChartMutants[]): Results => {
  const before = isAsked('--fresh') ? {} : readResults();
  const results: Results = {};
  for (const chart of charts) {
    for (const mutant of chart.mutants) {
      const paths = refutingConfiguration(chart, mutant) ?? null;
      results[mutant.id] = { ...before[mutant.id], paths };
    }
    console.log(`${chart.chart}: ${chart.mutants.length} mutants tried against the paths`);
  }
  return results;
};

/** Mutants of conditions inside actions, in a folder from which XState can be imported. */
const withActions = async (charts: readonly ChartMutants[], results: Results): Promise<void> => {
  const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.mutants-'));
  const mutants = actionMutants();
  for (const mutant of mutants) {
    const broken = await chartsWith(mutant, folder);
    const refuting = charts
      .filter(({ chart }) => mutant.site.charts.includes(chart))
      .map(({ chart, suites }) => configurationRefuting(broken, chart, suites));
    results[mutant.id] = { paths: refuting.find((name) => name !== undefined) ?? null };
  }
  rmSync(folder, { recursive: true });
  console.log(`${mutants.length} mistakes in actions tried against the paths`);
};

/** So that a run that is stopped early has tested some mutants of every kind. */
const spread = <Item>(items: readonly Item[]): Item[] =>
  Array.from({ length: STRIDE }, (_, start) =>
    items.filter((_item, index) => index % STRIDE === start),
  ).flat();

const addProofs = (charts: readonly ChartMutants[], results: Results): void => {
  const cases = PROOF_CASES.map((each) => ({ ...each, asked: askedGuards(each) }));
  const mutants = spread(charts.flatMap((chart) => chart.mutants));
  for (const [index, mutant] of mutants.entries()) {
    const known = results[mutant.id];
    if (known === undefined || known.proof !== undefined) continue;
    let proof: string | null = null;
    for (const each of cases.filter(({ asked }) => asked.has(mutant.guard))) {
      const refutation = refutationByProof(mutant, each);
      if (refutation === undefined) continue;
      proof = `${each.name}: ${refutation}`;
      break;
    }
    results[mutant.id] = { ...known, proof };
    if (index % PROGRESS_EVERY > 0) continue;
    writeResults(results);
    console.log(`${index + 1} of ${mutants.length} mutants tried against the proof`);
  }
};

const resultsNow = async (): Promise<Results> => {
  if (isAsked('--page')) return readResults();
  const charts = CHARTS.map(chartMutantsOf);
  const found = isAsked('--proof') ? readResults() : withPaths(charts);
  if (!isAsked('--proof')) await withActions(charts, found);
  writeResults(found);
  if (!isAsked('--paths')) addProofs(charts, found);
  writeResults(found);
  return found;
};

const results = await resultsNow();
const survivors = readSurvivors();
writeFileSync(
  join(import.meta.dirname, '../docs/internals/mutations.md'),
  mutationsPage(results, survivors),
);
console.log(mutationsTable(results, survivors));
const unexplained = Object.entries(results).filter(
  ([id, { paths, proof }]) => paths === null && (proof ?? null) === null && !(id in survivors),
);
for (const [id] of unexplained) console.log(`survives without an explanation: ${id}`);
process.exitCode = unexplained.length === 0 ? 0 : 1;
