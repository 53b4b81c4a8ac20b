export { TimeTravelError } from '../errors.js';

export type { Cause, CauseKind, Explanation, RunExplanation } from './explain.types.js';
export type { ChangedAnswer, ForkChanges, ForkOptions } from './fork.types.js';
export type { Moment, OpenCall, OpenTimer, OpenWork, RunReplay } from './replay.types.js';
