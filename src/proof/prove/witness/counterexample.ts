import type { Settings } from '../../../model/settings.js';
import type { Counterexample } from '../prove.types.js';
import { testSource } from './test-source.js';

/** A counterexample, with the test that fails as long as it exists. */
export const counterexample = (
  settings: Settings,
  told: Parameters<typeof testSource>[1],
): Counterexample => {
  const { rule, message, witness } = told;
  return { rule, message, witness, test: testSource(settings, told) };
};
