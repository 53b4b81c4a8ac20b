import type { Answer } from '../model/calls.js';
import type { VerdictSummary } from '../model/verdict-summary.js';

export type VerdictAnswer = Extract<Answer, { role: 'supervisor' }>;

/** What a supervisor said, for whoever has to do better: its feedback, and the issues as a list below it. */
export const verdictText = ({ feedback, issues }: VerdictAnswer): string =>
  [feedback, ...issues.map((issue) => `- ${issue}`)].filter((line) => line !== '').join('\n');

/** Why a verdict did not pass. The issues are told apart from it. */
export const verdictReason = ({ score, feedback }: VerdictAnswer): string =>
  feedback === '' ? `Score ${score}` : `Score ${score}: ${feedback}`;

/** The verdict that an event reports, without the type of the event. */
export const verdictIn = ({
  subject,
  score,
  hasPassed,
  hasIssues,
  feedback,
}: VerdictSummary): VerdictSummary => ({ subject, score, hasPassed, hasIssues, feedback });
