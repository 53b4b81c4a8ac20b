export { virtualClock } from '../services/virtual-clock.js';
export { checkInvariants } from './invariants/check-invariants.js';

export type { VirtualClock } from '../services/virtual-clock.js';
export type { Promised } from './invariants/check-invariants.js';
export type { Violation } from './invariants/evidence.js';
export type { InvariantName } from './invariants/invariants.js';
