import type { CallResult } from '../../model/calls.js';
import { countsOf, winnerOf } from '../../guards/votes.js';
import type { FactBody } from '../../model/facts.js';
import type { RunOutcome } from '../orchestrator/context.js';
import { resultOf } from '../event-output.js';
import { visibleText } from '../../plan/visible-text.js';
import type { StepContext, StepEvent } from './context.js';

export const stepRetried = (context: StepContext): FactBody<'step.retried'> => ({
  type: 'step.retried',
  stepId: context.stepId,
  attempt: context.attempt + 1,
  reason: context.failure?.reason ?? '',
});

export const testsReported = (
  context: StepContext,
  result: CallResult,
): FactBody<'tests.reported'> => {
  const answer = result.kind === 'answered' ? result.answer : undefined;
  return {
    type: 'tests.reported',
    stepId: context.stepId,
    passed: answer?.role === 'tester' && answer.passed,
    failures: answer?.role === 'tester' ? answer.failures : 0,
    key: result.key,
  };
};

export const fixStarted = (context: StepContext): FactBody<'fix.started'> => ({
  type: 'fix.started',
  stepId: context.stepId,
  cycle: context.fixCycles,
  message: 'FIX_PLAN',
});

export const subplanStarted = (context: StepContext): FactBody<'subplan.started'> => ({
  type: 'subplan.started',
  stepId: context.stepId,
  depth: context.depth + 1,
  reason: context.failure?.reason ?? '',
  message: 'STEP_BLOCKED',
});

export const subplanEnded = (
  context: StepContext,
  outcome: RunOutcome,
): FactBody<'subplan.ended'> => ({
  type: 'subplan.ended',
  stepId: context.stepId,
  status: outcome.status,
  reason: outcome.reason,
});

/** The last vote, or undefined when its call failed: a failed call is not a vote. */
export const voteCast = ({
  stepId,
  votes,
  ballots,
}: StepContext): FactBody<'vote.cast'> | undefined => {
  const ballot = ballots.at(-1);
  if (votes === null || ballot?.digest == null) return undefined;
  const { key, digest, confidence } = ballot;
  const { count: of, choose } = votes;
  return { type: 'vote.cast', stepId, number: ballots.length, of, choose, key, digest, confidence };
};

export const voteDecided = ({ stepId, votes, ballots }: StepContext): FactBody<'vote.decided'> => {
  const counts = countsOf(ballots);
  return {
    type: 'vote.decided',
    stepId,
    choose: votes?.choose ?? 'majority',
    of: votes?.count ?? 0,
    cast: counts.reduce((cast, side) => cast + side.votes, 0),
    winner: winnerOf(votes, ballots),
    counts,
  };
};

/** A request that the step refuses itself. */
export type RefusedInStep = 'question' | 'fix' | 'subplan' | 'vote';

export const requestRefused = (
  context: StepContext,
  what: RefusedInStep,
  event: StepEvent,
): FactBody<'request.refused'> => ({
  type: 'request.refused',
  parentStepId: parentOf(context.stepId),
  what,
  stepId: context.stepId,
  agent: context.agent,
  ...boundOf(context, what),
  reason: what === 'question' ? questionIn(event) : (context.failure?.reason ?? ''),
});

const boundOf = (
  { settings: { policy }, votes }: StepContext,
  what: RefusedInStep,
): Pick<FactBody<'request.refused'>, 'bound' | 'limit'> => {
  switch (what) {
    case 'question':
      return { bound: 'question-limit', limit: policy.approval.maxQuestions };
    case 'fix':
      return { bound: 'fix-limit', limit: policy.limits.maxFixCycles };
    case 'subplan':
      return { bound: 'depth-limit', limit: policy.limits.maxDepth };
    case 'vote':
      return { bound: 'vote-limit', limit: votes?.count ?? 0 };
  }
};

const questionIn = (event: StepEvent): string => {
  const result = resultOf(event);
  const answer = result.kind === 'answered' ? result.answer : undefined;
  return answer?.role === 'worker' && answer.report === 'askHuman'
    ? visibleText(answer.question)
    : '';
};

/** The path of the step whose sub-plan the step belongs to; null in the goal's own plan. */
const parentOf = (stepId: string): string | null => {
  const end = stepId.lastIndexOf('/');
  return end < 0 ? null : stepId.slice(0, end);
};
