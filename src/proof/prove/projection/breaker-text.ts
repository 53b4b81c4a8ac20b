import type { BreakerContext } from '../../../machines/breaker/chart.js';

/** In states other than `closed` the count is that of when the breaker opened. */
export const breakerText = ({ failures, failureLimit }: BreakerContext): string =>
  String(Math.min(failures, failureLimit));
