import type { CallResult, VotePosition } from '../../model/calls.js';
import { NO_MAJORITY } from '../../guards/step.js';
import { confidenceOfSide, countsOf, isVoting, winnerOf } from '../../guards/votes.js';
import type { StepContext } from './context.js';
import type { Ballot, StepFailure } from '../../model/step-outcome.js';

/* How a vote changes the step. Ballots are small: the answers are in the journal, under the keys of their calls. */

type Change = Partial<StepContext>;

export const NO_BALLOTS: readonly Ballot[] = [];

/** The number of the next vote; null when the agent is called once. */
export const votePosition = (context: StepContext): VotePosition | null =>
  context.votes !== null && isVoting(context)
    ? { number: context.ballots.length + 1, of: context.votes.count }
    : null;

/** The first vote has the key that the call would have without voting. */
export const voteSuffix = (context: StepContext): string => {
  const number = votePosition(context)?.number ?? 1;
  return number > 1 ? `.v${number}` : '';
};

export const ballotTaken = ({ ballots }: StepContext, result: CallResult): Change => ({
  ballots: [...ballots, ballotOf(result)],
});

const ballotOf = (result: CallResult): Ballot => {
  const { key } = result;
  if (result.kind === 'failed') return noVote(key, { code: result.code, reason: result.reason });
  if (result.answer.role !== 'worker' || result.answer.report !== 'done') return noVote(key, null);
  // Without a digest it equals no other answer.
  const { confidence, digest = key } = result.answer;
  return { key, digest, hasOutput: result.hasOutput, confidence, failure: null };
};

const noVote = (key: string, failure: StepFailure | null): Ballot => ({
  key,
  digest: null,
  hasOutput: false,
  confidence: null,
  failure,
});

/** The winner's output is the work of the step, as if its call had been the only one. */
export const winnerTaken = ({ votes, ballots }: StepContext): Change => {
  const winner = ballots[(winnerOf(votes, ballots) ?? 0) - 1];
  if (winner === undefined) return {};
  return {
    outputKeys: winner.hasOutput ? [winner.key] : [],
    confidence: confidenceOfSide(ballots, winner.digest),
    request: null,
    handOff: null,
  };
};

export const majorityMissed = ({ votes, ballots }: StepContext): Change => {
  const counts = countsOf(ballots).map((side) => side.votes);
  const reason = `No answer has more than half of the ${votes?.count ?? 0} votes: ${counts.join(', ')}`;
  return { failure: { code: NO_MAJORITY, reason } };
};
