import { itemsOf } from '../../plan/chunked-list.js';
import type { Settled } from '../../plan/progress.js';
import type { Progress } from '../../model/progress.js';
import { GIVEN_UP, humanSkip, settleStep, stateOf } from '../../plan/progress.js';
import { stepPath } from './requests.js';
import * as facts from './facts.js';
import { questionsClosed } from './settle.js';
import type { OrchestratorContext, Update } from './context.js';

/* How steps are cancelled or skipped before they have ended: by people, by another plan, by the end of the run. */

/** The index of each step by its path: a command may name many steps. */
export const stepIndexes = (context: OrchestratorContext): ReadonlyMap<string, number> =>
  new Map(context.progress.steps.map((step, index) => [stepPath(context, step.id), index]));

/** The steps that a command skips. `skipTo` means every waiting or running step before the named one. */
export const stepsToSkip = (
  context: OrchestratorContext,
  command: {
    readonly type: string;
    readonly stepIds?: readonly string[];
    readonly stepId?: string;
  },
): number[] => {
  const indexes = stepIndexes(context);
  const named = command.stepIds?.map((stepId) => indexes.get(stepId) ?? -1) ?? [];
  const target = command.stepId === undefined ? -1 : (indexes.get(command.stepId) ?? -1);
  const before = Array.from({ length: Math.max(0, target) }, (_, index) => index);
  return [...new Set([...named, ...before])].filter((index) => {
    const status = stateOf(context.progress, index)?.status;
    return status === 'pending' || status === 'running';
  });
};

/** Waiting steps are skipped here; running ones are told to stop and settle by themselves. */
export const waitingSkipped = (
  context: OrchestratorContext,
  indexes: readonly number[],
  said?: string,
): Update => {
  const waiting = indexes.filter((index) => stateOf(context.progress, index)?.status === 'pending');
  const progress = waiting.reduce<Progress>(
    (before, index) => settledBy(before, index, humanSkip(said), context).progress,
    context.progress,
  );
  const next = { ...context, progress };
  return { context: next, facts: waiting.map((index) => facts.stepSkipped(next, index)) };
};

const settledBy = (
  progress: Progress,
  index: number,
  reason: string,
  { settings }: OrchestratorContext,
): Settled =>
  settleStep(
    progress,
    index,
    { status: 'skipped', outputKeys: [], reason },
    settings.policy.failure.onDependencyFailure,
  );

/** At the end every step is settled: steps that never ran or were interrupted are cancelled. */
export const restCancelled = (context: OrchestratorContext): Update => {
  const open = itemsOf(context.progress.states).flatMap((state, index) =>
    state.status === 'pending' || state.status === 'running' ? [index] : [],
  );
  return {
    context: { ...context, slots: context.slots.map(() => null) },
    facts: open.map((index) => facts.stepCancelled(context, index)),
  };
};

/** Running steps are given up together with the steps that depend on them, and their open questions are closed. */
export const runningGivenUp = (context: OrchestratorContext): Update =>
  context.slots.reduce<Update>(
    (update, index, slot) => (index === null ? update : givenUp(update, index, slot)),
    { context, facts: [] },
  );

const givenUp = ({ context, facts: announced }: Update, index: number, slot: number): Update => {
  const { progress, skipped } = settleStep(
    context.progress,
    index,
    { status: 'cancelled', outputKeys: [], reason: GIVEN_UP },
    context.settings.policy.failure.onDependencyFailure,
  );
  const next: OrchestratorContext = {
    ...context,
    progress,
    slots: context.slots.with(slot, null),
    givenUp: [...context.givenUp, index, ...skipped],
    ...questionsClosed(context, `slot-${slot}`),
  };
  return {
    context: next,
    facts: [
      ...announced,
      facts.stepCancelled(next, index),
      ...skipped.map((behind) => facts.stepSkipped(next, behind)),
    ],
  };
};
