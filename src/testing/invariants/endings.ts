import type { Fact } from '../../model/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow, parentOf } from './evidence.js';

type End = Fact<'run.ended'>;

/** Invariants 12 and 19: the run ends in time and reports what happened. */
export const checkEnding: Check = (evidence) => {
  const findings = new Findings();
  const end = evidence.facts.find((fact): fact is End => fact.type === 'run.ended');
  if (end === undefined) return [];
  findings.lookAt(end);
  checkTime(evidence, end, findings);
  checkStatus(evidence.facts, end, findings);
  return findings.violations;
};

const checkTime = ({ facts, policy, downtimeMs }: Evidence, end: End, findings: Findings): void => {
  const { limitMs, graceMs } = policy.time;
  const takenMs = end.at - (facts[0]?.at ?? end.at);
  const mostMs = limitMs + graceMs + extensionsMs(facts) + downtimeMs;
  const isInTime = takenMs <= mostMs;
  findings.expect(isInTime, 'ends-in-time', `the run takes ${takenMs} ms, at most ${mostMs}`);
};

const extensionsMs = (facts: readonly Fact[]): number =>
  facts.reduce((sum, fact) => (fact.type === 'time.extended' ? sum + fact.extraMs : sum), 0);

const checkStatus = (facts: readonly Fact[], { status, reason }: End, findings: Findings): void => {
  const expect = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'ending-true', message);
  expect(reason !== '', `the run is ${status} without a reason`);
  const isByWork = status === 'completed' || status === 'failed';
  const refused = facts.filter((fact) => fact.type === 'request.refused');
  const isNamed = refused.some(({ bound }) => reason.includes(bound));
  expect(
    !isByWork || refused.length === 0 || isNamed,
    `the run is ${reason}, and names no bound at which a request was refused`,
  );
  const { unresolved, cancelled } = openSteps(facts);
  const [code] = reason.split(':');
  // A supervisor that confirms the goal decides about the steps left out.
  if (status === 'completed' && code !== 'goal-achieved') {
    const left = [...unresolved, ...cancelled];
    expect(left.length === 0, `the run is completed without ${left.join(', ')}`);
  }
  if (code === 'steps-failed') {
    expect(
      unresolved.length > 0,
      'the run reports failed steps, but every failure was followed by a plan',
    );
  }
  if (code === 'steps-left') {
    expect(cancelled.length > 0, 'the run reports open steps, but none was cancelled');
  }
};

/**
 * Steps of the goal's plan that no later plan of a planner resolves: those that failed or were skipped behind a
 * failure, which only a plan with steps can resolve, and those that were cancelled.
 */
const openSteps = (facts: readonly Fact[]): { unresolved: string[]; cancelled: string[] } => {
  let unresolved: string[] = [];
  let cancelled: string[] = [];
  let isHandOff = false;
  const lose = (stepId: string): void => {
    if (parentOf(stepId) === null) unresolved.push(stepId);
  };
  follow(facts, new Findings(), {
    'plan.proposed': ({ parentStepId, origin }) => {
      if (parentStepId === null) isHandOff = origin === 'handOff';
    },
    'plan.adopted': ({ parentStepId, steps }) => {
      if (parentStepId !== null || isHandOff) return;
      cancelled = [];
      if (steps.length > 0) unresolved = [];
    },
    'step.failed': ({ stepId }) => lose(stepId),
    'step.skipped': ({ stepId, reason }) => {
      if (reason === 'dependency') lose(stepId);
    },
    'step.cancelled': ({ stepId }) => {
      if (parentOf(stepId) === null) cancelled.push(stepId);
    },
  });
  return { unresolved, cancelled };
};
