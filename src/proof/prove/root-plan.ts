import type { OrchestratorContext } from '../../machines/orchestrator/context.js';
import type { Frame } from './model.types.js';

/** The context of the goal's chart, in a system that has it at its root. */
export const rootPlanOf = ({ state }: Frame): OrchestratorContext =>
  state.nodes.get('')?.snapshot.context as OrchestratorContext;
