import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { Settings } from '../../../model/settings.js';
import { itemsOf } from '../../../plan/chunked-list.js';
import type { PlannedStep } from '../../../model/progress.js';
import { isLost } from './plans-to-come.js';
import { flag, votesText } from './value-text.js';

/** A step that waits or runs. */
export interface LiveStep {
  readonly index: number;
  readonly isRunning: boolean;
  /** True when another step waits for it. */
  readonly isAwaited: boolean;
  /** Which live steps it waits for, by their index. */
  readonly after: readonly number[];
  /** Who does it, and what it asks for. */
  readonly kind: string;
  /** The same, with what it waits for. */
  readonly text: string;
}

/** The task of a step that an agent handed on; the planner's have another. */
export const HANDED_ON = 'handed on';
/** The task of one that nobody planned: it waits so that a state stands for those with more steps. */
export const STAND_IN = 'stands in';

/** What is settled has had its consequences: only what waits or runs is seen, in the order in which steps start. */
export const liveSteps = ({ progress, settings }: OrchestratorContext): LiveStep[] => {
  const states = itemsOf(progress.states);
  const isRunningAt = (index: number): boolean => states[index]?.status === 'running';
  const isLive = (index: number): boolean =>
    states[index]?.status === 'pending' || isRunningAt(index);
  const isAwaitedAt = (index: number): boolean => (progress.dependents[index] ?? []).some(isLive);
  const live = progress.steps
    .map((step, index) => ({ step, index, isRunning: isRunningAt(index) }))
    .filter(({ index }) => isLive(index))
    .sort((left, right) => left.step.rank - right.step.rank);
  // Only steps that others wait for have a name: first those that run, then those that start next.
  const awaited = live.filter(({ index }) => isAwaitedAt(index));
  const named = [...awaited.filter(runs), ...awaited.filter((item) => !runs(item))];
  const names = new Map(named.map(({ index }, name) => [index, name]));
  const isAgentSeen = settings.team.agents.length > 1;
  const isOriginSeen = !isHandedOnAsPlanned(settings);
  return live.map(({ step, index, isRunning }) => {
    const after = step.dependsOn.filter(isLive);
    const origin = flag(isOriginSeen && step.task === HANDED_ON);
    const kind = `${isAgentSeen ? step.agent : ''}${origin}${isRunning ? '' : wishesOf(step, settings)}`;
    const waitsFor = after.flatMap((other) => names.get(other) ?? []).sort((a, b) => a - b);
    const text = `${kind}<${waitsFor.join('&')}`;
    return { index, isRunning, isAwaited: isAwaitedAt(index), after, kind, text };
  });
};

const runs = ({ isRunning }: { readonly isRunning: boolean }): boolean => isRunning;

/**
 * Where there is a planner, whatever is handed on could as well have been planned, and has the contract of what is. Not
 * with as few calls as there are under a budget.
 */
const isHandedOnAsPlanned = ({ team, policy }: Settings): boolean =>
  team.hasPlanner && policy.limits.maxAgentCalls === null;

/** What it asks for, and whether its trivial plan waives the question about its agent, is seen when it starts. */
const wishesOf = (step: PlannedStep, { policy }: Settings): string =>
  `${flag(step.requiresApproval)}${flag(policy.approval.autoApproveTrivial && step.isTrivial)}${votesText(step)}`;

/**
 * Waiting steps between two that others wait for: of these it does not matter which starts first, as long as they are of
 * one kind. They are put in order, so that plans which differ in nothing else are one.
 */
export const waitingSegments = (steps: readonly LiveStep[]): LiveStep[][] => {
  const segments: LiveStep[][] = [[]];
  for (const step of steps) {
    if (step.isRunning) continue;
    const segment = segments.at(-1) ?? [];
    const isAlike = !step.isAwaited && segment.every(({ kind }) => kind === step.kind);
    if (isAlike) segment.push(step);
    else segments.push([step], ...(step.isAwaited ? [[]] : []));
  }
  return segments.map((segment) =>
    segment.sort((left, right) => (left.text < right.text ? -1 : Number(left.text > right.text))),
  );
};

/** Nothing runs and nothing may start any more: steps that wait are all alike, and only their number is seen. */
export const isExecutionOver = (context: OrchestratorContext): boolean => {
  const { pending, running } = context.progress.counts;
  return running === 0 && (pending === 0 || context.isExecutionClosed || isLost(context));
};
