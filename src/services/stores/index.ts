export { memoryStore } from '../memory-store.js';

export type {
  AppendOptions,
  ClaimableRun,
  MaybePromise,
  RunClaim,
  RunFilter,
  RunHeader,
  RunStanding,
  RunStore,
  RunSummary,
  StoredCommand,
  StoredEntry,
  StoredRun,
  StoredState,
} from '../../model/run-store.js';
