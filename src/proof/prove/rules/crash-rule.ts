import type { Violation } from '../model.types.js';
import type { ObservedStep } from '../observed-kernel.js';

/** No chart throws, even if its parent would handle the error. */
export const crashViolations = ({ crash, status, error }: ObservedStep): Violation[] => {
  if (crash !== undefined) {
    return [{ rule: 'crash', message: `The chart ${crash.chart} crashed: ${textOf(crash.error)}` }];
  }
  return status === 'error'
    ? [{ rule: 'crash', message: `The run crashed: ${textOf(error)}` }]
    : [];
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
