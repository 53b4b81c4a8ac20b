import { afterAll, describe, expect, it } from 'vitest';

import { workshop } from '../prove/planted-bug.js';
import { actionMutants, chartsWith, configurationRefuting } from './action-mutants.js';
import type { ChartMutants } from './chart-mutants.js';
import { CHARTS, chartMutantsOf, refutingConfiguration } from './chart-mutants.js';
import { guardsOf } from './guards-asked.js';
import type { Mutant } from './mutants.js';
import { PROOF_CASES, refutationByProof } from './proof-suite.js';
import { readResults, readSurvivors } from './results.js';

/** A guard against a test that hangs, on a machine that may be busy. */
const PATIENCE_MS = 600_000;

/** Of the mutants that the proof refuted, every so many is tried again. */
const SAMPLE_EVERY = 60;

/** The same for mistakes in actions: each is a bundle of its own. */
const ACTION_SAMPLE_EVERY = 20;

const { folder, close } = workshop();
afterAll(close);

const survivors = readSurvivors();
const results = readResults();

const isOf = (chart: string) => (id: string) => id.startsWith(`${chart} `);

describe.each(CHARTS)('the guards of the chart %s', (chart) => {
  it(
    'are missed when any of them is wrong: by the generated paths, except where it makes no difference',
    async () => {
      const all = chartMutantsOf(chart);
      const { mutants, suites } = all;
      const surviving = mutants.filter(
        (mutant) => refutingConfiguration(all, mutant) === undefined,
      );
      expect(surviving.map(({ id }) => id).sort()).toEqual(
        Object.keys(survivors).filter(isOf(chart)).sort(),
      );
      const mutated = new Set(mutants.map(({ guard }) => guard));
      const guards = suites.flatMap((suite) => Object.keys(guardsOf(suite.chart)));
      expect(guards.filter((guard) => !mutated.has(guard))).toEqual([]);
      expect(checkSample(mutants)).toEqual([]);
      expect(await checkActions(all)).toEqual([]);
      process.stdout.write(
        `${chart}: ${mutants.length} mutants, ${mutants.length - surviving.length} refuted\n`,
      );
    },
    PATIENCE_MS,
  );
});

/** Those of the sample that the proof no longer refutes in the way it did. */
const checkSample = (mutants: readonly Mutant[]): string[] =>
  mutants
    .filter(({ id }) => (results[id]?.proof ?? null) !== null)
    .filter((_, index) => index % SAMPLE_EVERY === 0)
    .filter((mutant) => {
      const proof = results[mutant.id]?.proof ?? '';
      const proofCase = PROOF_CASES.find(({ name }) => proof.startsWith(`${name}: `));
      return proofCase === undefined || refutationByProof(mutant, proofCase) === undefined;
    })
    .map(({ id }) => id);

/** Those of the sample of mistakes in actions that the paths of the chart no longer show. */
const checkActions = async ({ chart, suites }: ChartMutants): Promise<string[]> => {
  const sample = actionMutants()
    .filter(
      ({ id, site: { charts } }) => charts[0] === chart && (results[id]?.paths ?? null) !== null,
    )
    .filter((_, index) => index % ACTION_SAMPLE_EVERY === 0);
  const missed: string[] = [];
  for (const mutant of sample) {
    const charts = await chartsWith(mutant, folder);
    if (configurationRefuting(charts, chart, suites) === undefined) missed.push(mutant.id);
  }
  return missed;
};

describe('the mutants', () => {
  it('are not refuted when nothing is wrong', () => {
    const unchanged: Mutant = {
      id: 'breaker as it is',
      chart: 'breaker',
      guard: 'hasReachedFailureLimit',
      mutation: 'negated',
      clues: ['hasReachedFailureLimit {} true', 'hasReachedFailureLimit {} false'],
      mutate: (chart) => chart,
    };
    expect(refutingConfiguration(chartMutantsOf('breaker'), unchanged)).toBeUndefined();
    for (const proofCase of PROOF_CASES.slice(0, 2)) {
      expect(refutationByProof(unchanged, proofCase)).toBeUndefined();
    }
  });
});
