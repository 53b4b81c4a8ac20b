import type { Settings } from '../../../model/settings.js';
import { boundsOf } from '../../../policy/bounds.js';
import { definePolicy } from '../../../policy/policy.js';
import type { Analysis } from '../analysis.js';
import { analyse } from '../analysis.js';
import type { ExploreOptions } from '../explore.js';
import type { System } from '../model.types.js';
import { agentsToTell, PlanShapes } from '../moves/plan-shapes.js';
import type { Repertoire } from '../moves/replies.js';
import type { Charts } from '../whole-run.js';
import { callSystem, callVariantOf, callVariants } from './call-system.js';
import type { Contract } from './contract.js';
import { contractOf } from './contract.js';
import type { Contracts } from './contracts.js';
import { areStepsCounted } from './counted-steps.js';
import { areListsEnough } from './lists-enough.js';
import { goalSystem, subplanSystem } from './plan-system.js';
import type { StepOrigin } from './step-system.js';
import { stepSystem } from './step-system.js';

/** All charts, each explored against the contracts of its children, from the bottom up. */
export interface Composition {
  /** In order of exploration; the last is the plan of the goal, unless an earlier one is refuted. */
  readonly analyses: readonly Analysis[];
  /** The first refuted analysis. */
  readonly refuted: Analysis | undefined;
  /** The call budget, where it is below the number of calls that a run could make. */
  readonly callBudget: number | undefined;
}

export interface ComposeOptions extends ExploreOptions {
  /** False to distinguish steps that could be counted. @default true */
  readonly isCounting?: boolean;
}

export const compose = (
  chartsFor: (settings: Settings) => Charts,
  settings: Settings,
  { isCounting = true, ...options }: ComposeOptions,
): Composition => {
  const countable = repertoireFor(settings);
  const repertoire = isCounting ? countable : { ...countable, areStepsCounted: false };
  const charts = chartsFor(repertoire.settings);
  const composer = new Composer(charts, repertoire, options, callBudgetOf(settings));
  return composer.run();
};

/** Every reply to the charts of this policy, each on its own. */
export const repertoireFor = (settings: Settings): Repertoire =>
  repertoireOf(bareSettings(settings), settings);

/** Undefined where no run can spend the budget: `bounds()` without one is an upper bound of the calls. */
const callBudgetOf = ({ policy, team }: Settings): number | undefined => {
  const { maxAgentCalls } = policy.limits;
  if (maxAgentCalls === null) return undefined;
  const unlimited = { ...policy, limits: { ...policy.limits, maxAgentCalls: null } };
  return maxAgentCalls < boundsOf(unlimited, team).agentCalls ? maxAgentCalls : undefined;
};

/**
 * Whether a step needs approval is a choice when it starts. So the causes of that need not be distinguished, nor agents
 * by more than their fallback, nor the number of calls left: in a chart on its own any call may be the last. The calls
 * are counted along the paths.
 */
const bareSettings = ({ policy, team }: Settings): Settings => {
  // A budget that no run can spend changes nothing.
  const maxAgentCalls = callBudgetOf({ policy, team }) === undefined ? null : 1;
  const asking = definePolicy({
    ...policy,
    limits: { ...policy.limits, maxAgentCalls },
    approval: { ...policy.approval, agents: [], confidenceBelow: null },
  });
  const agents = agentsToTell({ policy: { ...asking, breaker: null }, team });
  return { policy: asking, team: { ...team, agents } };
};

const repertoireOf = (settings: Settings, { policy, team }: Settings): Repertoire => ({
  settings,
  shapes: new PlanShapes(settings, settings.policy.limits.maxSteps, {
    isBare: true,
    waitsFor: 'one',
  }),
  areListsEnough: areListsEnough(policy),
  areStepsCounted: areStepsCounted(settings),
  isHandedOnAsked:
    (policy.approval.confidenceBelow ?? 0) > 0 ||
    team.agents.some((agent) => policy.approval.agents.includes(agent)),
});

class Composer {
  readonly #charts: Charts;
  readonly #repertoire: Repertoire;
  readonly #options: ExploreOptions;
  readonly #callBudget: number | undefined;
  readonly #analyses: Analysis[] = [];

  constructor(
    charts: Charts,
    repertoire: Repertoire,
    options: ExploreOptions,
    callBudget: number | undefined,
  ) {
    this.#charts = charts;
    this.#repertoire = repertoire;
    this.#options = options;
    this.#callBudget = callBudget;
  }

  run(): Composition {
    const { policy, team } = this.#repertoire.settings;
    let contracts: Contracts | undefined = this.#calls();
    const depth = team.hasPlanner ? policy.limits.maxDepth : 0;
    for (let level = depth; level > 0 && contracts !== undefined; level -= 1) {
      contracts = this.#subplan(contracts, level);
    }
    if (contracts !== undefined) this.#goal(contracts);
    const refuted = this.#analyses.find(({ refutation }) => refutation !== undefined);
    return { analyses: this.#analyses, refuted, callBudget: this.#callBudget };
  }

  /** Undefined when the system is refuted: then no chart above it can rely on it. */
  #contract(system: System): Contract | undefined {
    if (!this.#isSound(system)) return undefined;
    const analysis = this.#analyses.at(-1);
    return analysis === undefined ? undefined : contractOf(analysis, this.#callBudget);
  }

  #calls(): Contracts | undefined {
    const { settings } = this.#repertoire;
    const isFallingBack = settings.policy.retry.fallback && settings.team.fallbacks.length > 0;
    const isBudgeted = this.#callBudget !== undefined;
    const calls = new Map<string, Contract>();
    for (const variant of callVariants(isFallingBack)) {
      const contract = this.#contract(callSystem(this.#charts, settings, variant, isBudgeted));
      if (contract === undefined) return undefined;
      calls.set(callVariantOf(variant), contract);
    }
    return { calls };
  }

  #step(contracts: Contracts, level: number, origin: StepOrigin): Contract | undefined {
    return this.#contract(stepSystem(this.#charts, this.#repertoire, contracts, level, origin));
  }

  #subplan(below: Contracts, level: number): Contracts | undefined {
    const planned = this.#step(below, level, 'planned');
    if (planned === undefined) return undefined;
    const inside = { calls: below.calls, planned };
    const system = subplanSystem(this.#charts, this.#repertoire, inside, level);
    const subplan = this.#contract(system);
    return subplan === undefined ? undefined : { calls: below.calls, subplan };
  }

  #goal(below: Contracts): void {
    const planned = this.#step(below, 0, 'planned');
    // With a planner, a handed-off step could as well have been planned, though not with as few calls.
    const { hasPlanner } = this.#repertoire.settings.team;
    const isAsPlanned = hasPlanner && this.#callBudget === undefined;
    const handedOn = isAsPlanned ? planned : this.#step(below, 0, 'handed on');
    if (planned === undefined || handedOn === undefined) return;
    const inside = { calls: below.calls, planned, handedOn };
    this.#isSound(goalSystem(this.#charts, this.#repertoire, inside));
  }

  #isSound(system: System): boolean {
    const analysis = analyse(system, this.#options);
    this.#analyses.push(analysis);
    return analysis.refutation === undefined;
  }
}
