import type { FactBody } from '../../../src/journal/facts.js';
import { findCycle } from '../../../src/plan/cycle.js';
import type { Check, Evidence } from './check.types.js';
import { Findings } from './check.types.js';

/** Invariants 5 and 6: replans, revisions and depth are bounded, and every plan that is adopted is a plan. */
export const checkPlans: Check = (evidence) => {
  const { facts, policy, maxima } = evidence;
  const findings = new Findings();
  const revisions = new Map<string | null, number>();
  const stepIds = new Set<string>();
  let agents: readonly string[] = [];
  let replans = 0;
  let maxReplans = policy.limits.maxReplans;
  for (const fact of facts) {
    if (fact.type === 'run.started') agents = fact.agents;
    if (fact.type === 'replan.started') {
      replans += 1;
      findings.expect(fact.replans === replans, 5, `replan ${replans} counts as ${fact.replans}`);
      findings.expect(fact.parentStepId === null, 5, 'a sub-plan is planned again');
      findings.expect(replans <= maxReplans, 5, `replan ${replans} is beyond ${maxReplans}`);
      const isSaid = fact.maxReplans === maxReplans;
      findings.expect(isSaid, 5, `the bound is ${maxReplans} and said to be ${fact.maxReplans}`);
    }
    if (fact.type === 'plan.proposed' && fact.origin === 'handOff') {
      replans += 1;
      findings.expect(replans <= maxReplans, 5, `hand-off ${replans} is beyond ${maxReplans}`);
    }
    if (fact.type === 'plan.adopted') {
      if (fact.parentStepId === null && fact.revision === 0) {
        maxReplans = boundWith(fact, policy);
      }
      checkAdoption(fact, { agents, revisions, stepIds }, evidence, findings);
    }
    if (fact.type === 'subplan.started') {
      const isWithin = fact.depth <= policy.limits.maxDepth;
      findings.expect(isWithin, 6, `the sub-plan of ${fact.stepId} has depth ${fact.depth}`);
    }
  }
  const most = policy.limits.maxReplans;
  findings.expect(replans <= most, 5, `${replans} replans are more than ${most}`);
  if (maxima !== undefined) {
    const started = facts.filter((fact) => fact.type === 'step.started').length;
    findings.expect(started <= maxima.steps, 11, `${started} steps, at most ${maxima.steps}`);
    findings.expect(replans <= maxima.replans, 11, `${replans} replans, at most ${maxima.replans}`);
  }
  return findings.violations;
};

/** The first plan of the goal sets the bound, by its most complex step. */
const boundWith = (
  { steps }: FactBody<'plan.adopted'>,
  { limits, replan }: Evidence['policy'],
): number => {
  if (replan.maxByComplexity === null) return limits.maxReplans;
  const { simple, medium, complex } = replan.maxByComplexity;
  const has = (complexity: string): boolean => steps.some((step) => step.complexity === complexity);
  if (has('complex')) return complex;
  return has('medium') ? medium : simple;
};

interface Known {
  readonly agents: readonly string[];
  readonly revisions: Map<string | null, number>;
  readonly stepIds: Set<string>;
}

const checkAdoption = (
  { parentStepId, revision, steps }: FactBody<'plan.adopted'>,
  { agents, revisions, stepIds }: Known,
  { policy }: Evidence,
  findings: Findings,
): void => {
  const expected = (revisions.get(parentStepId) ?? -1) + 1;
  findings.expect(revision === expected, 5, `revision ${revision} comes in place of ${expected}`);
  revisions.set(parentStepId, revision);
  const isWithin = steps.length <= policy.limits.maxSteps;
  findings.expect(isWithin, 5, `revision ${revision} has ${steps.length} steps`);
  for (const { id, agent } of steps) {
    findings.expect(!stepIds.has(id), 5, `the id ${id} is used twice`);
    findings.expect(agents.includes(agent), 16, `${id} is for ${agent}, who is not in the team`);
    const depth = id.split('/').length - 1;
    findings.expect(depth <= policy.limits.maxDepth, 6, `${id} has depth ${depth}`);
    stepIds.add(id);
  }
  for (const { id, dependsOn } of steps) {
    for (const dependency of dependsOn) {
      findings.expect(stepIds.has(dependency), 5, `${id} depends on ${dependency}, which is lost`);
    }
  }
  findings.expect(findCycle(steps) === undefined, 5, `revision ${revision} has a cycle`);
};
