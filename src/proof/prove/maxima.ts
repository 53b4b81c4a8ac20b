import type { Metric } from './metrics.js';
import { METRICS } from './metrics.js';
import type { Maximum, Witness } from './prove.types.js';

export type Maxima = Readonly<Record<Metric, Maximum>>;

/** A run that costs more than its price tag says. */
export interface TooDear {
  readonly rule: 'price tag';
  readonly message: string;
  readonly witness: Witness;
  /** What a test of it expects. */
  readonly expectation: string;
}

export const tooDear = (maxima: Maxima): TooDear | undefined => {
  const metric = METRICS.find((name) => maxima[name].value > maxima[name].bound);
  if (metric === undefined) return undefined;
  const { value, bound, witness } = maxima[metric];
  return {
    rule: 'price tag',
    message: `${metric} can come to ${value}; bounds() says ${bound}`,
    witness,
    expectation: `expect(replayed.cost.${metric}).toBeLessThanOrEqual(${bound});`,
  };
};
