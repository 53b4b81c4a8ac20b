import type { CallFailure, CallOutcome, CallRequest } from '../../model/calls.js';
import type { FactBody } from '../../model/facts.js';
import type { VerdictSummary } from '../../model/verdict-summary.js';
import type { AgentCallContext } from './chart.js';
import { keyOfTry } from './updates.js';

export const calledFact = (context: AgentCallContext): FactBody<'agent.called'> => ({
  type: 'agent.called',
  ...identity(context),
  isFallback: context.isFallback,
  message: requestMessage(context.request),
});

/** The only fact that holds an output; all other facts refer to its key. */
export const answeredFact = (
  context: AgentCallContext,
  outcome: CallOutcome,
): FactBody<'agent.answered'> => ({
  type: 'agent.answered',
  ...identity(context),
  report: outcome.kind === 'answered' ? reportOf(outcome) : 'done',
  confidence: outcome.kind === 'answered' ? confidenceOf(outcome) : null,
  output: outcome.kind === 'answered' ? outcome.output : null,
  usage: outcome.kind === 'answered' ? outcome.usage : null,
  message: responseMessage(context.request),
});

export const failedFact = (context: AgentCallContext): FactBody<'agent.failed'> => {
  const { outcome } = context;
  const failure: CallFailure =
    outcome?.kind === 'failed' ? outcome : { kind: 'failed', code: 'threw', reason: '' };
  const { code, reason, usage, error } = failure;
  return {
    type: 'agent.failed',
    ...identity(context),
    code,
    reason,
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
  };
};

export const verdictFact = (
  { request, outcome }: AgentCallContext,
  { subject, score, hasPassed }: VerdictSummary,
): FactBody<'verdict.given'> => {
  const answer = outcome?.kind === 'answered' ? outcome.answer : undefined;
  const verdict = answer?.role === 'supervisor' ? answer : undefined;
  return {
    type: 'verdict.given',
    subject,
    stepId: request.stepId,
    score,
    issues: [...(verdict?.issues ?? [])],
    feedback: verdict?.feedback ?? '',
    passed: hasPassed,
    message: 'VERIFY_RESPONSE',
  };
};

type Answered = Extract<CallOutcome, { kind: 'answered' }>;

const identity = (
  context: AgentCallContext,
): Pick<FactBody<'agent.called'>, 'key' | 'role' | 'agent' | 'stepId' | 'try'> => ({
  key: keyOfTry(context),
  role: context.request.role,
  agent: context.request.agent,
  stepId: context.request.stepId,
  try: context.tries,
});

const reportOf = ({ answer }: Answered): FactBody<'agent.answered'>['report'] =>
  answer.role === 'worker' ? answer.report : 'done';

const confidenceOf = ({ answer }: Answered): number | null =>
  answer.role === 'worker' && 'confidence' in answer ? answer.confidence : null;

/** The name of the call's message in seed 004's protocol. */
const requestMessage = (request: CallRequest): string | null => {
  switch (request.role) {
    case 'planner':
      // A rejected plan is requested again for a reason, whatever its revision.
      return request.depth === 0 && request.requests.length === 0
        ? 'PLAN_REQUEST'
        : 'REPLAN_REQUEST';
    case 'worker':
      return request.mode === 'fix' ? 'CODE_FIX_REQUEST' : 'CODE_REQUEST';
    case 'supervisor':
      return 'VERIFY_REQUEST';
    case 'tester':
      return 'TEST_REQUEST';
    case 'summarizer':
      return null;
  }
};

/** Plans and verdicts have their own facts, with their own messages. */
const responseMessage = (request: CallRequest): string | null => {
  switch (request.role) {
    case 'worker':
      return 'CODE_RESPONSE';
    case 'tester':
      return 'TEST_RESPONSE';
    case 'planner':
    case 'supervisor':
    case 'summarizer':
      return null;
  }
};
