import type { Settings } from '../../../model/settings.js';
import type { Counterexample } from '../prove.types.js';
import { testSource } from './test-source.js';

/** What is wrong, with the test that fails while it is. */
export const counterexample = (
  settings: Settings,
  told: Parameters<typeof testSource>[1],
): Counterexample => {
  const { rule, message, witness } = told;
  return { rule, message, witness, test: testSource(settings, told) };
};
