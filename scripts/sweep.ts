// npm run sweep -- [seconds] [seed] [option...]: random small policies, every option of which may be turned, and those
// that are named always are, each proved by both methods where it is small enough for both. Every maximum must be what
// bounds() says. Exit code 1 when one is not: then the fewest options are printed that show it.
import { METRICS } from '../src/testing/prove/metrics.js';
import { prove } from '../src/testing/prove/prove.js';
import type { Proof, ProofMethod } from '../src/testing/prove/prove.types.js';
import { small } from '../test/prove/configurations.js';
import type { Turned } from './sweep-knobs.js';
import { configurationOf, isKnob, simplerThan, turnedAtRandom } from './sweep-knobs.js';

const [seconds = 60, firstSeed = 1] = process.argv.slice(2, 4).map(Number);
const alwaysTurned = process.argv.slice(4);
if (!(seconds > 0) || !Number.isSafeInteger(firstSeed) || !alwaysTurned.every(isKnob)) {
  console.error('Usage: npm run sweep -- [seconds] [seed] [option...]');
  process.exit(2);
}

/** A whole run has many times the states of its charts. */
const STATES_FOR_WHOLE_RUN_MAX = 400;
const STATES_MAX = 5_000;
const PROBABILITIES = [0.08, 0.12, 0.18, 0.3] as const;

let state = firstSeed;

/** By the seed: the next 32 bits of a linear congruence. */
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

class TooLarge extends Error {}

const stopLarge = ({ nodes }: { readonly nodes: number }): void => {
  if (nodes > STATES_MAX) throw new TooLarge();
};

const counts = { compositional: 0, wholeRun: 0, tooLarge: 0, wrong: 0 };

const differencesIn = ({ maxima, counterexample, method }: Proof): string[] => {
  if (maxima === null) return [`${method}: ${counterexample?.rule}: ${counterexample?.message}`];
  return METRICS.flatMap((metric) => {
    const { value, bound } = maxima[metric];
    return value === bound ? [] : [`${method}: ${value} of ${bound} ${metric}`];
  });
};

/** What is wrong with the proofs of a policy; undefined where it is too large, or no policy. */
const wrongIn = (turned: Turned): string[] | undefined => {
  const { policy: overrides, team } = configurationOf(turned);
  try {
    const policy = small(overrides);
    const proofBy = (method: ProofMethod): Proof => {
      const proof = prove(policy, { ...team, planSteps: 2, method, onProgress: stopLarge });
      counts[method] += 1;
      return proof;
    };
    const composed = proofBy('compositional');
    const states = composed.explored.reduce((sum, { nodes }) => sum + nodes, 0);
    const proofs = states > STATES_FOR_WHOLE_RUN_MAX ? [composed] : [composed, proofBy('wholeRun')];
    return proofs.flatMap(differencesIn);
  } catch (error) {
    if (error instanceof TooLarge) counts.tooLarge += 1;
    else if (!(error instanceof Error && error.name === 'PolicyError')) throw error;
    return undefined;
  }
};

/** As few turned options as show that something is wrong. */
const simplest = (turned: Turned): Turned => {
  const simpler = simplerThan(turned).find((other) => (wrongIn(other) ?? []).length > 0);
  return simpler === undefined ? turned : simplest(simpler);
};

const endsAt = performance.now() + seconds * 1000;
while (performance.now() < endsAt) {
  const probability = PROBABILITIES[Math.floor(random() * PROBABILITIES.length)] ?? 0;
  const turned = turnedAtRandom(random, probability, alwaysTurned);
  if ((wrongIn(turned) ?? []).length === 0) continue;
  counts.wrong += 1;
  const least = simplest(turned);
  console.log(`${(wrongIn(least) ?? []).join('; ')}\n  ${JSON.stringify(configurationOf(least))}`);
}
console.log(
  `${counts.compositional} policies, ${counts.wholeRun} of them by whole run too, ${counts.tooLarge} too large: ${counts.wrong} wrong`,
);
process.exitCode = counts.wrong === 0 ? 0 : 1;
