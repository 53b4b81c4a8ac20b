import { chunkedListOf, itemsOf } from './chunked-list.js';
import type { ProposedPlan } from '../model/plan.js';
import type { PlannedStep, Progress, StepState } from '../model/progress.js';
import { isSatisfying, stateOf, withReady } from './progress.js';

export interface Adoption {
  readonly progress: Progress;
  /** Indexes of the steps that the plan added. */
  readonly added: readonly number[];
  /** Indexes of waiting steps that the new plan replaces; they are settled as skipped, never lost. */
  readonly replaced: readonly number[];
}

export interface AdoptionRules {
  /** 0 for the first plan, then one more for every plan that is adopted. */
  readonly revision: number;
  readonly merge: 'replacePending' | 'append' | 'appendNext' | 'replaceAll';
  /** True when a planner's plan with steps followed the failures so far: they no longer count against the run. */
  readonly resolvesFailures: boolean;
}

/**
 * Merges a validated plan into the run. Completed steps and their outputs never change, and ids stay unique: from
 * revision 1 on a step `s1` becomes `s1_rp1`, and dependencies follow it.
 */
export const adoptPlan = (
  progress: Progress,
  plan: ProposedPlan,
  rules: AdoptionRules,
): Adoption => {
  const replaced = isReplacing(rules.merge) ? pendingIndexes(progress) : [];
  const kept = replaced.length === 0 ? progress : withReplaced(progress, replaced);
  const firstIndex = kept.steps.length;
  const steps = renamedSteps(kept.steps, plan, rules);
  const added = steps.map((_, offset) => firstIndex + offset);
  const allSteps = [...kept.steps, ...steps];
  const states = [...itemsOf(kept.states), ...steps.map((step) => initialState(kept, step))];
  const counts = { ...kept.counts, pending: kept.counts.pending + steps.length };
  const merged: Progress = {
    ...kept,
    steps: allSteps,
    dependents: dependentsOf(allSteps),
    states: chunkedListOf(states),
    counts: rules.resolvesFailures ? { ...counts, unresolved: 0, failedSincePlan: 0 } : counts,
  };
  const runnable = added.filter((index) => states[index]?.unmet === 0);
  return { progress: withReady(merged, runnable), added, replaced };
};

/** `replaceAll` replaces the pending steps, too: running steps were given up before the planner was called. */
const isReplacing = (merge: AdoptionRules['merge']): boolean =>
  merge === 'replacePending' || merge === 'replaceAll';

export const pendingIndexes = (progress: Progress): number[] =>
  itemsOf(progress.states).flatMap((state, index) => (state.status === 'pending' ? [index] : []));

const withReplaced = (progress: Progress, replaced: readonly number[]): Progress => {
  const states = itemsOf(progress.states);
  for (const index of replaced) {
    states[index] = { status: 'skipped', unmet: 0, outputKeys: [], reason: 'replaced' };
  }
  const { counts } = progress;
  return {
    ...progress,
    states: chunkedListOf(states),
    ready: [],
    readyHead: 0,
    counts: { ...counts, pending: 0, skipped: counts.skipped + replaced.length },
  };
};

const renamedSteps = (
  existing: readonly PlannedStep[],
  { steps: proposed, scope }: ProposedPlan,
  { revision, merge }: AdoptionRules,
): PlannedStep[] => {
  const indexById = new Map(existing.map((step, index) => [step.id, index]));
  const taken = new Set(indexById.keys());
  const ids = proposed.map((step) => uniqueId(step.id, revision, taken));
  for (const [offset, step] of proposed.entries()) indexById.set(step.id, existing.length + offset);
  const lowestRank = existing.reduce((lowest, step) => Math.min(lowest, step.rank), 0);
  const firstRank = merge === 'appendNext' ? lowestRank - proposed.length : existing.length;
  return proposed.map((step, offset) => ({
    id: ids[offset] ?? step.id,
    agent: step.agent,
    task: step.task,
    complexity: step.complexity,
    requiresApproval: step.requiresApproval,
    isTrivial: scope === 'trivial',
    votes: step.votes ?? null,
    dependsOn: step.dependsOn.flatMap((dependency) => indexById.get(dependency) ?? []),
    rank: firstRank + offset,
    revision,
  }));
};

const uniqueId = (id: string, revision: number, taken: Set<string>): string => {
  const suffix = revision === 0 ? '' : `_rp${revision}`;
  let candidate = `${id.slice(0, 64 - suffix.length)}${suffix}`;
  for (let attempt = 2; taken.has(candidate); attempt += 1) {
    const counted = `${suffix}-${attempt}`;
    candidate = `${id.slice(0, 64 - counted.length)}${counted}`;
  }
  taken.add(candidate);
  return candidate;
};

const initialState = (existing: Progress, step: PlannedStep): StepState => {
  const unmet = step.dependsOn.filter((dependency) => {
    const state = stateOf(existing, dependency);
    return state === undefined || !isSatisfying(state);
  }).length;
  return { status: 'pending', unmet, outputKeys: [], reason: null };
};

const dependentsOf = (steps: readonly PlannedStep[]): number[][] => {
  const dependents: number[][] = steps.map(() => []);
  for (const [index, step] of steps.entries()) {
    for (const dependency of step.dependsOn) dependents[dependency]?.push(index);
  }
  return dependents;
};
