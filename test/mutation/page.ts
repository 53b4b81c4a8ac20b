import { CHARTS } from './chart-mutants.js';
import { MUTATIONS } from './mutants.js';
import type { Results, Survivors } from './results.js';

/* docs/internals/mutations.md, made from the results of the last full run. */

type Row = readonly [id: string, result: Results[string]];

const isRefutedByPaths = ([, { paths }]: Row): boolean => paths !== null;

const isRefutedByProof = ([, { proof }]: Row): boolean => (proof ?? null) !== null;

const isTriedByProof = ([, { proof }]: Row): boolean => proof !== undefined;

const isRefuted = (row: Row): boolean => isRefutedByPaths(row) || isRefutedByProof(row);

export const mutationsPage = (results: Results, survivors: Survivors): string => {
  const rows = Object.entries(results);
  const refuted = rows.filter(isRefuted).length;
  const percent = ((100 * refuted) / rows.length).toFixed(1);
  return `# Mutants

<!-- Written by \`npm run mutate\` from \`test/mutation\`; change it there. -->

Every guard of every chart is broken on purpose, one at a time. This page says who notices: the [generated
paths](../architecture.md#invariants) and \`prove\`. The scenario tests are not run on mutants. The mutants are made from the
charts, none is picked by hand: ${rows.length} in the last full run, of which ${refuted} were noticed (${percent} %). The others do nothing
wrong, and the reason is given [below](#mutants-that-do-nothing-wrong); a new one without a reason fails the tests.

## What is broken

- \`transitionMutants\` in \`test/mutation/mutants.ts\`: every transition with a guard is taken when the guard says no (negated),
  whatever it says (always true), and not at all (never taken).
- \`numberMutants\` in \`test/mutation/mutants.ts\`: every number that a guard compares is read as one more or one less. Which numbers
  those are is seen while the guard is asked on the paths: \`Comparisons\` in \`test/mutation/numbers-compared.ts\` moves each number
  that is read far up and far down, and where the answer changes the guard compares it.
- \`actionMutants\` in \`test/mutation/action-mutants.ts\`: what guards ask is also asked where something is done, by actions,
  delays and inputs. Each such call in \`src/machines\` is negated, always true, never, one more or one less, in the source; the charts
  are bundled with it.

## Who notices

- The paths: every step of every generated path that asks the guard is taken by the mutant from the same state, and has to reach
  the same state, facts, calls, timers and messages (\`refutationByPaths\` in \`test/mutation/path-suite.ts\`). What the charts do
  on these paths is written down in \`test/generated/behaviour\`. The paths compare with the chart as it is: they notice that
  something changed, not that it is wrong.
- The proof: \`proveCharts\` in \`src/proof/prove/prove.ts\` has to find a broken rule, or a maximum that is not what \`bounds()\`
  says, in one of ${PROOF_CASES_TEXT}. It looks for promises that are broken, not for differences: a mutant that is more
  cautious than the chart, or that tells something else, keeps every promise, and only the paths see it.

${mutationsTable(results, survivors)}

${kindsTable(rows)}

The paths are tried on every \`npm test\`, and so are the proof and the mistakes in actions on a sample of what was refuted here;
\`npm run mutate\` tries everything.

## Mutants that do nothing wrong

${survivorsTable(survivors)}
`;
};

const PROOF_CASES_TEXT = 'its small policies (`PROOF_CASES` in `test/mutation/proof-suite.ts`)';

const IN_ACTIONS = 'in actions';

/** One row per chart: what there is, and who noticed. */
export const mutationsTable = (results: Results, survivors: Survivors): string => {
  const rows = Object.entries(results);
  return table(
    ['chart', 'mutants', 'refuted by the paths', 'by the proof', 'by either', 'equivalent'],
    [...CHARTS, IN_ACTIONS, 'all'].map((chart) => {
      const start = chart === IN_ACTIONS ? 'in ' : `${chart} `;
      const own = rows.filter(([id]) => chart === 'all' || id.startsWith(start));
      return [
        chart,
        own.length,
        own.filter(isRefutedByPaths).length,
        proofCell(own),
        own.filter(isRefuted).length,
        own.filter(([id]) => id in survivors).length,
      ];
    }),
  );
};

/** The proof takes its time, so it says of how many it was asked. */
const proofCell = (rows: readonly Row[]): string =>
  `${rows.filter(isRefutedByProof).length} of ${rows.filter(isTriedByProof).length} tried`;

const kindsTable = (rows: readonly Row[]): string =>
  table(
    ['mutation', 'mutants', 'refuted by the paths', 'by the proof', 'by either'],
    MUTATIONS.map((mutation) => {
      const own = rows.filter(([id]) => id.endsWith(mutation));
      return [
        mutation,
        own.length,
        own.filter(isRefutedByPaths).length,
        proofCell(own),
        own.filter(isRefuted).length,
      ];
    }),
  );

const survivorsTable = (survivors: Survivors): string =>
  table(
    ['mutant', 'why it is the same'],
    Object.entries(survivors).map(([id, reason]) => [`\`${id}\``, reason]),
  );

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
