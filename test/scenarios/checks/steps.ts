import type { FactBody } from '../../../src/journal/facts.js';
import type { Check, Evidence } from './check.types.js';
import { Findings, follow, parentOf } from './check.types.js';

interface Settlement {
  readonly status: 'completed' | 'failed' | 'skipped' | 'cancelled';
  readonly reason: string;
}

interface Step {
  readonly dependsOn: readonly string[];
  readonly parent: string | null;
  slot: string | null;
  hasStarted: boolean;
  isReplaced: boolean;
  settlement: Settlement | null;
}

type Policy = Evidence['policy'];

/** Invariants 1, 2, 3 and the steps' part of 15: steps start when they may, as many as may, and settle once. */
export const checkSteps: Check = ({ facts, policy }) => {
  const findings = new Findings();
  const steps = new Map<string, Step>();
  const settle = (stepId: string, settlement: Settlement): void => {
    checkSettlement(steps, stepId, settlement, policy, findings);
  };
  follow(facts, {
    'plan.adopted': (fact) => adopt(steps, fact),
    'step.started': (fact) => checkStart(steps, fact, policy, findings),
    'step.completed': ({ stepId }) => settle(stepId, { status: 'completed', reason: '' }),
    'step.failed': ({ stepId, reason }) => settle(stepId, { status: 'failed', reason }),
    'step.skipped': ({ stepId, reason }) => settle(stepId, { status: 'skipped', reason }),
    'step.cancelled': ({ stepId, reason }) => settle(stepId, { status: 'cancelled', reason }),
    'run.ended': () => checkAllSettled(steps, findings),
  });
  return findings.violations;
};

const adopt = (
  steps: Map<string, Step>,
  { steps: added, replaced }: FactBody<'plan.adopted'>,
): void => {
  for (const { id, dependsOn } of added) {
    if (steps.has(id)) continue;
    const fresh = { slot: null, hasStarted: false, isReplaced: false, settlement: null };
    steps.set(id, { dependsOn, parent: parentOf(id), ...fresh });
  }
  for (const stepId of replaced) {
    const step = steps.get(stepId);
    if (step !== undefined) step.isReplaced = true;
  }
};

const isSatisfying = ({ status, reason }: Settlement): boolean =>
  status === 'completed' || (status === 'skipped' && /^human(?:: |$)/.test(reason));

const dependencies = (steps: ReadonlyMap<string, Step>, step: Step): (Settlement | null)[] =>
  step.dependsOn.map((dependency) => steps.get(dependency)?.settlement ?? null);

const checkStart = (
  steps: ReadonlyMap<string, Step>,
  { stepId, slot }: FactBody<'step.started'>,
  policy: Policy,
  findings: Findings,
): void => {
  const step = steps.get(stepId);
  if (step === undefined) {
    findings.expect(false, 2, `${stepId} starts and is on no plan`);
    return;
  }
  findings.expect(!step.hasStarted, 15, `${stepId} starts twice`);
  findings.expect(step.settlement === null, 1, `${stepId} starts after it settled`);
  const mayStart = dependencies(steps, step).every(
    (settlement) =>
      settlement !== null &&
      (isSatisfying(settlement) || policy.failure.onDependencyFailure === 'run'),
  );
  findings.expect(mayStart, 2, `${stepId} starts before what it depends on is done`);
  const running = [...steps.values()].filter(
    (other) => other.parent === step.parent && other.slot !== null,
  );
  const isFree = running.every((other) => other.slot !== slot);
  findings.expect(isFree, 3, `${stepId} starts in ${slot}, which is taken`);
  const isWithinCap = running.length < policy.limits.maxParallel;
  findings.expect(isWithinCap, 3, `${stepId} is one more than maxParallel`);
  step.hasStarted = true;
  step.slot = slot;
};

const checkSettlement = (
  steps: ReadonlyMap<string, Step>,
  stepId: string,
  settlement: Settlement,
  policy: Policy,
  findings: Findings,
): void => {
  const step = steps.get(stepId);
  if (step === undefined) {
    findings.expect(false, 1, `${stepId} settles and is on no plan`);
    return;
  }
  findings.expect(step.settlement === null, 1, `${stepId} settles twice`);
  const { status, reason } = settlement;
  if (status === 'completed' || status === 'failed') {
    findings.expect(step.hasStarted, 15, `${stepId} is ${status} and never started`);
  }
  if (status === 'skipped' && (reason === 'dependency' || reason === 'replaced')) {
    findings.expect(!step.hasStarted, 15, `${stepId} started and is then skipped: ${reason}`);
  }
  const isSkippedAsReplaced = status === 'skipped' && reason === 'replaced';
  const isConsistent = isSkippedAsReplaced === step.isReplaced;
  findings.expect(isConsistent, 1, `${stepId} is replaced and settles as ${status}: ${reason}`);
  const isBehindFailure =
    policy.failure.onDependencyFailure !== 'run' &&
    dependencies(steps, step).some((other) => other !== null && !isSatisfying(other));
  if (status === 'skipped' && reason === 'dependency') {
    findings.expect(isBehindFailure, 2, `${stepId} is skipped, and no dependency failed`);
  }
  if (status === 'cancelled' && !step.hasStarted) {
    const isLeftBehind = dependencies(steps, step).some(
      (other) => other !== null && other.status !== 'cancelled' && !isSatisfying(other),
    );
    const wasSkippable = isLeftBehind && policy.failure.onDependencyFailure !== 'run';
    findings.expect(!wasSkippable, 2, `${stepId} was left waiting behind a failure`);
  }
  step.settlement ??= settlement;
  step.slot = null;
};

/** A step of a sub-plan that is cut short ends with the step it works for. */
const checkAllSettled = (steps: ReadonlyMap<string, Step>, findings: Findings): void => {
  const isSettled = (stepId: string | null): boolean => {
    const step = stepId === null ? undefined : steps.get(stepId);
    return step !== undefined && (step.settlement !== null || isSettled(step.parent));
  };
  for (const stepId of steps.keys()) {
    findings.expect(isSettled(stepId), 1, `${stepId} is not settled at the end`);
  }
};
