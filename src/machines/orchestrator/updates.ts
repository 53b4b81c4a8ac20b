import { NO_LABELS } from '../../model/called-run.js';
import type { CallResult, ReplanRequest } from '../../model/calls.js';
import type { Usage } from '../../model/usage.js';
import { nextLadder } from '../../guards/escalation.js';
import type { FactBody } from '../../model/facts.js';
import { planFingerprint } from '../../plan/fingerprint.js';
import { emptyProgress } from '../../plan/progress.js';
import { givenProposal } from '../../plan/given-plan.js';
import { verificationBudgetMs } from '../../guards/time-budgets.js';
import type { OrchestratorContext, OrchestratorInput, Report, Update } from './context.js';
import { escalationChanged } from './facts.js';
import type { Settings } from '../../model/settings.js';
import type { VerdictSummary } from '../../model/verdict-summary.js';
import type { VerdictAnswer } from '../verdict-text.js';
import { verdictReason, verdictText } from '../verdict-text.js';

/*
 * How the orchestrator's context changes, one small pure function per action of the chart. Changes made by steps are in
 * settle.ts, adopt.ts, start.ts and cancel-steps.ts.
 */

type Change = Partial<OrchestratorContext>;

export const settingsIn = ({ settings }: OrchestratorInput): Settings => {
  if (settings === undefined)
    throw new Error('The orchestrator has no settings: pass them to the machine or in its input');
  return settings;
};

export const initialContext = (
  settings: Settings,
  input: OrchestratorInput,
): OrchestratorContext => {
  const place = placeOf(settings, input);
  const { limitMs } = place;
  return {
    settings,
    runId: input.runId ?? 'run',
    goal: input.goal,
    input: input.input ?? null,
    labels: input.labels ?? NO_LABELS,
    clockMs: Math.max(0, limitMs - closingMs(settings, limitMs)),
    extensionMs: 0,
    isExecutionClosed: false,
    proposal: proposalIn(settings, input),
    revision: -1,
    analysis: '',
    progress: emptyProgress,
    replans: 0,
    plannerCalls: 0,
    givenUp: [],
    requests: [],
    fingerprints: [],
    ladder: { level: 'none', consecutiveIssues: 0, feedback: '' },
    review: null,
    questions: [],
    answeredQuestions: [],
    questionCount: 0,
    confidence: {},
    spent: { agentCalls: 0, tokens: 0, costUsd: 0 },
    takeovers: NEVER_TAKEN_OVER,
    summaryKey: null,
    ending: null,
    rejected: null,
    refused: null,
    isTimeUsedUp: false,
    // Spread last: adding members one by one to a copy takes a hundred times as long.
    ...place,
  };
};

/** A run validates a given plan once, before it starts; a standalone machine does so here. */
const proposalIn = (
  settings: Settings,
  { proposal, plan }: OrchestratorInput,
): OrchestratorContext['proposal'] => {
  if (proposal !== undefined) return proposal;
  return plan === null || plan === undefined ? null : givenProposal(settings, plan);
};

/** Shared: in most runs no person says anything. */
const NOTHING_SAID: readonly string[] = Object.freeze([]);

const NEVER_TAKEN_OVER: OrchestratorContext['takeovers'] = Object.freeze({
  seen: 0,
  atProgress: 0,
});

type Place = Pick<
  OrchestratorContext,
  'parentStepId' | 'depth' | 'limitMs' | 'isPaused' | 'conversation' | 'maxReplans' | 'slots'
>;

/** A sub-plan works in the slot of its step, so it has only that one: maxParallel holds for the whole run. */
const placeOf = ({ policy: { limits, time } }: Settings, { nested }: OrchestratorInput): Place =>
  nested === undefined
    ? {
        parentStepId: null,
        depth: 0,
        limitMs: time.limitMs,
        isPaused: false,
        conversation: NOTHING_SAID,
        maxReplans: limits.maxReplans,
        slots: Array.from({ length: limits.maxParallel }, () => null),
      }
    : { ...nested, maxReplans: 0, slots: [null] };

/* Plans and requests. */

export const proposed = (result: CallResult): Change =>
  result.kind === 'answered' && result.answer.role === 'planner'
    ? {
        proposal: { plan: result.answer.plan, issues: result.answer.issues, origin: 'planner' },
      }
    : {};

/** Why a planner gave no plan: the reason of its last try. */
export const failureIn = (result: CallResult): string =>
  result.kind === 'failed' ? result.reason : 'The answer was not a plan';

/** Counted when the planner is called, even if it fails. With requests it is a replan and spends one. */
export const plannerCalled = ({
  replans,
  plannerCalls,
  requests,
}: OrchestratorContext): Change => ({
  replans: requests.length > 0 ? replans + 1 : replans,
  plannerCalls: plannerCalls + 1,
});

export const fingerprintOf = ({ proposal }: OrchestratorContext): string =>
  proposal?.plan == null ? '' : planFingerprint(proposal.plan);

/** Several requests at once are one planner call; the policy chooses which of them it includes. */
export const coalesced = ({ requests, settings }: OrchestratorContext): Change => {
  const [first] = requests;
  if (first === undefined) return {};
  switch (settings.policy.replan.coalesce) {
    case 'batch':
      return {};
    case 'first':
      return { requests: [first] };
    case 'highestConfidence':
      return { requests: [requests.reduce(surer, first)] };
  }
};

const surer = (left: ReplanRequest, right: ReplanRequest): ReplanRequest =>
  (right.confidence ?? 0) > (left.confidence ?? 0) ? right : left;

const planRequest = (kind: 'planRejected' | 'goalNotAchieved', reason: string): ReplanRequest => ({
  kind,
  stepId: null,
  agent: null,
  reason,
  agents: [],
  confidence: null,
});

type By = FactBody<'plan.rejected'>['by'];

/** A rejected plan is requested again, with the reason; issues named by the supervisor are included. */
export const planRejected = (
  { requests, proposal, review }: OrchestratorContext,
  by: By,
  given: string | undefined,
): { readonly reason: string; readonly change: Change } => {
  const verdict = by === 'supervisor' && given === undefined ? verdictIn(review) : undefined;
  const reason = given ?? (verdict === undefined ? REJECTION_REASONS[by] : verdictReason(verdict));
  const asked = { requests: [...requests, planRequest('planRejected', reason)] };
  if (verdict === undefined || proposal === null) return { reason, change: asked };
  const issues = verdict.issues.map((message) => ({
    code: REFUSED_BY_SUPERVISOR,
    path: '',
    message,
  }));
  return { reason, change: { ...asked, proposal: { ...proposal, issues } } };
};

/** The code of an issue that a supervisor named when it rejected a plan. */
const REFUSED_BY_SUPERVISOR = 'refused-by-supervisor';

/** The reason of a rejected plan when none was given. */
const REJECTION_REASONS: Readonly<Record<By, string>> = {
  validation: 'The plan is not valid',
  supervisor: 'The plan did not pass its gate',
  human: 'No answer in time',
  repeat: 'The same plan was adopted before',
  planner: 'The planner failed',
};

/** The goal is not met: the supervisor's feedback goes to the planner. */
export const goalRequest = ({ review }: OrchestratorContext): ReplanRequest => {
  const verdict = verdictIn(review);
  return planRequest('goalNotAchieved', verdict === undefined ? '' : verdictText(verdict));
};

const verdictIn = (review: CallResult | null): VerdictAnswer | undefined =>
  review?.kind === 'answered' && review.answer.role === 'supervisor' ? review.answer : undefined;

/** Keeps only the last messages: every call that includes them pays for each text. */
export const heard = ({ conversation, settings }: OrchestratorContext, text: string): Change => ({
  conversation: [...conversation, text].slice(-settings.policy.context.maxMessages),
});

/* Oversight and budgets. */

export const climbed = (context: OrchestratorContext, verdict: VerdictSummary): Update => {
  const { level, consecutiveIssues } = nextLadder(
    context.ladder,
    verdict,
    context.settings.policy.escalation,
  );
  const next = { ...context, ladder: { level, consecutiveIssues, feedback: verdict.feedback } };
  const { level: before } = context.ladder;
  return {
    context: next,
    facts: level === before ? [] : [escalationChanged(before, next, verdict.score)],
  };
};

export const callCounted = ({ spent }: OrchestratorContext): Change => ({
  spent: { ...spent, agentCalls: spent.agentCalls + 1 },
});

export const usageCounted = ({ spent }: OrchestratorContext, usage: Usage | null): Change => ({
  spent: {
    ...spent,
    tokens: spent.tokens + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    costUsd: spent.costUsd + (usage?.costUsd ?? 0),
  },
});

/* Time. */

/** The time reserved at the end of the run for verification and summary. */
export const closingMs = ({ policy }: Settings, limitMs: number): number =>
  Math.min(verificationBudgetMs(policy), Math.floor(limitMs / 2));

export const extensionUsed = ({ extensionMs }: OrchestratorContext): Change => ({
  clockMs: extensionMs,
  extensionMs: 0,
});

/* Takeovers. */

export const recovered = (
  { takeovers }: OrchestratorContext,
  event: { readonly takeovers: number },
): Change => ({ takeovers: { ...takeovers, seen: event.takeovers } });

/** A completed step or an adopted plan resets the count of takeovers. */
export const progressed = ({ takeovers }: OrchestratorContext): Change =>
  takeovers.atProgress === takeovers.seen
    ? {}
    : { takeovers: { ...takeovers, atProgress: takeovers.seen } };

/* Questions to people. */

type Asked = Extract<Report, { type: 'approval.requested' }>;

export const questionOpened = (
  { questions }: OrchestratorContext,
  { requestId, stepId, question, route }: Asked,
): Change => ({ questions: [...questions, { requestId, stepId, question, route }] });

export const questionClosed = (
  { questions, answeredQuestions }: OrchestratorContext,
  requestId: string,
): Change => ({
  questions: questions.filter((question) => question.requestId !== requestId),
  answeredQuestions: [...answeredQuestions, requestId],
});
