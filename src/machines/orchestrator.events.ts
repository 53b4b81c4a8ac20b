import { refusalOf } from '../guards/commands.js';
import type { FactBody } from '../journal/facts.js';
import { stateOf } from '../plan/progress.js';
import * as settle from './orchestrator.settle.js';
import type {
  Command,
  OrchestratorContext,
  OrchestratorEvent,
  Report,
} from './orchestrator.types.js';
import { fingerprintOf } from './orchestrator.updates.js';
import type { StepOutcome } from './step.types.js';

/* What the orchestrator reads out of an event, whatever event it is: its actions and guards stay total. */

export const isRepeatedPlan = (context: OrchestratorContext): boolean =>
  context.settings.policy.replan.stopOnRepeatedPlan &&
  context.fingerprints.length > 0 &&
  context.fingerprints.includes(fingerprintOf(context));

const NO_VERDICT = {
  type: 'verdict.given',
  score: 100,
  hasIssues: false,
  feedback: '',
  route: [],
} as const;

export const asVerdict = (event: OrchestratorEvent): Extract<Report, { type: 'verdict.given' }> =>
  event.type === 'verdict.given' ? event : NO_VERDICT;

export const outcomeIn = (event: OrchestratorEvent): StepOutcome | undefined =>
  'output' in event ? event.output : undefined;

export const routeOf = (event: OrchestratorEvent): readonly string[] =>
  'route' in event ? event.route : [];

/** The breaker that is asked about an agent; only the root has breakers, and only for the team. */
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
  return refusalOf(context, event as Command, (stepId) => {
    indexes ??= settle.stepIndexes(context);
    return stateOf(context.progress, indexes.get(stepId) ?? -1)?.status;
  });
};

export const ownAnswerFact = (
  context: OrchestratorContext,
  requestId: string,
  event: OrchestratorEvent,
): FactBody => {
  const stepId = context.parentStepId;
  if (event.type === 'approval.grant') {
    return { type: 'approval.granted', requestId, stepId, answer: event.answer };
  }
  if (event.type === 'approval.reject') {
    return { type: 'approval.rejected', requestId, stepId, reason: event.reason };
  }
  const outcome = context.settings.policy.approval.onTimeout;
  return { type: 'approval.expired', requestId, stepId, outcome };
};
