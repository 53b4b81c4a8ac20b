import type { CallFailure, CallOutcome, CallResult, FailureCode } from '../../model/calls.js';
import type { AgentCallContext } from './chart.js';
import type { Report } from '../orchestrator/context.js';

export const keyOfTry = ({ request, tries, isFallback }: AgentCallContext): string => {
  if (isFallback) return `${request.key}#fallback`;
  return tries < 2 ? request.key : `${request.key}#${tries}`;
};

/**
 * Who a permit is for. A fallback counts against the budget, but the breaker watches the agent and not its fallback:
 * that goes by a name which no agent can have.
 */
export const permitName = ({ request, isFallback }: AgentCallContext): string =>
  isFallback ? `${request.agent}#fallback` : request.agent;

export const failure = (params: {
  readonly code: FailureCode;
  readonly reason: string;
}): CallFailure => ({ kind: 'failed', ...params });

/** What the breaker and the budget are told after a try. */
export const settledReport = (
  context: AgentCallContext,
  outcome: CallOutcome,
): Extract<Report, { type: 'call.settled' }> => ({
  type: 'call.settled',
  agent: permitName(context),
  hasSucceeded: outcome.kind === 'answered',
  // A try that failed may have cost something, too.
  usage: outcome.usage ?? null,
});

/** Only a failure is kept between tries; an answer ends the call. */
export const failureOf = (outcome: CallOutcome): CallFailure | null =>
  outcome.kind === 'failed' ? outcome : null;

/** The result without its output: that is in the journal, under the key of the try. */
export const answeredResult = (context: AgentCallContext, outcome: CallOutcome): CallResult => {
  if (outcome.kind === 'failed') return failedResult({ ...context, outcome });
  const { answer, output } = outcome;
  return { kind: 'answered', key: keyOfTry(context), answer, hasOutput: output !== null };
};

export const failedResult = (context: AgentCallContext): CallResult => {
  const { code, reason } = context.outcome ?? { code: 'threw', reason: 'The call was not made' };
  return { kind: 'failed', key: keyOfTry(context), code, reason };
};
