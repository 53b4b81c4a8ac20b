import type {
  CallResult,
  FeedbackReference,
  OutputReference,
  StepDescription,
  Subject,
  SupervisorRequest,
  TesterRequest,
  WorkerRequest,
} from '../actors/call.types.js';
import { isGatePassed } from '../guards/gates.js';
import type { AgentCallInput } from './agent-call.js';
import { callSettings } from './call-settings.js';
import type { OrchestratorInput, Report, RunOutcome } from './orchestrator.types.js';
import type { Settings } from './settings.types.js';
import type { Question, StepContext, StepInput, StepOutcome } from './step.types.js';

// The input comes last: V8 copies `{ fresh, ...input }` a hundred times faster than `{ ...input, fresh }`.
export const initialStepContext = (input: StepInput): StepContext => ({
  attempt: 1,
  fixCycles: 0,
  questions: 0,
  agentQuestions: 0,
  question: null,
  outputKeys: [],
  confidence: null,
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
    step: describe(context),
    dependencies: context.dependencies,
    feedback: context.feedback,
    summary: context.summary,
  };
  return callSettings(context.settings, request);
};

/** Fixes and answers to questions are calls of their own within one attempt. */
const workerRole = ({ fixCycles, questions }: StepContext): string => {
  const fix = fixCycles > 0 ? `.fix${fixCycles}` : '';
  return questions > 0 ? `worker${fix}.q${questions}` : `worker${fix}`;
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
    failed: [],
  };
  return callSettings(context.settings, request);
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
  return callSettings(context.settings, request);
};

/** A sub-plan ends by its own clock, its grace included, before the step's budget is over. */
export const subplanInput = (context: StepContext): OrchestratorInput => ({
  goal: context.task,
  runId: context.runId,
  nested: {
    parentStepId: context.stepId,
    depth: context.depth + 1,
    limitMs: Math.max(1, context.budgetMs - context.settings.policy.time.graceMs - 1),
  },
});

/* What an answer changes. */

type Change = Partial<StepContext>;

const NO_WISHES = { request: null, handOff: null } as const;

/** Keeps where the work is and what the agent wants next; what an earlier answer wanted is forgotten. */
export const workDone = (context: StepContext, result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  const { answer } = result;
  if (answer.report === 'blocked' || answer.report === 'askHuman') return {};
  const outputKeys = result.hasOutput ? [result.key] : context.outputKeys;
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

export const callFailure = (result: CallResult): Change =>
  result.kind === 'failed' ? { failure: { code: result.code, reason: result.reason } } : {};

export const blockedBy = (result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  const reason =
    result.answer.report === 'blocked' ? result.answer.reason : 'The agent asks again and again';
  return { failure: { code: 'blocked', reason } };
};

/** A verdict that does not pass, or the failure to get one. */
export const reviewFailure = (context: StepContext, result: CallResult): Change => {
  if (result.kind === 'failed')
    return { failure: { code: 'review-failed', reason: result.reason } };
  if (result.answer.role !== 'supervisor') return {};
  const { score, feedback } = result.answer;
  return {
    failure: { code: 'rejected-by-supervisor', reason: `Score ${score}: ${feedback}` },
    feedback: [...context.feedback, { from: 'supervisor', text: feedback, key: null }],
  };
};

export const testFailure = (context: StepContext, result: CallResult): Change => {
  if (result.kind === 'failed') return { failure: { code: 'tests-failed', reason: result.reason } };
  const failures = result.answer.role === 'tester' ? result.answer.failures : 0;
  const feedback: FeedbackReference = {
    from: 'tester',
    text: `${failures} failures`,
    key: result.key,
  };
  return {
    failure: { code: 'tests-failed', reason: `${failures} failures` },
    feedback: [...context.feedback, feedback],
  };
};

/** A new attempt starts from the beginning, with what was said about the last one. */
export const nextAttempt = (context: StepContext): Change => ({
  attempt: context.attempt + 1,
  fixCycles: 0,
  failure: null,
});

export const questionBefore = (context: StepContext): Change =>
  withQuestion(context, {
    text: context.approvalQuestion ?? '',
    payload: context.task,
    isFromAgent: false,
  });

export const questionFromAgent = (context: StepContext, result: CallResult): Change => {
  if (result.kind !== 'answered' || result.answer.role !== 'worker') return {};
  if (result.answer.report !== 'askHuman') return {};
  const { question, payload } = result.answer;
  return withQuestion(context, { text: question, payload, isFromAgent: true });
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
    : {
        failure: {
          code: 'subplan-failed',
          reason: `The sub-plan ended ${outcome.status}: ${outcome.reason}`,
        },
      };

/* What the step ends with and tells its parent. */

/** The work that completes a step may be in the very event that ends it. */
export const completedOutcome = (context: StepContext, result: CallResult): StepOutcome =>
  stepOutcome({ ...context, ...workDone(context, result) }, 'completed');

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
  const { score, issues, feedback } = result.answer;
  const hasIssues = issues.length > 0 || !isGatePassed(settings, subject, result);
  return { type: 'verdict.given', score, hasIssues, feedback, route: [] };
};
