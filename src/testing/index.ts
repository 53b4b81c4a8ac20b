export { virtualClock } from '../services/virtual-clock.js';

export type { VirtualClock } from '../services/virtual-clock.js';
