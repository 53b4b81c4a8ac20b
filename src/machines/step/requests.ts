import type {
  OutputReference,
  StepDescription,
  SupervisorRequest,
  TesterRequest,
  WorkerRequest,
} from '../../model/calls.js';
import type { AgentCallInput } from '../agent-call/chart.js';
import type { ApprovalInput } from '../approval/context.js';
import { callSettings } from '../call-settings.js';
import type { OrchestratorInput } from '../orchestrator/context.js';
import type { StepContext } from './context.js';
import { votePosition, voteSuffix } from './votes.js';

/* The requests that a step makes: to agents, people, and a sub-plan. */

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

/** Fixes, answers to questions and votes are separate calls within one attempt. */
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

/** The code is reviewed again when a person's answer changed a fix: that is a separate call. */
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

/** Its clock gets the rest of the budget as far as it is known; the step tells it when less is left. */
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

export const stepApproval = ({ question, stepId, settings }: StepContext): ApprovalInput => ({
  requestId: question?.requestId ?? '',
  stepId,
  question: question?.text ?? '',
  payload: question?.payload ?? null,
  timeoutMs: settings.policy.approval.timeoutMs,
  onTimeout: settings.policy.approval.onTimeout,
});
