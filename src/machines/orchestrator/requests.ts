import type {
  OutputReference,
  PlannerRequest,
  StepReason,
  StepTask,
  SummarizerRequest,
  SupervisorRequest,
} from '../../model/calls.js';
import { approvalQuestion } from '../../guards/approval.js';
import { itemsOf } from '../../plan/chunked-list.js';
import type { PlannedStep } from '../../model/progress.js';
import { isSatisfying, stateOf } from '../../plan/progress.js';
import { fixBudgetMs, stepBudgetMs } from '../../guards/time-budgets.js';
import type { JsonValue } from '../../canonical-json.js';
import { visibleText } from '../../plan/visible-text.js';
import type { AgentCallInput } from '../agent-call/chart.js';
import type { ApprovalInput } from '../approval/context.js';
import { callSettings } from '../call-settings.js';
import type { OrchestratorContext } from './context.js';
import type { StepInput } from '../step/context.js';

/** The path of a step of this plan. */
export const stepPath = ({ parentStepId }: OrchestratorContext, id: string): string =>
  parentStepId === null ? id : `${parentStepId}/${id}`;

const base = (
  context: OrchestratorContext,
  role: string,
): { key: string; agent: string; stepId: string | null; goal: string; depth: number } => ({
  key: `${context.runId}/${stepPath(context, 'plan')}/${role}`,
  agent: role.split('.')[0] ?? role,
  stepId: context.parentStepId,
  goal: context.goal,
  depth: context.depth,
});

const completedOutputs = (context: OrchestratorContext): OutputReference[] =>
  itemsOf(context.progress.states).flatMap((state, index) => {
    const step = context.progress.steps[index];
    if (step === undefined || state.status !== 'completed') return [];
    return [{ stepId: stepPath(context, step.id), agent: step.agent, keys: state.outputKeys }];
  });

const stepsThat = (context: OrchestratorContext, status: 'failed' | 'skipped'): StepReason[] =>
  itemsOf(context.progress.states).flatMap((state, index) => {
    const step = context.progress.steps[index];
    if (step === undefined || state.status !== status) return [];
    return [{ stepId: stepPath(context, step.id), agent: step.agent, reason: state.reason ?? '' }];
  });

const taskOf = (context: OrchestratorContext, { id, agent, task }: PlannedStep): StepTask => ({
  stepId: stepPath(context, id),
  agent,
  task,
});

/** Steps that have neither completed nor failed, including those given up for the next plan. */
const pendingSteps = (context: OrchestratorContext): StepTask[] => {
  const givenUp = new Set(context.givenUp);
  return itemsOf(context.progress.states).flatMap((state, index) => {
    const step = context.progress.steps[index];
    if (step === undefined || (state.status !== 'pending' && !givenUp.has(index))) return [];
    return [taskOf(context, step)];
  });
};

/** Steps a new plan may depend on: those that remain after the merge and can satisfy a dependency. */
const existingStepIds = ({ progress, settings }: OrchestratorContext): string[] => {
  const isKeepingPending = settings.policy.replan.merge.startsWith('append');
  return itemsOf(progress.states).flatMap((state, index) => {
    const isUsable =
      isSatisfying(state) ||
      state.status === 'running' ||
      (isKeepingPending && state.status === 'pending');
    const step = progress.steps[index];
    return isUsable && step !== undefined ? [step.id] : [];
  });
};

export const plannerCall = (context: OrchestratorContext): AgentCallInput => {
  const request: PlannerRequest = {
    role: 'planner',
    ...base(context, `planner.${context.plannerCalls}`),
    revision: context.revision + 1,
    maxReplans: context.maxReplans,
    merge: context.settings.policy.replan.merge,
    analysis: context.analysis,
    completed: completedOutputs(context),
    failed: stepsThat(context, 'failed'),
    pending: pendingSteps(context),
    requests: context.requests,
    conversation: context.conversation,
    issues: context.proposal?.issues ?? [],
    existingStepIds: existingStepIds(context),
  };
  return callSettings(context.settings, request);
};

export const reviewCall = (
  context: OrchestratorContext,
  subject: 'plan' | 'goal',
): AgentCallInput => {
  const request: SupervisorRequest = {
    role: 'supervisor',
    ...base(context, `supervisor.${subject}.${context.plannerCalls}`),
    subject,
    step: null,
    plan: subject === 'plan' ? (context.proposal?.plan ?? null) : null,
    results: subject === 'goal' ? completedOutputs(context) : [],
    testsKey: null,
    failed: subject === 'goal' ? stepsThat(context, 'failed') : [],
  };
  return callSettings(context.settings, request);
};

export const summaryCall = (context: OrchestratorContext): AgentCallInput => {
  const request: SummarizerRequest = {
    role: 'summarizer',
    ...base(context, 'summarizer'),
    analysis: context.analysis,
    tasks: context.progress.steps.map((step) => taskOf(context, step)),
    results: completedOutputs(context),
    failed: stepsThat(context, 'failed'),
    skipped: stepsThat(context, 'skipped'),
  };
  return callSettings(context.settings, request);
};

/** May the proposed plan be executed? */
export const planApproval = (context: OrchestratorContext): ApprovalInput =>
  approval(context, 'May this plan be executed?');

/** The replan bound is reached: may the run continue without another plan? */
export const limitApproval = (context: OrchestratorContext): ApprovalInput =>
  approval(context, 'The replan limit is reached. Continue without a new plan?');

const approval = (context: OrchestratorContext, question: string): ApprovalInput => {
  const { timeoutMs, onTimeout } = context.settings.policy.approval;
  return {
    requestId: `${context.parentStepId ?? 'plan'}:plan.${context.questionCount}`,
    stepId: context.parentStepId,
    question,
    payload: planPayload(context),
    timeoutMs,
    onTimeout,
  };
};

/** The payload of a plan approval: exactly what would run, with hidden characters made visible. */
const planPayload = ({ proposal }: OrchestratorContext): JsonValue => {
  if (proposal?.plan == null) return null;
  const { analysis, steps } = proposal.plan;
  return {
    analysis: visibleText(analysis),
    steps: steps.map(({ id, agent, task, dependsOn }) => ({
      id,
      agent,
      task: visibleText(task),
      dependsOn,
    })),
  };
};

export const stepInput = (context: OrchestratorContext, index: number): StepInput => {
  const { progress, settings } = context;
  const step = progress.steps[index] ?? NO_STEP;
  const stepCount = progress.steps.length;
  const budgetMs = context.depth === 0 ? stepBudgetMs(settings.policy, stepCount) : context.limitMs;
  return {
    runId: context.runId,
    stepId: stepPath(context, step.id),
    agent: step.agent,
    task: step.task,
    position: `Step ${index + 1} of ${stepCount}`,
    goal: context.goal,
    summary: context.analysis,
    depth: context.depth,
    dependencies: dependencyOutputs(context, step.dependsOn),
    feedback: guidance(context),
    conversation: context.conversation,
    approvalQuestion: approvalQuestion(step, context),
    votes: step.votes,
    budgetMs,
    fixBudgetMs: fixBudgetMs(settings.policy, budgetMs),
    settings,
  };
};

/** Indexes come from the plan itself, so this is never used; it keeps the function total. */
const NO_STEP: PlannedStep = {
  id: 'none',
  agent: 'none',
  task: '',
  complexity: 'simple',
  requiresApproval: false,
  isTrivial: false,
  votes: null,
  dependsOn: [],
  rank: 0,
  revision: 0,
};

const dependencyOutputs = (
  context: OrchestratorContext,
  dependsOn: readonly number[],
): OutputReference[] => {
  const references: OutputReference[] = [];
  for (const index of dependsOn) {
    const step = context.progress.steps[index];
    const state = stateOf(context.progress, index);
    if (step === undefined || state?.status !== 'completed') continue;
    const stepId = stepPath(context, step.id);
    references.push({ stepId, agent: step.agent, keys: state.outputKeys });
  }
  return references;
};

/** From `remind` on, the supervisor's last feedback goes to every agent that starts. */
const guidance = ({ ladder }: OrchestratorContext): StepInput['feedback'] =>
  ladder.level === 'none' || ladder.feedback === ''
    ? []
    : [{ from: 'supervisor', text: `[${ladder.level}] ${ladder.feedback}`, key: null }];
