import type {
  CallResult,
  FeedbackReference,
  OutputReference,
  StepDescription,
  Subject,
  SupervisorRequest,
  TesterRequest,
  WorkerRequest,
} from '../../model/calls.js';
import { isGatePassed } from '../../guards/gates.js';
import { TESTS_UNAVAILABLE } from '../../guards/step.js';
import { isBallot, isVoteOpen } from '../../guards/votes.js';
import { visibleText } from '../../plan/visible-text.js';
import type { AgentCallInput } from '../agent-call/chart.js';
import { callSettings } from '../call-settings.js';
import type { OrchestratorInput, Report, RunOutcome } from '../orchestrator/context.js';
import type { Settings } from '../../model/settings.js';
import type { Question, StepContext, StepInput } from './context.js';
import type { StepFailure, StepOutcome } from '../../model/step-outcome.js';
import { NO_BALLOTS, votePosition, voteSuffix } from './votes.js';
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
  failure: null,
  ...input,
});

/* What the agents are asked. */

const describe = ({ stepId, task, position, attempt }: StepContext): StepDescription => ({
  id: stepId,
  task,
  position,
  attempt,
});

const keyOf = ({ runId, stepId, attempt }: StepContext, role: string): string =>
  `${runId}/${stepId}/${attempt}/${role}`;

const ownResult = ({ stepId, agent, outputKeys }: StepContext): OutputReference[] => [
  { stepId, agent, keys: outputKeys },
];

export const workerCall = (context: StepContext): AgentCallInput => {
  const isFix = context.fixCycles > 0;
  const request: WorkerRequest = {
    role: 'worker',
    key: keyOf(context, workerRole(context)),
    agent: context.agent,
    stepId: context.stepId,
    goal: context.goal,
    depth: context.depth,
    mode: isFix ? 'fix' : 'work',
    vote: votePosition(context),
    step: describe(context),
    dependencies: context.dependencies,
    feedback: context.feedback,
    conversation: context.conversation,
    summary: context.summary,
  };
  return callSettings(context.settings, request, context.isWindingDown);
};

/** Fixes, answers to questions and votes are calls of their own within one attempt. */
const workerRole = (context: StepContext): string => {
  const { fixCycles, questions } = context;
  const fix = fixCycles > 0 ? `.fix${fixCycles}` : '';
  const answered = questions > 0 ? `.q${questions}` : '';
  return `worker${fix}${answered}${voteSuffix(context)}`;
};

export const reviewCall = (context: StepContext, subject: 'code' | 'step'): AgentCallInput => {
  const request: SupervisorRequest = {
    role: 'supervisor',
    key: keyOf(context, reviewRole(context, subject)),
    agent: 'supervisor',
    stepId: context.stepId,
    goal: context.goal,
    depth: context.depth,
    subject,
    step: describe(context),
    plan: null,
    results: ownResult(context),
    testsKey: subject === 'step' ? context.testsKey : null,
    failed: [],
  };
  return callSettings(context.settings, request, context.isWindingDown);
};

/** The code is looked at again when a person's answer changed a fix: that is another call. */
const reviewRole = ({ fixCycles }: StepContext, subject: 'code' | 'step'): string =>
  subject === 'code' && fixCycles > 0 ? `supervisor.code.${fixCycles}` : `supervisor.${subject}`;

export const testCall = (context: StepContext): AgentCallInput => {
  const request: TesterRequest = {
    role: 'tester',
    key: keyOf(context, context.fixCycles > 0 ? `tester.${context.fixCycles}` : 'tester'),
    agent: 'tester',
    stepId: context.stepId,
    goal: context.goal,
    depth: context.depth,
    step: describe(context),
    results: ownResult(context),
    cycle: context.fixCycles,
  };
  return callSettings(context.settings, request, context.isWindingDown);
};

/** A sub-plan ends, its grace included, before the budget of its step does. */
export const subplanMs = ({ remainingMs, settings }: StepContext): number =>
  Math.max(1, remainingMs - settings.policy.time.graceMs - 1);

/** Its clock gets what is left of the budget as far as that is known; the step tells it when less is. */
export const subplanInput = (context: StepContext): OrchestratorInput => ({
  goal: context.task,
  runId: context.runId,
  nested: {
    parentStepId: context.stepId,
    depth: context.depth + 1,
    limitMs: subplanMs(context),
    isPaused: context.isPaused,
    conversation: context.conversation,
  },
});

/* What an answer changes. */

type Change = Partial<StepContext>;
type FailedCall = Extract<CallResult, { kind: 'failed' }>;

const NO_WISHES = { request: null, handOff: null } as const;

/** Keeps where the work is and what the agent wants next; what an earlier answer wanted is forgotten. */
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

/** Without an output there is none. Only a fix may be silent: it changes the work of this attempt, which is tested again. */
const keptOutput = ({ fixCycles, outputKeys }: StepContext): readonly string[] =>
  fixCycles > 0 ? outputKeys : [];

export const callFailure = (result: CallResult): Change =>
  result.kind === 'failed' ? { failure: { code: result.code, reason: result.reason } } : {};

/** What was asked for came to no end at all. */
export const crashed = ({ type }: { readonly type: string }): Change => ({
  failure: {
    code: 'crashed',
    reason: type.endsWith('.subplan') ? 'The sub-plan crashed' : 'The call crashed',
  },
});

const RUN_ENDED: StepFailure = { code: 'run-ended', reason: 'The run is ending' };

/** A call that the end of the run cut short says nothing about the work. */
const failureOf = ({ code, reason }: FailedCall, meaning: string): StepFailure =>
  code === RUN_ENDED.code ? RUN_ENDED : { code: meaning, reason };

/** Why there is nothing to choose from: the run ended in the middle of it, or what the last call says. */
export const voteLost = (context: StepContext, result: CallResult): Change =>
  isVoteOpen(context) ? { failure: RUN_ENDED } : callFailure(result);

export const blockedBy = (context: StepContext, result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  // Nobody is asked any more, and it is not the agent's fault.
  if (context.isWindingDown && result.answer.report === 'askHuman') return { failure: RUN_ENDED };
  const reason =
    result.answer.report === 'blocked' ? result.answer.reason : 'The agent asks again and again';
  return { failure: { code: 'blocked', reason } };
};

/** A verdict that does not pass, or the failure to get one. */
export const reviewFailure = (context: StepContext, result: CallResult): Change => {
  if (result.kind === 'failed') return { failure: failureOf(result, 'review-failed') };
  if (result.answer.role !== 'supervisor') return {};
  const text = verdictText(result.answer);
  return {
    failure: { code: 'rejected-by-supervisor', reason: verdictReason(result.answer) },
    feedback: [...context.feedback, { from: 'supervisor', text, key: null }],
  };
};

/** Nobody could run the tests: they have not passed, and there is nothing to fix. */
export const testsUnavailable = (result: CallResult): Change =>
  result.kind === 'failed' ? { failure: failureOf(result, TESTS_UNAVAILABLE) } : {};

/** Keeps where the result is; failures are for the agent to fix. */
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

/** A new attempt starts from the beginning, with what was said about the last one. */
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

/** A person's answer to an agent is feedback; a person's consent is only consent. */
export const questionAnswered = (context: StepContext, answer: string): Change => {
  if (context.question?.isFromAgent !== true) return { question: null };
  const feedback: FeedbackReference = { from: 'human', text: answer, key: null };
  return { question: null, feedback: [...context.feedback, feedback] };
};

export const subplanDone = (outcome: RunOutcome): Change =>
  outcome.status === 'completed'
    ? { ...NO_WISHES, outputKeys: outcome.outputKeys, failure: null }
    : { failure: subplanFailure(outcome) };

/** A no in the sub-plan is passed on as one, with who it was for: it may be the end of the run above, too. */
const subplanFailure = ({ status, reason, rejected }: RunOutcome): StepFailure =>
  rejected === null
    ? { code: 'subplan-failed', reason: `The sub-plan ended ${status}: ${reason}` }
    : { code: 'subplan-rejected', reason: rejected };

/* What the step ends with and tells its parent. */

/** The work that completes a step may be in the very event that ends it, unless that is only the last of several votes. */
export const completedOutcome = (context: StepContext, result: CallResult): StepOutcome =>
  stepOutcome(
    isBallot(context, result) ? context : { ...context, ...workDone(context, result) },
    'completed',
  );

export const stepOutcome = (context: StepContext, status: StepOutcome['status']): StepOutcome => ({
  status,
  code: context.failure?.code ?? '',
  reason: context.failure?.reason ?? '',
  attempts: context.attempt,
  outputKeys: status === 'completed' ? context.outputKeys : [],
  confidence: context.confidence,
  request: status === 'completed' ? context.request : null,
  handOff: status === 'completed' ? context.handOff : null,
});

/** A verdict for the ladder: one that names issues, or does not pass its gate, counts as an issue. */
export const verdictReport = (
  settings: Settings,
  subject: Subject,
  result: CallResult,
): Extract<Report, { type: 'verdict.given' }> | undefined => {
  if (result.kind !== 'answered' || result.answer.role !== 'supervisor') return undefined;
  const { score, issues } = result.answer;
  const isPassed = isGatePassed(settings, subject, result);
  return {
    type: 'verdict.given',
    score,
    hasIssues: issues.length > 0 || !isPassed,
    feedback: verdictText(result.answer),
    isLast: subject === 'step' && isPassed,
    route: [],
  };
};
