import fc from 'fast-check';

import type { AdoptionRules } from '../../src/plan/adopt.js';
import { adoptPlan } from '../../src/plan/adopt.js';
import { itemsOf } from '../../src/plan/chunked-list.js';
import type { Progress, Settlement, StepState } from '../../src/model/progress.js';
import {
  emptyProgress,
  GIVEN_UP,
  isSatisfying,
  nextReady,
  settleStep,
  SKIPPED_BY_HUMAN,
  startStep,
} from '../../src/plan/progress.js';
import { validatePlan } from '../../src/plan/validate.js';

/*
 * Everything that can happen to the steps of a run, in any order that the charts allow. Impossible events are left
 * out at their position, so that any list of events is a history.
 */

export type Merge = AdoptionRules['merge'];

/** A plan as a list of dependencies by number, of steps of the plan or, counted on, of usable steps before it. */
interface PlanSketch {
  readonly names: readonly string[];
  readonly edges: readonly (readonly number[])[];
}

export type Happening =
  | { readonly kind: 'replan'; readonly merge: Merge; readonly sketch: PlanSketch }
  | { readonly kind: 'handOff'; readonly isNext: boolean }
  | { readonly kind: 'start' }
  | { readonly kind: 'settle'; readonly choice: number; readonly settlement: Settlement }
  | { readonly kind: 'skip'; readonly choice: number };

export interface History {
  readonly onDependencyFailure: 'skip' | 'run' | 'stop';
  readonly happenings: readonly Happening[];
}

const merge = fc.constantFrom<Merge[]>('replacePending', 'append', 'appendNext', 'replaceAll');

const settlement: fc.Arbitrary<Settlement> = fc.constantFrom<Settlement[]>(
  { status: 'completed', outputKeys: ['key'], reason: null },
  { status: 'completed', outputKeys: ['key'], reason: null },
  { status: 'failed', outputKeys: [], reason: 'threw: Broken' },
  { status: 'skipped', outputKeys: [], reason: 'rejected: No' },
  { status: 'skipped', outputKeys: [], reason: SKIPPED_BY_HUMAN },
  { status: 'cancelled', outputKeys: [], reason: 'run-ended' },
  { status: 'cancelled', outputKeys: [], reason: GIVEN_UP },
);

const sketch: fc.Arbitrary<PlanSketch> = fc.record({
  names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'a_rp1', 'a_rp1-2', 'x'.repeat(64)), {
    maxLength: 5,
  }),
  edges: fc.array(fc.array(fc.nat(30), { maxLength: 3 }), { maxLength: 5 }),
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('replan' as const), merge, sketch }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('handOff' as const), isNext: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), choice: fc.nat(30), settlement }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('skip' as const), choice: fc.nat(30) }) },
);

export const anyHistory: fc.Arbitrary<History> = fc.record({
  onDependencyFailure: fc.constantFrom<History['onDependencyFailure'][]>('skip', 'run', 'stop'),
  happenings: fc.array(happening, { maxLength: 60 }),
});

/** Plays a history and shows every point of it. */
export const follow = (
  { happenings, onDependencyFailure }: History,
  look: (progress: Progress, before: Progress) => void,
): Progress => {
  let progress = emptyProgress;
  let revision = -1;
  for (const each of happenings) {
    const before = progress;
    if (each.kind === 'replan' || each.kind === 'handOff') {
      const adopted = withPlan(progress, each, revision + 1);
      if (adopted === undefined) continue;
      revision += 1;
      progress = adopted;
    } else {
      progress = moved(progress, each, onDependencyFailure);
    }
    look(progress, before);
  }
  return progress;
};

const withPlan = (
  progress: Progress,
  each: Extract<Happening, { kind: 'replan' | 'handOff' }>,
  revision: number,
): Progress | undefined => {
  if (each.kind === 'handOff') {
    const mergeOfHandOff: Merge = each.isNext ? 'appendNext' : 'append';
    const rules = { revision, merge: mergeOfHandOff, resolvesFailures: false };
    return adoptPlan(progress, planOf({ names: ['worker'], edges: [] }, []), rules).progress;
  }
  // A planner is only called when nothing runs.
  if (progress.counts.running > 0) return undefined;
  const existingStepIds = usableIds(progress, each.merge);
  const candidate = planOf(each.sketch, existingStepIds);
  const validation = validatePlan(candidate, { agents: ['worker'], maxSteps: 15, existingStepIds });
  if (!validation.ok) throw new Error('The sketch of a plan is no plan');
  const resolvesFailures = validation.plan.steps.length > 0;
  const rules = { revision, merge: each.merge, resolvesFailures };
  return adoptPlan(progress, validation.plan, rules).progress;
};

/** The steps that a new plan may depend on. */
const usableIds = (progress: Progress, mergeOfPlan: Merge): string[] =>
  itemsOf(progress.states).flatMap((state, index) => {
    const isKept = mergeOfPlan.startsWith('append') && state.status === 'pending';
    const step = progress.steps[index];
    return step !== undefined && (isSatisfying(state) || isKept) ? [step.id] : [];
  });

const planOf = (
  { names, edges }: PlanSketch,
  existing: readonly string[],
): Parameters<typeof adoptPlan>[1] => ({
  analysis: '',
  steps: names.map((id, index) => {
    const reachable = [
      ...names.slice(0, index),
      ...existing.filter((other) => !names.includes(other)),
    ];
    const chosen = (edges[index] ?? []).flatMap((edge) =>
      reachable.length === 0 ? [] : [reachable[edge % reachable.length] ?? ''],
    );
    const dependsOn = [...new Set(chosen)];
    const task = `Do the work of step ${id}`;
    return { id, agent: 'worker', task, dependsOn, complexity: 'medium', requiresApproval: false };
  }),
});

const moved = (
  progress: Progress,
  each: Extract<Happening, { kind: 'start' | 'settle' | 'skip' }>,
  onDependencyFailure: History['onDependencyFailure'],
): Progress => {
  if (each.kind === 'start') {
    const index = nextReady(progress);
    return index === undefined ? progress : startStep(progress, index);
  }
  const status = each.kind === 'settle' ? 'running' : 'pending';
  const index = chosenOf(progress, status, each.choice);
  if (index === undefined) return progress;
  const end: Settlement =
    each.kind === 'settle'
      ? each.settlement
      : { status: 'skipped', outputKeys: [], reason: SKIPPED_BY_HUMAN };
  return settleStep(progress, index, end, onDependencyFailure).progress;
};

const chosenOf = (
  progress: Progress,
  status: StepState['status'],
  choice: number,
): number | undefined => {
  const indexes = itemsOf(progress.states).flatMap((state, index) =>
    state.status === status ? [index] : [],
  );
  return indexes.length === 0 ? undefined : indexes[choice % indexes.length];
};
