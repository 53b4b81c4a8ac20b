import type { CallResult } from '../../model/calls.js';
import { countsOf, winnerOf } from '../../guards/votes.js';
import type { FactBody } from '../../model/facts.js';
import type { RunOutcome } from '../orchestrator/context.js';
import type { StepContext } from './context.js';

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
