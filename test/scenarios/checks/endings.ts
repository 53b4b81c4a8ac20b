import type { Fact } from '../../../src/journal/facts.js';
import type { Check } from './check.types.js';
import { Findings, parentOf } from './check.types.js';

/** Invariants 11 (time), 12 and the run's part of 15: one beginning, one end in time, and the end says what happened. */
export const checkEnding: Check = ({ facts, policy }) => {
  const findings = new Findings();
  const [first] = facts;
  const last = facts.at(-1);
  findings.expect(first?.type === 'run.started', 15, `${first?.type} comes before run.started`);
  findings.expect(last?.type === 'run.ended', 15, `${last?.type} comes after the end`);
  const ends = facts.filter((fact) => fact.type === 'run.ended').length;
  findings.expect(ends === 1, 15, `the run ends ${ends} times`);
  for (const [index, fact] of facts.entries()) {
    const before = facts[index - 1]?.at ?? fact.at;
    findings.expect(fact.at >= before, 15, `time runs backwards at fact ${fact.sequence}`);
  }
  if (first === undefined || last?.type !== 'run.ended') return findings.violations;
  const { limitMs, graceMs } = policy.time;
  const takenMs = last.at - first.at;
  const mostMs = limitMs + graceMs + extensionsMs(facts);
  findings.expect(takenMs <= mostMs, 11, `the run takes ${takenMs} ms, at most ${mostMs}`);
  checkStatus(facts, last, findings);
  return findings.violations;
};

const extensionsMs = (facts: readonly Fact[]): number =>
  facts.reduce((sum, fact) => (fact.type === 'time.extended' ? sum + fact.extraMs : sum), 0);

const checkStatus = (
  facts: readonly Fact[],
  { status, reason }: Extract<Fact, { type: 'run.ended' }>,
  findings: Findings,
): void => {
  findings.expect(reason !== '', 12, `the run is ${status} and does not say why`);
  const { unresolved, cancelled } = openSteps(facts);
  // A supervisor that confirms the goal has the last word on what was left out.
  if (status === 'completed' && reason !== 'goal-achieved') {
    const left = [...unresolved, ...cancelled];
    findings.expect(left.length === 0, 12, `the run is completed without ${left.join(', ')}`);
  }
  if (reason === 'steps-failed') {
    findings.expect(unresolved.length > 0, 12, 'steps failed, and every one of them was answered');
  }
  if (reason === 'steps-left') {
    findings.expect(cancelled.length > 0, 12, 'steps are left, and none was cancelled');
  }
};

/**
 * Steps of the goal's plan that no later plan of a planner answers: those that failed or were skipped behind a
 * failure, which only a plan with steps can answer, and those that were cancelled.
 */
const openSteps = (facts: readonly Fact[]): { unresolved: string[]; cancelled: string[] } => {
  let unresolved: string[] = [];
  let cancelled: string[] = [];
  let isHandOff = false;
  for (const fact of facts) {
    if (fact.type === 'plan.proposed' && fact.parentStepId === null) {
      isHandOff = fact.origin === 'handOff';
    }
    if (fact.type === 'plan.adopted' && fact.parentStepId === null && !isHandOff) {
      cancelled = [];
      if (fact.steps.length > 0) unresolved = [];
    }
    const isLost =
      fact.type === 'step.failed' || (fact.type === 'step.skipped' && fact.reason === 'dependency');
    if (isLost && parentOf(fact.stepId) === null) unresolved.push(fact.stepId);
    if (fact.type === 'step.cancelled' && parentOf(fact.stepId) === null) {
      cancelled.push(fact.stepId);
    }
  }
  return { unresolved, cancelled };
};
