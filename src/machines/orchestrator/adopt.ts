import { canReplan, replanLimit } from '../../guards/budget.js';
import type { AdoptionRules } from '../../plan/adopt.js';
import { adoptPlan } from '../../plan/adopt.js';
import type { ProposedPlan } from '../../model/plan.js';
import * as facts from './facts.js';
import type { OrchestratorContext, Update } from './context.js';
import { fingerprintOf, progressed } from './updates.js';

/* How a proposed plan is adopted. */

/** Adopts the proposal. A plan without steps resolves nothing: earlier failures still count. */
export const proposalAdopted = (context: OrchestratorContext): Update => {
  const plan = context.proposal?.plan;
  if (plan == null) return { context, facts: [] };
  const maxReplans = maxReplansWith(context, plan);
  const adopted = planAdopted(context, plan, {
    revision: context.revision + 1,
    merge: context.settings.policy.replan.merge,
    resolvesFailures: plan.steps.length > 0,
  });
  const next: OrchestratorContext = {
    ...adopted.context,
    ...progressed(context),
    maxReplans,
    analysis: plan.analysis,
    fingerprints: fingerprintsAfter({ ...context, maxReplans }),
    givenUp: [],
    isTimeUsedUp: context.isTimeUsedUp && plan.steps.length === 0,
    proposal: null,
    requests: [],
  };
  return { context: next, facts: adopted.facts };
};

/** The first plan of the goal sets the bound. A sub-plan has no replans. */
const maxReplansWith = (
  { maxReplans, revision, depth, settings }: OrchestratorContext,
  plan: ProposedPlan,
): number => (revision < 0 && depth === 0 ? replanLimit(settings.policy, plan) : maxReplans);

/** Only a planner that is called again can repeat a plan. */
const fingerprintsAfter = (context: OrchestratorContext): readonly string[] =>
  context.settings.policy.replan.stopOnRepeatedPlan && canReplan(context)
    ? [...context.fingerprints, fingerprintOf(context)]
    : context.fingerprints;

/** Adds the steps of a plan to the progress, and skips the steps it replaces. */
export const planAdopted = (
  context: OrchestratorContext,
  plan: ProposedPlan,
  rules: AdoptionRules,
): Update => {
  const { progress, added, replaced } = adoptPlan(context.progress, plan, rules);
  const next = { ...context, progress, revision: rules.revision };
  return {
    context: next,
    facts: [
      facts.planAdopted(next, added, replaced),
      ...replaced.map((index) => facts.stepSkipped(next, index)),
    ],
  };
};
