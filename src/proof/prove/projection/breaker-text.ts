import type { BreakerContext } from '../../../machines/breaker/chart.js';

/** In other states than `closed` the count is what it was when the breaker opened. */
export const breakerText = ({ failures, failureLimit }: BreakerContext): string =>
  String(Math.min(failures, failureLimit));
