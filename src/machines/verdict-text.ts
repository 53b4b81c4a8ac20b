import type { Answer } from '../model/calls.js';
import type { VerdictSummary } from '../model/verdict-summary.js';

export type VerdictAnswer = Extract<Answer, { role: 'supervisor' }>;

/** A supervisor's feedback, with the issues as a list below it. */
export const verdictText = ({ feedback, issues }: VerdictAnswer): string =>
  [feedback, ...issues.map((issue) => `- ${issue}`)].filter((line) => line !== '').join('\n');

/** Why a verdict did not pass. The issues are reported separately. */
export const verdictReason = ({ score, feedback }: VerdictAnswer): string =>
  feedback === '' ? `Score ${score}` : `Score ${score}: ${feedback}`;

/** The verdict in an event, without the type of the event. */
export const verdictIn = ({
  subject,
  score,
  hasPassed,
  hasIssues,
  feedback,
}: VerdictSummary): VerdictSummary => ({ subject, score, hasPassed, hasIssues, feedback });
