import type { FactBody } from '../../model/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow } from './evidence.js';

type Level = FactBody<'escalation.changed'>['to'];

interface Ladder {
  level: Level;
  consecutiveIssues: number;
  /** The level that the last verdict requires, until the ladder is there. */
  due: { readonly level: Level; readonly score: number } | null;
  /** Verdicts during the winding down do not move the ladder. */
  isOver: boolean;
}

/** Invariant 7: every verdict is judged by its gate, and moves the ladder to the right level. */
export const checkLadder: Check = ({ facts, policy }) => {
  const findings = new Findings();
  const ladder: Ladder = { level: 'none', consecutiveIssues: 0, due: null, isOver: false };
  const expect = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'ladder-in-order', message);
  const expectClimbed = (): void =>
    expect(ladder.due === null, `the ladder should be at ${ladder.due?.level}`);
  follow(facts, findings, {
    'verdict.given': (fact) => {
      expectClimbed();
      const threshold = policy.gates[fact.subject] ?? 0;
      const isPassed = fact.score >= threshold;
      expect(fact.passed === isPassed, `a score of ${fact.score} passes ${threshold} wrongly`);
      if (!ladder.isOver) judge(ladder, fact, policy.escalation);
    },
    'escalation.changed': (fact) => {
      const { level, due, consecutiveIssues } = ladder;
      const isFrom = fact.from === level;
      expect(isFrom, `the ladder leaves ${fact.from}, but is at ${level}`);
      expect(due?.level === fact.to, `the ladder moves to ${fact.to} instead of ${due?.level}`);
      const isCounted = fact.consecutiveIssues === consecutiveIssues;
      expect(isCounted, `${consecutiveIssues} issues are counted as ${fact.consecutiveIssues}`);
      ladder.level = fact.to;
      ladder.due = null;
    },
    'step.started': ({ stepId }) =>
      expect(ladder.level !== 'abort', `${stepId} starts after the ladder reached abort`),
    'phase.entered': ({ phase, parentStepId }) => {
      ladder.isOver ||= phase === 'windingDown' && parentStepId === null;
    },
    'run.ended': expectClimbed,
  });
  return findings.violations;
};

const judge = (
  ladder: Ladder,
  { score, issues, passed }: FactBody<'verdict.given'>,
  escalation: Evidence['policy']['escalation'],
): void => {
  const hasIssues = issues.length > 0 || !passed;
  ladder.consecutiveIssues = hasIssues ? ladder.consecutiveIssues + 1 : 0;
  const level = rungFor(score, ladder.consecutiveIssues, escalation);
  ladder.due = level === ladder.level ? null : { level, score };
};

/** Seed 004's table, from the most severe row down: the first match counts. */
const rungFor = (
  score: number,
  inARow: number,
  { scores, issues }: Evidence['policy']['escalation'],
): Level => {
  const rows: readonly (readonly [Level, boolean])[] = [
    ['abort', inARow >= issues.abort],
    ['critical', inARow >= issues.critical],
    ['refocus', score < scores.refocus || inARow >= issues.refocus],
    ['correct', score < scores.correct || inARow >= issues.correct],
    ['remind', score < scores.remind],
  ];
  return rows.find(([, isReached]) => isReached)?.[0] ?? 'none';
};
