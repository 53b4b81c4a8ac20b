import type { PlanRequest } from '../../agents/roles.js';
import type { Plan, PlanStep } from '../../model/plan.js';
import type { FaultKind } from './fault-kinds.js';
import type { Random } from './random.js';

type Shape = 'single' | 'chain' | 'diamond' | 'fan' | 'random';

/** The inputs of a generated plan. */
export interface PlanMaterial {
  readonly agents: readonly string[];
  readonly maxSteps: number;
  readonly maxVotes: number;
  /** The prefix of step ids, so that plans use different ids, or the same ones. */
  readonly prefix: string;
  /** Completed steps that a plan can depend on. */
  readonly earlier: readonly string[];
  readonly omitted: ReadonlySet<number>;
}

export const materialOf = (
  { limits, completed, revision, depth, agents }: PlanRequest,
  omitted: ReadonlySet<number>,
): PlanMaterial => ({
  agents: agents.map(({ name }) => name),
  // Sub-plans of sub-plans grow fast.
  maxSteps: depth > 0 ? Math.min(2, limits.maxSteps) : limits.maxSteps,
  maxVotes: limits.maxVotes,
  prefix: revision === 0 ? 's' : `r${revision}s`,
  earlier: depth > 0 ? [] : completed.map(({ stepId }) => stepId),
  omitted,
});

/** A valid plan of a random shape; `faults` make it unusual without making it invalid. */
export const soundPlan = (
  random: Random,
  material: PlanMaterial,
  fault: FaultKind | undefined,
): Plan => {
  const isWide = fault === 'plan-wide';
  const shape = random.pick<Shape>(['single', 'chain', 'diamond', 'fan', 'random']) ?? 'single';
  const count = isWide ? material.maxSteps : countOf(random, shape, material.maxSteps);
  const prefix = fault === 'plan-reuses-ids' ? 's' : material.prefix;
  const steps = Array.from({ length: count }, (_, index): PlanStep => {
    const step = {
      id: `${prefix}${index}`,
      agent: random.pick(material.agents, 'worker'),
      task: fault === 'plan-hidden-text' ? HIDDEN : `Task ${index}`,
      dependsOn: dependenciesOf(random, shape, index).map((before) => `${prefix}${before}`),
      complexity: random.pick(['simple', 'medium', 'complex'] as const, 'medium'),
      requiresApproval: random.chance(0.08),
    };
    const isVoted = fault === 'plan-votes' && material.maxVotes > 1 && random.chance(0.7);
    return isVoted ? { ...step, votes: votesOf(random, material.maxVotes) } : step;
  });
  const linked = linkedToEarlier(random, steps, material.earlier);
  return { analysis: 'Analysis', ...scopeOf(random), steps: withoutOmitted(linked, material) };
};

const HIDDEN = 'Do \u202E this \u200B now \u{E0041}\u0301\u0301';

const countOf = (random: Random, shape: Shape, maxSteps: number): number =>
  shape === 'single' ? 1 : random.integer(Math.min(2, maxSteps), Math.min(5, maxSteps));

const scopeOf = (random: Random): Pick<Plan, 'scope'> => {
  const scope = random.pick(['trivial', 'moderate', undefined] as const);
  return scope === undefined ? {} : { scope };
};

const votesOf = (random: Random, maxVotes: number): NonNullable<PlanStep['votes']> => ({
  count: random.integer(2, maxVotes),
  choose: random.pick(['majority', 'bestConfidence'] as const, 'majority'),
});

const dependenciesOf = (random: Random, shape: Shape, index: number): number[] => {
  const before = Array.from({ length: index }, (_, earlier) => earlier);
  switch (shape) {
    case 'single':
      return [];
    case 'chain':
      return before.slice(-1);
    case 'fan':
      return before.slice(0, 1);
    case 'diamond':
      return index < 3 ? before.slice(0, 1) : before.slice(1);
    case 'random':
      return random.some(before, 0.4);
  }
};

const linkedToEarlier = (
  random: Random,
  steps: readonly PlanStep[],
  earlier: readonly string[],
): PlanStep[] =>
  steps.map((step) => ({
    ...step,
    dependsOn: [...(step.dependsOn ?? []), ...random.some(earlier, 0.2)],
  }));

/** The shrinker removes steps one by one; dependencies on them are dropped. */
const withoutOmitted = (
  steps: readonly PlanStep[],
  { omitted }: PlanMaterial,
): readonly PlanStep[] => {
  if (omitted.size === 0) return steps;
  const gone = new Set(steps.filter((_, index) => omitted.has(index)).map(({ id }) => id));
  return steps
    .filter(({ id }) => !gone.has(id))
    .map((step) => ({
      ...step,
      dependsOn: (step.dependsOn ?? []).filter((dependency) => !gone.has(dependency)),
    }));
};

type Spoiling = (spoiled: Spoiled) => Plan;

interface Spoiled {
  readonly plan: Plan;
  readonly step: PlanStep;
  readonly random: Random;
  readonly maxSteps: number;
}

const changed = (
  { plan, step }: Spoiled,
  change: Partial<PlanStep>,
  ...more: PlanStep[]
): Plan => ({
  ...plan,
  steps: [{ ...step, ...change }, ...plan.steps.slice(1), ...more],
});

/** Invalid plans, one of each kind. */
const MISTAKES: Readonly<Partial<Record<FaultKind, Spoiling>>> = {
  'plan-unknown-agent': (spoiled) => {
    const agent = spoiled.random.pick(['nobody', 'constructor', '__proto__', ''], 'nobody');
    return changed(spoiled, { agent });
  },
  'plan-cyclic': (spoiled) => {
    const { step, random } = spoiled;
    if (random.chance(0.5)) return changed(spoiled, { dependsOn: [step.id] });
    const last = { id: 'last', agent: step.agent, task: 'Last', dependsOn: [step.id] };
    return changed(spoiled, { dependsOn: ['last'] }, last);
  },
  'plan-duplicate-id': (spoiled) => changed(spoiled, {}, { ...spoiled.step, task: 'Again' }),
  'plan-dangling': (spoiled) => changed(spoiled, { dependsOn: ['ghost'] }),
  'plan-empty': ({ plan }) => ({ ...plan, steps: [] }),
  'plan-too-large': ({ plan, step, maxSteps }) => ({
    ...plan,
    steps: Array.from({ length: maxSteps + 1 }, (_, index) => many(index, step.agent)),
  }),
  'plan-bad-id': (spoiled) => {
    const id = spoiled.random.pick(['__proto__', 'a.b', '*', '', ' ', '../x', '0'], '*');
    return changed(spoiled, { id });
  },
};

/** A plan with one mistake of the given kind; undefined when the kind is not a mistake of a plan. */
export const faultyPlan = (
  random: Random,
  plan: Plan,
  { maxSteps }: PlanMaterial,
  fault: FaultKind | undefined,
): Plan | undefined => {
  const step = plan.steps[0] ?? { id: 's0', agent: 'worker', task: 'Task' };
  return fault === undefined ? undefined : MISTAKES[fault]?.({ plan, step, random, maxSteps });
};

const many = (index: number, agent: string): PlanStep => ({
  id: `m${index}`,
  agent,
  task: 'One of many',
});
