import type { FactBody } from '../../model/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow, isSatisfying, parentOf } from './evidence.js';

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

/** Invariants 1, 2, 3 and the steps' part of 15: steps start when they may, never too many at once, and settle once. */
export const checkSteps: Check = ({ facts, policy }) => {
  const findings = new Findings();
  const steps = new Map<string, Step>();
  const settle = (stepId: string, settlement: Settlement): void => {
    checkSettlement(steps, stepId, settlement, policy, findings);
  };
  follow(facts, findings, {
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

const isDone = ({ status, reason }: Settlement): boolean => isSatisfying(`step.${status}`, reason);

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
    findings.expect(false, 'dependencies-first', `${stepId} starts without being in a plan`);
    return;
  }
  findings.expect(!step.hasStarted, 'causes-first', `${stepId} starts twice`);
  findings.expect(step.settlement === null, 'settled-once', `${stepId} starts after it settled`);
  const mayStart = dependencies(steps, step).every(
    (settlement) =>
      settlement !== null && (isDone(settlement) || policy.failure.onDependencyFailure === 'run'),
  );
  findings.expect(
    mayStart,
    'dependencies-first',
    `${stepId} starts before its dependencies are satisfied`,
  );
  const running = [...steps.values()].filter(
    (other) => other.parent === step.parent && other.slot !== null,
  );
  const isFree = running.every((other) => other.slot !== slot);
  findings.expect(isFree, 'parallel-cap', `${stepId} starts in ${slot}, which is taken`);
  const isWithinCap = running.length < policy.limits.maxParallel;
  findings.expect(isWithinCap, 'parallel-cap', `${stepId} exceeds maxParallel`);
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
    findings.expect(false, 'settled-once', `${stepId} settles without being in a plan`);
    return;
  }
  findings.expect(step.settlement === null, 'settled-once', `${stepId} settles twice`);
  const { status, reason } = settlement;
  const isSkippedAsReplaced = status === 'skipped' && reason === 'replaced';
  const isConsistent = isSkippedAsReplaced === step.isReplaced;
  const how = `${stepId} is replaced, but settles as ${status}: ${reason}`;
  findings.expect(isConsistent, 'settled-once', how);
  checkBeginning(stepId, step, settlement, findings);
  const others = policy.failure.onDependencyFailure === 'run' ? [] : dependencies(steps, step);
  checkBehind(stepId, { step, settlement, others }, findings);
  step.settlement ??= settlement;
  step.slot = null;
};

/** A completed or failed step has started; a skipped one has not. */
const checkBeginning = (
  stepId: string,
  { hasStarted }: Step,
  { status, reason }: Settlement,
  findings: Findings,
): void => {
  if (status === 'completed' || status === 'failed') {
    findings.expect(hasStarted, 'causes-first', `${stepId} is ${status} without having started`);
  }
  if (status === 'skipped' && (reason === 'dependency' || reason === 'replaced')) {
    const how = `${stepId} started and is then skipped: ${reason}`;
    findings.expect(!hasStarted, 'causes-first', how);
  }
};

interface Behind {
  readonly step: Step;
  readonly settlement: Settlement;
  /** The endings of its dependencies, where they keep it from running. */
  readonly others: readonly (Settlement | null)[];
}

/** A step is skipped only behind a dependency without a result. */
const checkBehind = (
  stepId: string,
  { step, settlement, others }: Behind,
  findings: Findings,
): void => {
  const lost = others.filter((other) => other !== null && !isDone(other));
  if (settlement.status === 'skipped' && settlement.reason === 'dependency') {
    const how = `${stepId} is skipped, but no dependency failed`;
    findings.expect(lost.length > 0, 'dependencies-first', how);
  }
  if (settlement.status === 'cancelled' && !step.hasStarted) {
    const isLeft = lost.some((other) => other?.status !== 'cancelled');
    const how = `${stepId} still waits behind a failure`;
    findings.expect(!isLeft, 'dependencies-first', how);
  }
};

/** A step of an interrupted sub-plan ends with its parent step. */
const checkAllSettled = (steps: ReadonlyMap<string, Step>, findings: Findings): void => {
  const isSettled = (stepId: string | null): boolean => {
    const step = stepId === null ? undefined : steps.get(stepId);
    return step !== undefined && (step.settlement !== null || isSettled(step.parent));
  };
  for (const stepId of steps.keys()) {
    findings.expect(isSettled(stepId), 'settled-once', `${stepId} is not settled at the end`);
  }
};
