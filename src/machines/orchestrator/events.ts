import { refusalOf } from '../../guards/commands.js';
import { stateOf } from '../../plan/progress.js';
import * as takeOff from './cancel-steps.js';
import type { OrchestratorContext, OrchestratorEvent } from './context.js';
import { fingerprintOf } from './updates.js';
import type { Bound } from '../../model/statuses.js';
import type { StepOutcome } from '../../model/step-outcome.js';

/* What the orchestrator reads from an event of any type: its actions and guards stay total. */

export const isRepeatedPlan = (context: OrchestratorContext): boolean =>
  context.settings.policy.replan.stopOnRepeatedPlan &&
  context.fingerprints.length > 0 &&
  context.fingerprints.includes(fingerprintOf(context));

/** Why no other plan is made: the planner repeats itself, the replan bound is reached, or there is no planner. */
export const replanRefusal = (context: OrchestratorContext): Bound => {
  if (isRepeatedPlan(context)) return 'repeated-plan';
  const isAtBound = context.replans >= context.maxReplans;
  return isAtBound || context.settings.team.hasPlanner ? 'replan-limit' : 'no-planner';
};

/** The child that is done or has crashed; undefined when the event names no child. */
export const actorIn = (event: OrchestratorEvent): string | undefined =>
  'actorId' in event && typeof event.actorId === 'string' ? event.actorId : undefined;

/** The outcome of a step; undefined when it crashed, or ended with something else. */
export const outcomeIn = (event: OrchestratorEvent): StepOutcome | undefined =>
  'output' in event && isStepOutcome(event.output) ? event.output : undefined;

const isStepOutcome = (output: Partial<StepOutcome> | null | undefined): output is StepOutcome =>
  (output?.status === 'completed' || output?.status === 'failed' || output?.status === 'skipped') &&
  output.handOff !== undefined &&
  output.verdict !== undefined &&
  Array.isArray(output.outputKeys);

export const routeOf = (event: OrchestratorEvent): readonly string[] =>
  'route' in event ? event.route : [];

/** The slots with a running step. */
export const busySlots = ({ slots }: OrchestratorContext): string[] =>
  slots.flatMap((index, slot) => (index === null ? [] : [`slot-${slot}`]));

/** The breaker of an agent; only the root has breakers, and only for the team. */
export const breakerOf = (
  context: OrchestratorContext,
  event: OrchestratorEvent,
): string | undefined => {
  const { policy, team } = context.settings;
  if (policy.breaker === null || context.depth > 0 || !('agent' in event)) return undefined;
  return team.agents.includes(event.agent) ? `breaker-${event.agent}` : undefined;
};

export const refusal = (
  context: OrchestratorContext,
  event: OrchestratorEvent,
): string | undefined => {
  let indexes: ReadonlyMap<string, number> | undefined;
  return refusalOf(context, event, (stepId) => {
    indexes ??= takeOff.stepIndexes(context);
    return stateOf(context.progress, indexes.get(stepId) ?? -1)?.status;
  });
};
