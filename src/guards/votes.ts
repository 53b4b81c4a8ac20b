import type { CallResult } from '../model/calls.js';
import type { Ballot } from '../model/step-outcome.js';
import type { Votes } from '../model/plan.js';

/** An answer and its number of votes. */
export interface VoteCount {
  readonly digest: string;
  readonly votes: number;
}

/** The part of a step that concerns its votes. */
interface VotedStep {
  readonly votes: Votes | null;
  readonly ballots: readonly Ballot[];
  readonly fixCycles: number;
  readonly isWindingDown: boolean;
}

/** The work is voted on; fixes are not. */
export const isVoting = ({ votes, fixCycles }: VotedStep): boolean =>
  votes !== null && fixCycles === 0;

/** Finished work counts as a vote; a failed call is a missing vote; any other report ends the voting. */
export const isBallot = (context: VotedStep, result: CallResult): boolean =>
  isVoting(context) && (result.kind === 'failed' || isFinished(result));

const isFinished = (result: CallResult): boolean =>
  result.kind === 'answered' && result.answer.role === 'worker' && result.answer.report === 'done';

/** No further vote is requested once the outcome is certain or the run winds down. */
export const needsAnotherBallot = (context: VotedStep): boolean =>
  !context.isWindingDown && isVoteOpen(context);

/** Votes are left, and the next one could change the outcome. */
export const isVoteOpen = ({ votes, ballots }: VotedStep): boolean =>
  votes !== null && ballots.length < votes.count && !isCertain(votes, ballots);

/** With `bestConfidence` the last vote may still win; a majority is reached, or out of reach, earlier. */
const isCertain = ({ count, choose }: Votes, ballots: readonly Ballot[]): boolean => {
  if (choose === 'bestConfidence') return false;
  const most = mostVotes(ballots);
  const left = count - ballots.length;
  return isMajority(most, count) || !isMajority(most + left, count);
};

const isMajority = (votes: number, count: number): boolean => votes * 2 > count;

const mostVotes = (ballots: readonly Ballot[]): number =>
  Math.max(0, ...countsOf(ballots).map(({ votes }) => votes));

/** Failures caused by the end of the run, not by the agent. */
const ENDING_CODES: readonly string[] = ['budget-exhausted', 'run-ended'];

/**
 * The vote has no winner for a reason other than disagreement: every call failed, or the run ended before there was a
 * majority. Asking again cannot help.
 */
export const isVoteLost = (context: VotedStep): boolean =>
  !hasWinner(context) && (!hasVotes(context) || isVoteOpen(context) || isCutShort(context));

const isCutShort = ({ ballots }: VotedStep): boolean =>
  ENDING_CODES.includes(ballots.at(-1)?.failure?.code ?? '');

const hasVotes = ({ ballots }: VotedStep): boolean => ballots.some(({ digest }) => digest !== null);

export const hasWinner = ({ votes, ballots }: VotedStep): boolean =>
  winnerOf(votes, ballots) !== null;

/** The number of the winning ballot, from 1: the first one with the winning answer. Null without a winner. */
export const winnerOf = (votes: Votes | null, ballots: readonly Ballot[]): number | null => {
  if (votes === null) return null;
  const index =
    votes.choose === 'majority' ? majorityIndex(votes.count, ballots) : surestIndex(ballots);
  return index < 0 ? null : index + 1;
};

const majorityIndex = (count: number, ballots: readonly Ballot[]): number => {
  const winning = countsOf(ballots).find(({ votes }) => isMajority(votes, count));
  return winning === undefined ? -1 : ballots.findIndex(({ digest }) => digest === winning.digest);
};

/** A vote without a confidence ranks below every vote with one. */
const surestIndex = (ballots: readonly Ballot[]): number =>
  ballots.reduce((surest, ballot, index) => {
    if (ballot.digest === null) return surest;
    const before = ballots[surest];
    return before === undefined || sureness(ballot) > sureness(before) ? index : surest;
  }, -1);

const sureness = ({ confidence }: Ballot): number => confidence ?? -1;

/** The highest confidence among the votes for the same answer; null when none has a confidence. */
export const confidenceOfSide = (
  ballots: readonly Ballot[],
  side: string | null,
): number | null => {
  const given = ballots.flatMap(({ digest, confidence }) =>
    digest === side && confidence !== null ? [confidence] : [],
  );
  return given.length === 0 ? null : Math.max(...given);
};

/** Every distinct answer, in the order of its first vote. */
export const countsOf = (ballots: readonly Ballot[]): VoteCount[] => {
  const votesByDigest = new Map<string, number>();
  for (const { digest } of ballots) {
    if (digest !== null) votesByDigest.set(digest, (votesByDigest.get(digest) ?? 0) + 1);
  }
  return [...votesByDigest].map(([digest, votes]) => ({ digest, votes }));
};
