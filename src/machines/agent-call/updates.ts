import type {
  CallFailure,
  CallOutcome,
  CallResult,
  FailureCode,
  TryOutcome,
} from '../../model/calls.js';
import type { VerdictSummary } from '../../model/verdict-summary.js';
import type { AgentCallContext } from './chart.js';
import type { Report } from '../orchestrator/context.js';
import { verdictText } from '../verdict-text.js';

export const keyOfTry = ({ request, tries, isFallback }: AgentCallContext): string => {
  if (isFallback) return `${request.key}#fallback`;
  return tries < 2 ? request.key : `${request.key}#${tries}`;
};

/**
 * The name used for a permit. A fallback counts against the budget, but the breaker watches the agent and not its
 * fallback: the fallback gets a name that no agent can have.
 */
export const permitName = ({ request, isFallback }: AgentCallContext): string =>
  isFallback ? `${request.agent}#fallback` : request.agent;

export const failure = (params: {
  readonly code: FailureCode;
  readonly reason: string;
}): CallFailure => ({ kind: 'failed', ...params });

export const tryOutcome = (outcome: CallOutcome): TryOutcome => {
  if (outcome.kind === 'failed') return outcome;
  const { kind, answer, output, usage } = outcome;
  return { kind, answer, hasOutput: output !== null, usage };
};

/** Reported to the breaker and the budget after a try. A failed try may have used tokens, too. */
export const settledReport = (
  context: AgentCallContext,
): Extract<Report, { type: 'call.settled' }> => ({
  type: 'call.settled',
  agent: permitName(context),
  hasSucceeded: context.outcome?.kind === 'answered',
  usage: context.outcome?.usage ?? null,
});

/** A verdict that names issues, or misses its gate, counts as an issue. Undefined without a supervisor's answer. */
export const verdictSummary = ({
  request,
  outcome,
  gateScore,
}: AgentCallContext): VerdictSummary | undefined => {
  if (request.role !== 'supervisor' || outcome?.kind !== 'answered') return undefined;
  const { answer } = outcome;
  if (answer.role !== 'supervisor') return undefined;
  const hasPassed = gateScore === null || answer.score >= gateScore;
  return {
    subject: request.subject,
    score: answer.score,
    hasPassed,
    hasIssues: answer.issues.length > 0 || !hasPassed,
    feedback: verdictText(answer),
  };
};

/** The result without its output: that is in the journal, under the key of the try. */
export const callResult = (context: AgentCallContext): CallResult => {
  const { outcome } = context;
  const key = keyOfTry(context);
  if (outcome === null) return { kind: 'failed', key, code: 'threw', reason: 'No try was made' };
  return outcome.kind === 'answered'
    ? { kind: 'answered', key, answer: outcome.answer, hasOutput: outcome.hasOutput }
    : { kind: 'failed', key, code: outcome.code, reason: outcome.reason };
};
