import { counted } from '../proof/prove/counted.js';
import { METRICS } from '../proof/prove/metrics.js';
import type { Proof } from '../proof/prove/prove.types.js';
import { amountText, metricName } from './quantities.js';

/** The proof as a person reads it in a terminal. */
export const priceTag = (proof: Proof): string =>
  [
    proof.isProved ? 'PROVED' : 'REFUTED',
    '',
    ...(proof.maxima === null ? refutation(proof) : maxima(proof)),
    '',
    ...exploredLines(proof),
    // A search that stopped at a broken rule has not seen all states.
    ...(proof.isProved ? ['', ...coverageLines(proof)] : []),
  ].join('\n');

const maxima = ({ maxima: found, planSteps }: Proof): string[] => {
  if (found === null) return [];
  const rows = METRICS.map((metric) => [
    metricName(metric),
    String(found[metric].value),
    String(found[metric].bound),
  ]);
  return [
    `The most a run can cost, with plans of at most ${counted(planSteps, ['step', 'steps'])}:`,
    '',
    ...table([['', 'proved', 'bounds()'], ...rows]),
    '',
    ...METRICS.filter((metric) => found[metric].value > 0).flatMap((metric) => [
      `Path to the maximum of ${amountText(metric, found[metric].value)}:`,
      ...numbered(found[metric].witness.sentences),
      '',
    ]),
  ];
};

const refutation = ({ counterexample }: Proof): string[] =>
  counterexample === null
    ? []
    : [
        `${counterexample.rule}: ${counterexample.message}`,
        '',
        ...numbered(counterexample.witness.sentences),
        '',
        'As a test:',
        '',
        counterexample.test,
      ];

const exploredLines = ({ explored, method }: Proof): string[] => [
  method === 'wholeRun' ? 'Explored, all charts together:' : 'Explored, chart by chart:',
  '',
  ...table([
    ['', 'states', 'moves', 'highest rank'],
    ...explored.map(({ system, nodes, edges, highestRank }) => [
      system,
      String(nodes),
      String(edges),
      String(highestRank),
    ]),
  ]),
];

const coverageLines = ({ coverage }: Proof): string[] => [
  'Chart coverage under this policy:',
  '',
  ...coverage.map(
    ({ chart, states, coveredStates, transitions, coveredTransitions }) =>
      `${chart}: ${coveredStates} of ${states} states, ${coveredTransitions} of ${transitions} transitions`,
  ),
];

const numbered = (sentences: readonly string[]): string[] =>
  sentences.map((sentence, index) => `${String(index + 1).padStart(4)}  ${sentence}`);

const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
};
