import type {
  PlanRequest,
  ReviewRequest,
  SummaryRequest,
  TestRequest,
} from '../../agents/roles.js';
import type { Plan } from '../../model/plan.js';
import { CALL_FAULTS } from './agents.js';
import { answer } from './answering.js';
import type { FaultKind } from './fault-kinds.js';
import { faultyPlan, materialOf, soundPlan } from './plans.js';
import type { Random } from './random.js';
import type { Environment } from './environment.js';

const PLAN_FAULTS: readonly FaultKind[] = [
  'plan-unknown-agent',
  'plan-cyclic',
  'plan-duplicate-id',
  'plan-dangling',
  'plan-empty',
  'plan-too-large',
  'plan-bad-id',
  'plan-repeated',
  'plan-reuses-ids',
  'plan-hidden-text',
  'plan-wide',
  'plan-votes',
];

/** A random fault of a call other than a plan. */
const callFault = (environment: Environment, key: string, share: number): FaultKind | undefined =>
  environment.fault(`${key} call`, CALL_FAULTS, share);

/** The planner of a simulated world. */
export const plan = (environment: Environment, request: PlanRequest): unknown => {
  const { key, signal } = request;
  const random = environment.random(`plan ${key}`);
  const isFailing = environment.fault(key, ['planner-fails'], 0.4) !== undefined;
  const failing = random.pick(CALL_FAULTS);
  const fault = isFailing ? failing : undefined;
  return answer(environment, { key, signal, fault, random }, () =>
    proposal(environment, request, random),
  );
};

const proposal = (environment: Environment, request: PlanRequest, random: Random): Plan => {
  const fault = environment.fault(`${request.key} plan`, PLAN_FAULTS, 0.5);
  const material = materialOf(request, environment.world.omitted.steps);
  // The same random choices make the same plan: it does not depend on the request.
  const dice = fault === 'plan-repeated' ? environment.random('the plan again') : random;
  const same = { ...material, prefix: 's', earlier: [] };
  const sound = soundPlan(dice, fault === 'plan-repeated' ? same : material, fault);
  return faultyPlan(random, sound, material, fault) ?? sound;
};

/** The supervisor of a simulated world. */
export const review = (environment: Environment, { key, signal }: ReviewRequest): unknown => {
  const random = environment.random(`review ${key}`);
  const fault = environment.fault(key, ['verdict-odd', 'verdict-low', 'verdict-issues'], 0.75);
  const called = fault === undefined ? callFault(environment, key, 0.15) : undefined;
  return answer(environment, { key, signal, fault: called, random }, () => verdict(random, fault));
};

const verdict = (random: Random, fault: FaultKind | undefined): unknown => {
  if (fault === 'verdict-odd') {
    return { score: random.pick([-1, Number.NaN, Infinity, '7', null, 101]) };
  }
  if (fault === 'verdict-low') {
    const score = random.pick([0, 1e-320, 29, 49, 59, 69]);
    return { score, issues: ['Bad'], feedback: 'No' };
  }
  if (fault === 'verdict-issues') return { score: 95, issues: ['Small'], feedback: 'Yes, but' };
  return { score: random.integer(85, 100), issues: [] };
};

/** The tester of a simulated world. */
export const test = (environment: Environment, { key, signal }: TestRequest): unknown => {
  const random = environment.random(`test ${key}`);
  const isFailing = environment.fault(key, ['tests-fail'], 0.5) !== undefined;
  const fault = isFailing ? undefined : callFault(environment, key, 0.15);
  const fixPlan = { summary: 'Fix it', steps: ['Here'] };
  const failed = { passed: false, failures: ['one'], ...(random.chance(0.5) ? { fixPlan } : {}) };
  return answer(environment, { key, signal, fault, random }, () =>
    isFailing ? failed : { passed: true },
  );
};

/** The summarizer of a simulated world. */
export const summarize = (environment: Environment, { key, signal }: SummaryRequest): unknown => {
  const random = environment.random(`summary ${key}`);
  const fault = callFault(environment, key, 0.3);
  return answer(environment, { key, signal, fault, random }, () => 'What was done');
};
