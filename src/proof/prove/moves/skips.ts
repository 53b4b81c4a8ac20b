import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { Command } from '../../../model/commands.js';
import type { LiveStep } from '../projection/live-steps.js';
import { isExecutionOver, liveSteps, waitingSegments } from '../projection/live-steps.js';

/** A command that skips steps. It skips none where `skipTo` names the first one. */
export interface Skip {
  readonly command: Extract<Command, { readonly type: 'plan.skip' | 'plan.skipTo' }>;
  readonly isEmpty: boolean;
}

/**
 * Every possible skip. Unlinked steps can as well be skipped one after the other, so only linked ones are skipped
 * together; of indistinguishable waiting steps the first stands for all.
 */
export const skipsOf = (context: OrchestratorContext): Skip[] => {
  const steps = liveSteps(context);
  const idOf = ({ index }: LiveStep): string => context.progress.steps[index]?.id ?? '';
  const isOver = isExecutionOver(context);
  const named = isOver ? steps.slice(0, 1) : toName(steps);
  const together = isOver ? [] : linkedSets(steps);
  const first = steps.reduce((lowest, { index }) => Math.min(lowest, index), Infinity);
  return [
    ...[...named.map((step) => [step]), ...together].map((set): Skip => ({
      command: { type: 'plan.skip', stepIds: set.map(idOf) },
      isEmpty: false,
    })),
    ...named.map((step): Skip => ({
      command: { type: 'plan.skipTo', stepId: idOf(step) },
      isEmpty: step.index === first,
    })),
  ];
};

const toName = (steps: readonly LiveStep[]): LiveStep[] => [
  ...steps.filter(({ isRunning }) => isRunning),
  ...waitingSegments(steps).flatMap((segment) =>
    segment.filter(({ text }, position) => text !== segment[position - 1]?.text),
  ),
];

/** All sets of two or more steps that depend on each other, directly or indirectly. */
const linkedSets = (steps: readonly LiveStep[]): LiveStep[][] =>
  linkedGroups(steps).flatMap((group) => subsetsOf(group).filter((set) => set.length > 1));

/** Steps that depend on each other, directly or indirectly. */
export const linkedGroups = (steps: readonly LiveStep[]): LiveStep[][] => {
  let groups: LiveStep[][] = [];
  for (const step of steps) {
    const isLinked = (group: readonly LiveStep[]): boolean =>
      group.some(({ index, after }) => after.includes(step.index) || step.after.includes(index));
    const linked = groups.filter(isLinked);
    groups = [...groups.filter((group) => !linked.includes(group)), [...linked.flat(), step]];
  }
  return groups;
};

const subsetsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]]);
