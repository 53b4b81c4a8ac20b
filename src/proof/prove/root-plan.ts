import type { OrchestratorContext } from '../../machines/orchestrator/context.js';
import type { Frame } from './model.types.js';

/** What the chart of the goal knows, in a system that has it at its root. */
export const rootPlanOf = ({ state }: Frame): OrchestratorContext =>
  state.nodes.get('')?.snapshot.context as OrchestratorContext;
