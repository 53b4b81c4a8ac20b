import type { Check } from './evidence.js';
import { Findings } from './evidence.js';

/** The run's part of invariant 15: one start, one end, numbers without gaps, and time that never runs backwards. */
export const checkOrder: Check = ({ facts }) => {
  const findings = new Findings();
  const expect = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'causes-first', message);
  const firstType = facts[0]?.type ?? 'nothing';
  expect(firstType === 'run.started', `${firstType} comes before run.started`);
  let hasEnded = false;
  for (const [index, fact] of facts.entries()) {
    findings.lookAt(fact);
    expect(!hasEnded, `${fact.type} comes after the end`);
    hasEnded ||= fact.type === 'run.ended';
    const before = facts[index - 1];
    if (before === undefined) continue;
    expect(fact.at >= before.at, `time runs backwards at fact ${fact.sequence}`);
  }
  findings.lookAt(null);
  expect(hasEnded, 'the run has no end');
  return findings.violations;
};
