import type { CallResult, FeedbackReference } from '../../model/calls.js';
import { TESTS_UNAVAILABLE } from '../../guards/step.js';
import { isVoteOpen } from '../../guards/votes.js';
import { visibleText } from '../../plan/visible-text.js';
import type { ApprovalOutcome } from '../approval/context.js';
import type { RunOutcome } from '../orchestrator/context.js';
import type { Question, StepContext, StepInput } from './context.js';
import type { StepFailure, StepOutcome } from '../../model/step-outcome.js';
import { NO_BALLOTS } from './votes.js';
import { verdictReason, verdictText } from '../verdict-text.js';

// The input comes last: V8 copies `{ fresh, ...input }` a hundred times faster than `{ ...input, fresh }`.
export const initialStepContext = (input: StepInput): StepContext => ({
  remainingMs: input.budgetMs,
  isPaused: false,
  isWindingDown: false,
  attempt: 1,
  fixCycles: 0,
  questions: 0,
  agentQuestions: 0,
  question: null,
  outputKeys: [],
  confidence: null,
  ballots: NO_BALLOTS,
  testsKey: null,
  request: null,
  handOff: null,
  verdict: null,
  failure: null,
  ...input,
});

/* How an answer changes the step. */

type Change = Partial<StepContext>;
type FailedCall = Extract<CallResult, { kind: 'failed' }>;

const NO_WISHES = { request: null, handOff: null } as const;

/** Keeps the key of the work and the agent's request; requests of earlier answers are dropped. */
export const workDone = (context: StepContext, result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  const { answer } = result;
  if (answer.report === 'blocked' || answer.report === 'askHuman') return {};
  const outputKeys = result.hasOutput ? [result.key] : keptOutput(context);
  const kept = { outputKeys, confidence: answer.confidence, ...NO_WISHES };
  const about = { stepId: context.stepId, agent: context.agent };
  switch (answer.report) {
    case 'done':
      return kept;
    case 'needsContext': {
      const { suggestion: reason, confidence } = answer;
      return {
        ...kept,
        request: { kind: 'needsContext', ...about, reason, agents: [], confidence },
      };
    }
    case 'requestReplan': {
      const { reason, agents, confidence } = answer;
      return { ...kept, request: { kind: 'requestReplan', ...about, reason, agents, confidence } };
    }
    case 'handOff':
      return { ...kept, handOff: { agent: answer.agent, task: answer.task } };
  }
};

/** The keys of the output. Only a fix may return none: it changes the work of this attempt, which is tested again. */
const keptOutput = ({ fixCycles, outputKeys }: StepContext): readonly string[] =>
  fixCycles > 0 ? outputKeys : [];

export const callFailure = (result: CallResult): Change =>
  result.kind === 'failed' ? { failure: { code: result.code, reason: result.reason } } : {};

/** A call or sub-plan ended with an error instead of an outcome. */
export const crashed = ({ type }: { readonly type: string }): Change => ({
  failure: {
    code: 'crashed',
    reason: type.endsWith('.subplan') ? 'The sub-plan crashed' : 'The call crashed',
  },
});

const RUN_ENDED: StepFailure = { code: 'run-ended', reason: 'The run is ending' };

/** A call that the end of the run cut short does not count against the work. */
const failureOf = ({ code, reason }: FailedCall, meaning: string): StepFailure =>
  code === RUN_ENDED.code ? RUN_ENDED : { code: meaning, reason };

/** Why the vote has no winner: the run ended during the vote, or the last call failed. */
export const voteLost = (context: StepContext): Change => ({
  failure: isVoteOpen(context) ? RUN_ENDED : (context.ballots.at(-1)?.failure ?? null),
});

export const blockedBy = (context: StepContext, result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  // The run is ending, so no more calls are made; the agent is not at fault.
  if (context.isWindingDown && result.answer.report === 'askHuman') return { failure: RUN_ENDED };
  const reason =
    result.answer.report === 'blocked' ? result.answer.reason : 'The agent asks again and again';
  return { failure: { code: 'blocked', reason } };
};

/** A verdict that does not pass, or a failed review call. */
export const reviewFailure = (context: StepContext, result: CallResult): Change => {
  if (result.kind === 'failed') return { failure: failureOf(result, 'review-failed') };
  if (result.answer.role !== 'supervisor') return {};
  const text = verdictText(result.answer);
  return {
    failure: { code: 'rejected-by-supervisor', reason: verdictReason(result.answer) },
    feedback: [...context.feedback, { from: 'supervisor', text, key: null }],
  };
};

/** The tests could not be run: they have not passed, and there is nothing to fix. */
export const testsUnavailable = (result: CallResult): Change =>
  result.kind === 'failed' ? { failure: failureOf(result, TESTS_UNAVAILABLE) } : {};

/** Keeps the key of the result; the agent fixes the failures. */
export const testsDone = (context: StepContext, result: CallResult): Change => {
  if (result.kind === 'failed' || result.answer.role !== 'tester') return {};
  const testsKey = result.key;
  if (result.answer.passed) return { testsKey, failure: null };
  const { failures } = result.answer;
  const feedback: FeedbackReference = {
    from: 'tester',
    text: `${failures} failures`,
    key: testsKey,
  };
  return {
    testsKey,
    failure: { code: 'tests-failed', reason: `${failures} failures` },
    feedback: [...context.feedback, feedback],
  };
};

/** A new attempt starts from the beginning, with the feedback on the last one. */
export const nextAttempt = (context: StepContext): Change => ({
  attempt: context.attempt + 1,
  fixCycles: 0,
  ballots: NO_BALLOTS,
  failure: null,
});

export const questionBefore = (context: StepContext): Change =>
  withQuestion(context, {
    text: context.approvalQuestion ?? '',
    payload: visibleText(context.task),
    isFromAgent: false,
  });

export const questionFromAgent = (context: StepContext, result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  if (result.answer.report !== 'askHuman') return {};
  const { question, payload } = result.answer;
  const text = visibleText(question);
  const asked = withQuestion(context, { text, payload, isFromAgent: true });
  return { ...asked, ballots: NO_BALLOTS };
};

const withQuestion = (context: StepContext, question: Omit<Question, 'requestId'>): Change => {
  const questions = context.questions + 1;
  const requestId = `${context.stepId}:${context.attempt}.${questions}`;
  const agentQuestions = context.agentQuestions + (question.isFromAgent ? 1 : 0);
  return { questions, agentQuestions, question: { requestId, ...question } };
};

/** A person's answer to an agent is feedback; an approval is only an approval. */
export const questionAnswered = (context: StepContext, answer: string): Change => {
  if (context.question?.isFromAgent !== true) return { question: null };
  const feedback: FeedbackReference = { from: 'human', text: answer, key: null };
  return { question: null, feedback: [...context.feedback, feedback] };
};

export const questionRejected = ({ code, text }: ApprovalOutcome): Change => ({
  failure: { code, reason: text },
});

export const subplanDone = (outcome: RunOutcome): Change =>
  outcome.status === 'completed'
    ? { ...NO_WISHES, outputKeys: outcome.outputKeys, failure: null }
    : { failure: subplanFailure(outcome) };

/** A rejection in the sub-plan is passed on with the rejected step: it may end the run above, too. */
const subplanFailure = ({ status, reason, rejected }: RunOutcome): StepFailure =>
  rejected === null
    ? { code: SUBPLAN_CODES[status], reason: `The sub-plan ended ${status}: ${reason}` }
    : { code: 'subplan-rejected', reason: rejected };

const SUBPLAN_CODES: Readonly<Record<RunOutcome['status'], string>> = {
  completed: 'subplan-failed',
  failed: 'subplan-failed',
  aborted: 'subplan-failed',
  timeExpired: 'subplan-timeout',
  budgetExhausted: 'subplan-failed',
};

/* The outcome of the step. */

export const stepOutcome = (context: StepContext, status: StepOutcome['status']): StepOutcome => ({
  status,
  code: context.failure?.code ?? '',
  reason: context.failure?.reason ?? '',
  attempts: context.attempt,
  outputKeys: status === 'completed' ? context.outputKeys : [],
  confidence: context.confidence,
  request: status === 'completed' ? context.request : null,
  handOff: status === 'completed' ? context.handOff : null,
  verdict: status === 'completed' ? context.verdict : null,
});
