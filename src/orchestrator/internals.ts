import type { Agent } from '../agents/agent.js';
import type { Settings } from '../model/settings.js';
import type { Engine } from '../run/engine.js';
import type { OrchestratorOptions } from './create-orchestrator.js';

/** The parts of an orchestrator. planwright/testing builds another one from them. */
export interface Internals {
  readonly options: OrchestratorOptions<readonly Agent[]>;
  readonly settings: Settings;
  readonly engine: Engine;
}

const internalsByOrchestrator = new WeakMap<object, Internals>();

export const rememberInternals = (orchestrator: object, internals: Internals): void => {
  internalsByOrchestrator.set(orchestrator, internals);
};

/** Undefined for an object that `createOrchestrator` did not make. */
export const internalsOf = (orchestrator: object): Internals | undefined =>
  internalsByOrchestrator.get(orchestrator);
