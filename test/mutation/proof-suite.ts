import { chartsOf } from '../../src/orchestrator/charts.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import { METRICS } from '../../src/proof/prove/metrics.js';
import { proveCharts } from '../../src/proof/prove/prove.js';
import type { Proof, ProveOptions } from '../../src/proof/prove/prove.types.js';
import { small } from '../prove/configurations.js';
import { watchedGuards } from './guards-asked.js';
import type { Mutant } from './mutants.js';

/* Small policies, each proved in about a second, that together give every guard something to decide. */

export interface ProofCase {
  readonly name: string;
  readonly policy: Policy;
  readonly team: Partial<ProveOptions>;
}

/** More states than any of our own charts has in these cases: a mutant beyond that is not proved, and not refuted. */
const NODES_MAX = 3_000;

const OPTIONS = { agents: ['worker'], method: 'wholeRun' } as const satisfies ProveOptions;

const proofCase = (
  name: string,
  overrides: PolicyOverrides,
  team: Partial<ProveOptions> = {},
): ProofCase => ({
  name,
  policy: small(overrides),
  team,
});

/** Cheapest first: most mutants that the proof refutes are refuted by the first few. */
export const PROOF_CASES: readonly ProofCase[] = [
  proofCase('one step', {}),
  proofCase('two tries', { retry: { attempts: 2 } }),
  proofCase('a question, a no ends the run', { approval: { maxQuestions: 1, onReject: 'fail' } }),
  proofCase('a budget of calls', { limits: { maxAgentCalls: 2 } }),
  proofCase('a goal that is judged', { gates: { goal: 80 } }),
  proofCase('tests and a fix', { limits: { maxFixCycles: 1 } }, { tester: true }),
  proofCase('code that is reviewed', { gates: { code: 60 }, limits: { maxAttempts: 2 } }),
  proofCase('a step that is verified', { gates: { step: 70 } }),
  proofCase('two votes', { limits: { maxVotes: 2 } }),
  proofCase('a plan that a person reads', { approval: { plan: true }, limits: { maxReplans: 1 } }),
  proofCase('a failure stops the run', {
    limits: { maxSteps: 2 },
    failure: { onStepFailure: 'stop' },
  }),
  proofCase('a breaker', { retry: { attempts: 2 }, breaker: { failures: 1, resetMs: 1000 } }),
  proofCase('two steps at once', { limits: { maxSteps: 2, maxParallel: 2 } }),
  proofCase('one replan', { limits: { maxReplans: 1 } }),
  proofCase('a sub-plan', { limits: { maxDepth: 1 } }),
];

/** The guards that are asked in a case: a mistake in any other changes nothing in it. */
export const askedGuards = ({ policy, team }: ProofCase): ReadonlySet<string> => {
  const asked = new Set<string>();
  proveCharts(
    (settings) =>
      Object.fromEntries(
        Object.entries(chartsOf(settings)).map(([name, chart]) => [
          name,
          watchedGuards(chart, ({ guard }) => void asked.add(guard)),
        ]),
      ),
    policy,
    { ...OPTIONS, ...team },
  );
  return asked;
};

/** Why a proof of a mutant fails; undefined when it stands. */
export const refutationByProof = (
  mutant: Mutant,
  { policy, team }: ProofCase,
): string | undefined => {
  try {
    return failureOf(
      proveCharts(
        (settings) => {
          const charts = chartsOf(settings);
          const chart = charts[mutant.chart];
          return chart === undefined ? charts : { ...charts, [mutant.chart]: mutant.mutate(chart) };
        },
        policy,
        {
          ...OPTIONS,
          ...team,
          onProgress: ({ nodes }) => {
            if (nodes > NODES_MAX) throw new TooManyStates();
          },
        },
      ),
    );
  } catch (error) {
    if (error instanceof TooManyStates) return undefined;
    return `crash: ${error instanceof Error ? error.message : String(error)}`;
  }
};

class TooManyStates extends Error {}

/** A rule is broken, or the price tag is no longer exact: in all of these cases it is. */
const failureOf = ({ counterexample, maxima }: Proof): string | undefined => {
  if (counterexample !== null) return `${counterexample.rule}: ${counterexample.message}`;
  const inexact = METRICS.find((metric) => maxima?.[metric].value !== maxima?.[metric].bound);
  if (inexact === undefined) return undefined;
  const { value, bound } = maxima?.[inexact] ?? { value: 0, bound: 0 };
  return `price tag: at most ${value} ${inexact}, and bounds() says ${bound}`;
};
