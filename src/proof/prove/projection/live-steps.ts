import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { Settings } from '../../../model/settings.js';
import { itemsOf } from '../../../plan/chunked-list.js';
import type { PlannedStep } from '../../../model/progress.js';
import { isLost } from './plans-to-come.js';
import { flag, votesText } from './value-text.js';

/** A waiting or running step. */
export interface LiveStep {
  readonly index: number;
  readonly isRunning: boolean;
  /** True when another step depends on it. */
  readonly isAwaited: boolean;
  /** The indexes of the live steps it depends on. */
  readonly after: readonly number[];
  /** Its agent and properties. */
  readonly kind: string;
  /** The same, with its dependencies. */
  readonly text: string;
}

/** The task of a handed-off step; planned steps have another. */
export const HANDED_ON = 'handed on';
/** The task of a step without a plan: it represents states with more waiting steps. */
export const STAND_IN = 'stands in';

/**
 * Settled steps have had their effects: only waiting and running ones are visible, in the order in which they start.
 */
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
  // Only steps with dependents have a name: first the running ones, then those that start next.
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
 * With a planner, a handed-off step could as well have been planned, and has the same contract; but not with as few
 * calls as a budget allows.
 */
const isHandedOnAsPlanned = ({ team, policy }: Settings): boolean =>
  team.hasPlanner && policy.limits.maxAgentCalls === null;

/** Its properties, and whether its trivial plan waives the question about its agent, matter when it starts. */
const wishesOf = (step: PlannedStep, { policy }: Settings): string =>
  `${flag(step.requiresApproval)}${flag(policy.approval.autoApproveTrivial && step.isTrivial)}${votesText(step)}`;

/**
 * Waiting steps between two steps with dependents: among steps of one kind the order does not matter. They are sorted,
 * so that plans that differ in nothing else are one.
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

/** Nothing runs and nothing may start: waiting steps are all alike, and only their number is visible. */
export const isExecutionOver = (context: OrchestratorContext): boolean => {
  const { pending, running } = context.progress.counts;
  return running === 0 && (pending === 0 || context.isExecutionClosed || isLost(context));
};
