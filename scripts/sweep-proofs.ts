import { METRICS } from '../src/proof/prove/metrics.js';
import { prove } from '../src/proof/prove/prove.js';
import type { Proof, ProofMethod } from '../src/proof/prove/prove.types.js';
import { small } from '../test/prove/configurations.js';
import { areBoundsExact } from '../test/prove/exact-bounds.js';
import type { Turned } from './sweep-knobs.js';
import { configurationOf } from './sweep-knobs.js';

/* The proofs of one random policy, compared with each other and with bounds(). */

export interface StateLimits {
  readonly statesMax: number;
  /** A whole run has many times the states of its charts, so only small policies are proved by that method as well. */
  readonly statesForWholeRunMax: number;
}

export interface Comparison {
  readonly methods: readonly ProofMethod[];
  /** One sentence for each wrong number. */
  readonly differences: readonly string[];
}

class TooLarge extends Error {}

/** Proves the policy, by both methods where it is small enough. Reports invalid policies and too many states. */
export const compareProofs = (
  turned: Turned,
  { statesMax, statesForWholeRunMax }: StateLimits,
): Comparison | 'invalid' | 'too large' => {
  const { policy: overrides, team } = configurationOf(turned);
  const onProgress = ({ nodes }: { readonly nodes: number }): void => {
    if (nodes > statesMax) throw new TooLarge();
  };
  try {
    const policy = small(overrides);
    const proofBy = (method: ProofMethod): Proof =>
      prove(policy, { ...team, planSteps: 2, method, onProgress });
    const composed = proofBy('compositional');
    const states = composed.explored.reduce((sum, { nodes }) => sum + nodes, 0);
    const proofs = states > statesForWholeRunMax ? [composed] : [composed, proofBy('wholeRun')];
    const isExact = areBoundsExact(policy);
    return {
      methods: proofs.map(({ method }) => method),
      differences: [
        ...proofs.flatMap((proof) => differencesFromBounds(proof, isExact)),
        ...differencesBetween(proofs),
      ],
    };
  } catch (error) {
    if (error instanceof TooLarge) return 'too large';
    if (error instanceof Error && error.name === 'PolicyError') return 'invalid';
    throw error;
  }
};

const differencesFromBounds = (
  { maxima, counterexample, method }: Proof,
  isExact: boolean,
): string[] => {
  if (maxima === null) return [`${method}: ${counterexample?.rule}: ${counterexample?.message}`];
  return METRICS.flatMap((metric) => {
    const { value, bound } = maxima[metric];
    const isRight = isExact ? value === bound : value <= bound;
    return isRight ? [] : [`${method}: ${value} of ${bound} ${metric}`];
  });
};

const differencesBetween = ([composed, whole]: readonly Proof[]): string[] =>
  METRICS.flatMap((metric) => {
    const [value, other] = [composed, whole].map((proof) => proof?.maxima?.[metric].value);
    if (value === undefined || other === undefined || value === other) return [];
    return [`${value} ${metric} by compositional, ${other} by wholeRun`];
  });
