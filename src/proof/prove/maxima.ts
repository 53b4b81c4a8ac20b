import type { Metric } from './metrics.js';
import { METRICS } from './metrics.js';
import type { Maximum, Witness } from './prove.types.js';

export type Maxima = Readonly<Record<Metric, Maximum>>;

/** A run that exceeds its bounds. */
export interface TooDear {
  readonly rule: 'price tag';
  readonly message: string;
  readonly witness: Witness;
  /** The expectation of its test. */
  readonly expectation: string;
}

export const tooDear = (maxima: Maxima): TooDear | undefined => {
  const metric = METRICS.find((name) => maxima[name].value > maxima[name].bound);
  if (metric === undefined) return undefined;
  const { value, bound, witness } = maxima[metric];
  return {
    rule: 'price tag',
    message: `${metric} can reach ${value}; bounds() says ${bound}`,
    witness,
    expectation: `expect(replayed.cost.${metric}).toBeLessThanOrEqual(${bound});`,
  };
};
