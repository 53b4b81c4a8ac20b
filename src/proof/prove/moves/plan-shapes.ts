import type { Settings } from '../../../model/settings.js';
import { planFingerprint } from '../../../plan/fingerprint.js';
import type { Complexity, ProposedPlan, ProposedStep, Scope, Votes } from '../../../model/plan.js';
import type { Dependencies, LinksAsked, PlanLinks, WaitsFor } from './plan-links.js';
import { dependenciesOf, linksOf, NO_LINKS } from './plan-links.js';
import type { Asked } from './replies.types.js';

/** The properties of a step that a guard can see. */
interface StepTraits {
  readonly agent: string;
  readonly requiresApproval: boolean;
  readonly votes: Votes | null;
}

export interface NamedPlan {
  readonly name: string;
  readonly plan: ProposedPlan;
}

/** A plan without its texts. */
interface PlanShape {
  readonly name: string;
  /** With the ids that its steps have in a later plan. */
  readonly laterName: string;
  readonly dependsOn: Dependencies;
  readonly traits: readonly StepTraits[];
  readonly complexity: Complexity;
  readonly scope: Scope | null;
}

export interface ShapeOptions {
  /** Steps have no properties here: those are part of their contracts. */
  readonly isBare: boolean;
  readonly waitsFor: WaitsFor;
}

/**
 * Every plan a planner can make, up to differences that no guard can see: the number of steps, their dependencies,
 * agents and properties.
 */
export class PlanShapes {
  readonly #waitsFor: WaitsFor;
  readonly #shapes: readonly PlanShape[];
  readonly #lists: readonly PlanShape[];
  readonly #byFingerprint = new Map<string, ProposedPlan>();
  readonly #known = new Map<string, NamedPlan>();

  constructor(settings: Settings, maxSteps: number, { isBare, waitsFor }: ShapeOptions) {
    this.#waitsFor = waitsFor;
    const sizes = Array.from({ length: maxSteps }, (_, index) => index + 1);
    const traits = isBare ? bareTraits(settings) : traitsOf(settings);
    const frames = framesOf(settings, isBare);
    this.#shapes = sizes.flatMap((size) =>
      shapesOf(dependenciesOf(size, waitsFor), traits, frames),
    );
    this.#lists = this.#shapes.filter(({ dependsOn }) =>
      dependsOn.every((earlier) => earlier.length === 0),
    );
  }

  /** A first plan for every shape; or only plans without dependencies. */
  first(isList: boolean): NamedPlan[] {
    const shapes = isList ? this.#lists : this.#shapes;
    return shapes.map((shape) => this.#planOf(shape, 0, NO_LINKS));
  }

  /** A plan for every shape, with all possible dependencies; or only plans without dependencies. */
  next(asked: LinksAsked & Pick<Asked, 'revision'>, isList: boolean): NamedPlan[] {
    const { revision } = asked;
    if (isList) return this.#lists.map((shape) => this.#planOf(shape, revision, NO_LINKS));
    return this.#shapes.flatMap((shape) =>
      linksOf(shape.dependsOn, asked, this.#waitsFor).map((links) =>
        this.#planOf(shape, revision, links),
      ),
    );
  }

  /** The plan that was adopted under a fingerprint. */
  again(fingerprint: string): ProposedPlan | undefined {
    return this.#byFingerprint.get(fingerprint);
  }

  /** One plan for each revision: no run has adopted it before, and many runs can be offered it. */
  #planOf(shape: PlanShape, revision: number, links: PlanLinks): NamedPlan {
    const name = `${revision === 0 ? shape.name : shape.laterName}${links.name}`;
    const key = `${revision} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const plan = planLike(shape, revision, links);
    this.#byFingerprint.set(planFingerprint(plan), plan);
    const made = { name, plan };
    this.#known.set(key, made);
    return made;
  }
}

// Steps of later plans have other ids than those of the first, so that they can depend on them.
const FIRST = 's';
const LATER = 't';

const planLike = (shape: PlanShape, revision: number, { after }: PlanLinks): ProposedPlan => {
  const prefix = revision === 0 ? FIRST : LATER;
  const steps = shape.traits.map((traits, position): ProposedStep => {
    const own = (shape.dependsOn[position] ?? []).map((other) => `${prefix}${other + 1}`);
    const { agent, requiresApproval, votes } = traits;
    return {
      id: `${prefix}${position + 1}`,
      agent,
      task: `Task ${position + 1} of ${shape.name} of revision ${revision}`,
      dependsOn: [...own, ...(after[position] ?? [])],
      complexity: shape.complexity,
      requiresApproval,
      ...(votes === null ? {} : { votes }),
    };
  });
  return { analysis: '', steps, ...(shape.scope === null ? {} : { scope: shape.scope }) };
};

interface PlanFrame {
  readonly complexity: Complexity;
  readonly scope: Scope | null;
}

const framesOf = ({ policy }: Settings, isBare: boolean): PlanFrame[] => {
  // The scope decides about approvals of single steps, which bare plans do not have.
  const isScopeSeen = policy.approval.autoApproveTrivial && !isBare;
  const complexities: Complexity[] =
    policy.replan.maxByComplexity === null ? ['medium'] : ['simple', 'medium', 'complex'];
  const scopes: (Scope | null)[] = isScopeSeen ? [null, 'trivial'] : [null];
  return complexities.flatMap((complexity) => scopes.map((scope) => ({ complexity, scope })));
};

/** Agents are distinguished by approvals and fallbacks; by name only where their history matters. */
export const agentsToTell = ({ policy, team }: Settings): readonly string[] => {
  const { agents, confidenceBelow } = policy.approval;
  if (confidenceBelow !== null || policy.breaker !== null) return team.agents;
  const seen = new Set<string>();
  return team.agents.filter((agent) => {
    const kind = `${agents.includes(agent) ? 'asks' : ''}${team.fallbacks.includes(agent) ? 'falls' : ''}`;
    return !seen.has(kind) && seen.add(kind);
  });
};

const bareTraits = ({ team }: Settings): StepTraits[] => [
  { agent: team.agents[0] ?? '', requiresApproval: false, votes: null },
];

export const votesToTell = ({ policy }: Settings): (Votes | null)[] => {
  const counts = Array.from({ length: policy.limits.maxVotes - 1 }, (_, index) => index + 2);
  return [
    null,
    ...counts.flatMap((count): Votes[] => [
      { count, choose: 'majority' },
      { count, choose: 'bestConfidence' },
    ]),
  ];
};

const traitsOf = (settings: Settings): StepTraits[] =>
  agentsToTell(settings).flatMap((agent) =>
    votesToTell(settings).flatMap((votes) =>
      [false, true].map((requiresApproval) => ({ agent, requiresApproval, votes })),
    ),
  );

const shapesOf = (
  dependencies: readonly Dependencies[],
  traits: readonly StepTraits[],
  frames: readonly PlanFrame[],
): PlanShape[] =>
  dependencies.flatMap((dependsOn) =>
    listsOf(dependsOn.length, traits).flatMap((list) =>
      frames.map((frame) => ({
        ...frame,
        name: nameOf(dependsOn, list, frame, FIRST),
        laterName: nameOf(dependsOn, list, frame, LATER),
        dependsOn,
        traits: list,
      })),
    ),
  );

const listsOf = <Item>(size: number, items: readonly Item[]): (readonly Item[])[] =>
  size === 0
    ? [[]]
    : listsOf(size - 1, items).flatMap((before) => items.map((item) => [...before, item]));

const nameOf = (
  dependsOn: Dependencies,
  traits: readonly StepTraits[],
  { complexity, scope }: PlanFrame,
  prefix: string,
): string => {
  const steps = traits.map(({ requiresApproval, votes }, position) => {
    const wants = `${requiresApproval ? ' with approval' : ''}${votes === null ? '' : ` by ${votes.count} votes (${votes.choose})`}`;
    const after = (dependsOn[position] ?? []).map((other) => `${prefix}${other + 1}`).join(' and ');
    return `${prefix}${position + 1}${wants}${after === '' ? '' : ` after ${after}`}`;
  });
  const kind = complexity === 'medium' ? '' : ` ${complexity}`;
  return `a${scope === null ? '' : ` ${scope}`}${kind} plan: ${steps.join(', ')}`;
};
