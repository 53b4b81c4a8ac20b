import type { FactBody } from '../../model/facts.js';
import { findCycle } from '../../plan/cycle.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow } from './evidence.js';

/** Invariants 5 and 6: replans, revisions and depth are bounded, and every adopted plan is valid. */
export const checkPlans: Check = (evidence) => {
  const { facts, policy } = evidence;
  const findings = new Findings();
  const ledger: Ledger = {
    revisions: new Map(),
    stepIds: new Set(),
    agents: [],
    replans: 0,
    maxReplans: policy.limits.maxReplans,
  };
  follow(facts, findings, {
    'run.started': ({ agents }) => {
      ledger.agents = agents;
    },
    'run.upgraded': ({ to }) => {
      ledger.agents = to.agents;
    },
    'replan.started': (fact) => checkReplan(ledger, fact, findings),
    'plan.proposed': ({ origin }) => {
      if (origin === 'handOff') checkHandOff(ledger, findings);
    },
    'plan.adopted': (fact) => {
      if (fact.parentStepId === null && fact.revision === 0) {
        ledger.maxReplans = boundWith(fact, policy);
      }
      checkAdoption(fact, ledger, evidence, findings);
    },
    'subplan.started': ({ depth, stepId }) => {
      const isWithin = depth <= policy.limits.maxDepth;
      findings.expect(isWithin, 'depth-bounded', `the sub-plan of ${stepId} has depth ${depth}`);
    },
  });
  checkTotals(ledger, evidence, findings);
  return findings.violations;
};

interface Ledger {
  readonly revisions: Map<string | null, number>;
  readonly stepIds: Set<string>;
  agents: readonly string[];
  replans: number;
  maxReplans: number;
}

const checkReplan = (
  ledger: Ledger,
  fact: FactBody<'replan.started'>,
  findings: Findings,
): void => {
  ledger.replans += 1;
  const { replans, maxReplans } = ledger;
  const expect = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'replans-bounded', message);
  expect(fact.replans === replans, `replan ${replans} counts as ${fact.replans}`);
  expect(fact.parentStepId === null, 'a sub-plan is replanned');
  expect(replans <= maxReplans, `replan ${replans} is beyond ${maxReplans}`);
  const isSaid = fact.maxReplans === maxReplans;
  expect(isSaid, `the bound is ${maxReplans}, but reported as ${fact.maxReplans}`);
};

const checkHandOff = (ledger: Ledger, findings: Findings): void => {
  ledger.replans += 1;
  const { replans, maxReplans } = ledger;
  const isWithin = replans <= maxReplans;
  findings.expect(isWithin, 'replans-bounded', `hand-off ${replans} is beyond ${maxReplans}`);
};

const checkTotals = (
  { replans }: Ledger,
  { facts, policy, bounds }: Evidence,
  findings: Findings,
): void => {
  const most = policy.limits.maxReplans;
  findings.expect(replans <= most, 'replans-bounded', `${replans} replans are more than ${most}`);
  if (bounds === undefined) return;
  const started = facts.filter((fact) => fact.type === 'step.started').length;
  const isWithin = started <= bounds.steps;
  findings.expect(isWithin, 'ceilings-held', `${started} steps, at most ${bounds.steps}`);
  const isAllowed = replans <= bounds.replans;
  findings.expect(isAllowed, 'ceilings-held', `${replans} replans, at most ${bounds.replans}`);
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

const checkAdoption = (
  { parentStepId, revision, steps }: FactBody<'plan.adopted'>,
  { agents, revisions, stepIds }: Ledger,
  { policy }: Evidence,
  findings: Findings,
): void => {
  const expected = (revisions.get(parentStepId) ?? -1) + 1;
  findings.expect(
    revision === expected,
    'plans-sound',
    `revision ${revision} is adopted instead of ${expected}`,
  );
  revisions.set(parentStepId, revision);
  const isWithin = steps.length <= policy.limits.maxSteps;
  findings.expect(isWithin, 'plans-sound', `revision ${revision} has ${steps.length} steps`);
  for (const { id, agent } of steps) {
    findings.expect(!stepIds.has(id), 'plans-sound', `the id ${id} is used twice`);
    findings.expect(
      agents.includes(agent),
      'team-only',
      `${id} is for ${agent}, which is not in the team`,
    );
    const depth = id.split('/').length - 1;
    findings.expect(depth <= policy.limits.maxDepth, 'depth-bounded', `${id} has depth ${depth}`);
    stepIds.add(id);
  }
  for (const { id, dependsOn } of steps) {
    for (const dependency of dependsOn) {
      findings.expect(
        stepIds.has(dependency),
        'plans-sound',
        `${id} depends on ${dependency}, which is lost`,
      );
    }
  }
  findings.expect(
    findCycle(steps) === undefined,
    'plans-sound',
    `revision ${revision} has a cycle`,
  );
};
