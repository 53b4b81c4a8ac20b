export { virtualClock } from '../services/virtual-clock.js';
export { checkInvariants } from './invariants/check-invariants.js';
export { recordedRun } from './recordings/recorded-run.js';
export { script, scriptedAgents } from './scripted-agents.js';
export { InvalidRecordingError, RecordingDriftError } from '../errors.js';
export { simulate } from './simulate/simulate.js';
export { storeContract } from './store-contract/store-contract.js';

export type { VirtualClock } from '../services/virtual-clock.js';
export type { Promised } from './invariants/check-invariants.js';
export type { Violation } from './invariants/evidence.js';
export type { InvariantName } from './invariants/invariants.js';
export type {
  ContractEntry,
  ContractStore,
  CreateSharedStores,
  CreateStore,
  StoreCase,
} from './store-contract/contract-case.js';
export type { StoreContractOptions } from './store-contract/store-contract.js';

export { prove, proveCharts } from './prove/prove.js';
export { replayWitness } from './prove/witness/replay-witness.js';

export type {
  ReplayableWay,
  ReplayableWitness,
  ReplayedWitness,
} from './prove/witness/replay-witness.js';
export type {
  Counterexample,
  Explored,
  Maximum,
  Proof,
  ProofMethod,
  ProveOptions,
  Rule,
  Way,
  WayMove,
  Witness,
} from './prove/prove.types.js';
export type { FaultKind } from './simulate/fault-kinds.js';
export type { Simulation } from './simulate/play.js';
export type { SimulateOptions, SimulationFailure, SimulationSummary } from './simulate/simulate.js';
export type { Omissions } from './simulate/world.js';
export type { Recorded } from './recordings/recorded-run.js';
export type { Recording } from './recordings/recording.js';
export type { Script, ScriptedAct, ScriptedTeam } from './scripted-agents.js';

export { PathError } from '../errors.js';
export { generatePaths } from './paths/generate-paths.js';
export { testPaths } from './paths/test-paths.js';

export type {
  AgentDeed,
  ChartCoverage,
  GeneratedPaths,
  PathCase,
  PathReport,
  PathsOptions,
  RunPath,
} from './paths/paths.types.js';
export type { PathTests, TestPathsOptions } from './paths/test-paths.js';
