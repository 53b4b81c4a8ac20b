import type { Level } from '../model/statuses.js';
import type { Policy } from '../model/policy.js';

export interface Ladder {
  readonly level: Level;
  /** Verdicts with issues since the last verdict without. */
  readonly consecutiveIssues: number;
}

/**
 * The level for a score and a number of consecutive issues. Seed 004's table matches several rows at once (a score of
 * 80 with five issues in a row is NONE and ABORT); the most severe row wins, which makes it a function.
 */
export const levelFor = (
  score: number,
  consecutiveIssues: number,
  { scores, issues }: Policy['escalation'],
): Level => {
  if (consecutiveIssues >= issues.abort) return 'abort';
  if (consecutiveIssues >= issues.critical) return 'critical';
  if (score < scores.refocus || consecutiveIssues >= issues.refocus) return 'refocus';
  if (score < scores.correct || consecutiveIssues >= issues.correct) return 'correct';
  return score < scores.remind ? 'remind' : 'none';
};

/** The ladder after one more verdict. A verdict without issues starts the count again. */
export const nextLadder = (
  ladder: Ladder,
  verdict: { readonly score: number; readonly hasIssues: boolean },
  escalation: Policy['escalation'],
): Ladder => {
  const consecutiveIssues = verdict.hasIssues ? ladder.consecutiveIssues + 1 : 0;
  return { level: levelFor(verdict.score, consecutiveIssues, escalation), consecutiveIssues };
};
