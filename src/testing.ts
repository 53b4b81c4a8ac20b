export { virtualClock } from './testing/virtual-clock.js';
export { checkInvariants } from './testing/invariants/check-invariants.js';
export { recordedRun } from './testing/recordings/recorded-run.js';
export { script, scriptedAgents } from './testing/scripted-agents.js';
export { InvalidRecordingError, RecordingDriftError, PathError } from './errors.js';
export { simulate } from './proof/simulate/simulate.js';
export { storeContract } from './testing/store-contract/store-contract.js';

export type { VirtualClock } from './testing/virtual-clock.js';
export type { Promised } from './testing/invariants/check-invariants.js';
export type { Violation } from './testing/invariants/evidence.js';
export type { InvariantName } from './testing/invariants/invariants.js';
export type {
  ContractEntry,
  ContractStore,
  CreateSharedStores,
  CreateStore,
  StoreCase,
} from './testing/store-contract/contract-case.js';
export type { StoreContractOptions } from './testing/store-contract/store-contract.js';

export { prove, proveCharts } from './proof/prove/prove.js';
export { replayWitness } from './proof/prove/witness/replay-witness.js';

export type {
  ReplayableWay,
  ReplayableWitness,
  ReplayedWitness,
} from './proof/prove/witness/replay-witness.js';
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
} from './proof/prove/prove.types.js';
export type { FaultKind } from './proof/simulate/fault-kinds.js';
export type { Simulation } from './proof/simulate/run-world.js';
export type {
  SimulateOptions,
  SimulationFailure,
  SimulationSummary,
} from './proof/simulate/simulate.js';
export type { Omissions } from './proof/simulate/world.js';
export type { Recorded } from './testing/recordings/recorded-run.js';
export type { Recording } from './testing/recordings/recording.js';
export type { Script, ScriptedAct, ScriptedTeam } from './testing/scripted-agents.js';

export { generatePaths } from './proof/paths/generate-paths.js';
export { testPaths } from './proof/paths/test-paths.js';

export type {
  AgentCallOutcome,
  ChartCoverage,
  GeneratedPaths,
  PathCase,
  PathReport,
  PathsOptions,
  RunPath,
} from './proof/paths/paths.types.js';
export type { PathTests, TestPathsOptions } from './proof/paths/test-paths.js';
