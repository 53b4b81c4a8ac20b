import type { CallRequest } from '../../../model/calls.js';
import type { ChartNode } from '../../../kernel/kernel.types.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { StepContext } from '../../../machines/step/context.js';
import { itemsOf } from '../../../plan/chunked-list.js';
import type { Frame } from '../model.types.js';
import type { Asked } from './replies.types.js';

const NOTHING: readonly string[] = [];

/** The known data about a call at an address. */
export const askedAt = (frame: Frame, address: string, request: CallRequest): Asked => {
  const step = above(frame, address, 'step')?.snapshot.context as StepContext | undefined;
  const plan = above(frame, address, 'orchestrator')?.snapshot.context as
    | OrchestratorContext
    | undefined;
  return {
    request,
    digests: request.role === 'worker' ? digestsOf(step) : NOTHING,
    fingerprints: plan?.fingerprints ?? NOTHING,
    revision: (plan?.revision ?? -1) + 1,
    ...earlierSteps(request, plan),
  };
};

/** The steps that a new plan may depend on. */
const earlierSteps = (
  request: CallRequest,
  plan: OrchestratorContext | undefined,
): Pick<Asked, 'waiting' | 'done'> => {
  if (request.role !== 'planner' || plan === undefined)
    return { waiting: NOTHING, done: undefined };
  const waiting = waitingIn(plan);
  return { waiting, done: request.existingStepIds.find((id) => !waiting.includes(id)) };
};

/** The nearest chart of a kind above an address. */
const above = (frame: Frame, address: string, chart: string): ChartNode | undefined => {
  let place = address;
  while (place !== '') {
    place = place.slice(0, place.lastIndexOf('/'));
    const node = frame.state.nodes.get(place);
    if (node?.chart === chart) return node;
  }
  return undefined;
};

const digestsOf = (step: StepContext | undefined): readonly string[] =>
  step === undefined
    ? NOTHING
    : [...new Set(step.ballots.flatMap(({ digest }) => (digest === null ? [] : [digest])))];

/** Steps that stay when another plan is adopted. */
const waitingIn = ({ progress, settings }: OrchestratorContext): readonly string[] =>
  settings.policy.replan.merge.startsWith('append')
    ? itemsOf(progress.states).flatMap(({ status }, index) => {
        const step = progress.steps[index];
        return status === 'pending' && step !== undefined ? [step.id] : [];
      })
    : NOTHING;
