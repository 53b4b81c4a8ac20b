import type { BreakerContext } from '../machines/breaker.js';

export const hasReachedFailureLimit = ({ failures, failureLimit }: BreakerContext): boolean =>
  failures >= failureLimit;
