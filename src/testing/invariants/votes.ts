import type { JsonValue } from '../../canonical-json.js';
import { stableStringify } from '../../canonical-json.js';
import type { Fact, FactBody } from '../../model/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow } from './evidence.js';

interface Vote {
  readonly cast: Fact<'vote.cast'>[];
  isDecided: boolean;
}

interface Ledger {
  /** By step; another attempt or a question starts a new one. */
  readonly votes: Map<string, Vote>;
  readonly answers: Map<string, Fact<'agent.answered'>>;
  /** The key of the winning vote, by step, until something else changes the work. */
  readonly chosen: Map<string, string>;
}

/**
 * Invariants 4, 8, 9 and 15 for votes: no more votes than the step asked for and the policy allows, each with an
 * answer, none once the outcome is certain, and the winner is the output of the step.
 */
export const checkVotes: Check = ({ facts, policy }) => {
  const findings = new Findings();
  const ledger: Ledger = { votes: new Map(), answers: new Map(), chosen: new Map() };
  const startAgain = ({ stepId }: { readonly stepId: string | null }): void => {
    if (stepId === null) return;
    ledger.votes.delete(stepId);
    ledger.chosen.delete(stepId);
  };
  follow(facts, findings, {
    'agent.answered': (fact) => ledger.answers.set(fact.key, fact),
    'step.retried': startAgain,
    'approval.requested': startAgain,
    'subplan.started': startAgain,
    'fix.started': ({ stepId }) => ledger.chosen.delete(stepId),
    'vote.cast': (fact) => checkCast(ledger, fact, policy, findings),
    'vote.decided': (fact) => checkDecision(ledger, fact, findings),
    'step.completed': (fact) => checkWork(ledger, fact, findings),
  });
  return findings.violations;
};

const checkCast = (
  ledger: Ledger,
  fact: Fact<'vote.cast'>,
  { limits }: Evidence['policy'],
  findings: Findings,
): void => {
  const { stepId, number, of, key } = fact;
  const vote = ledger.votes.get(stepId) ?? { cast: [], isDecided: false };
  ledger.votes.set(stepId, vote);
  const bounded = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'attempts-bounded', message);
  bounded(of <= limits.maxVotes, `${stepId} has ${of} votes, beyond maxVotes`);
  const isNext = number > (vote.cast.at(-1)?.number ?? 0) && number <= of;
  bounded(isNext, `vote ${number} of ${of} on ${stepId} is out of order`);
  findings.expect(!vote.isDecided, 'causes-first', `${key} votes after the decision`);
  const isOpen = fact.choose !== 'majority' || vote.cast.every((cast) => !hasMajority(vote, cast));
  bounded(isOpen, `${key} votes although there is a majority`);
  checkBallot(ledger, vote, fact, findings);
  vote.cast.push(fact);
};

/** For redacted answers the journal does not show whether they are equal; their votes are labelled `vote-N`. */
const isLabel = (digest: string): boolean => digest.startsWith('vote-');

/** A ballot belongs to an answer, and equals another one exactly when the answers do. */
const checkBallot = (
  { answers }: Ledger,
  vote: Vote,
  { stepId, key, digest }: Fact<'vote.cast'>,
  findings: Findings,
): void => {
  const answer = answers.get(key);
  const isAnswer = answer?.stepId === stepId && answer.report === 'done';
  findings.expect(isAnswer, 'intent-first', `${key} votes without an answer`);
  for (const other of vote.cast) {
    const isSame = isSameJson(answers.get(other.key)?.output, answer?.output);
    const isJudgedSame = other.digest === digest;
    const how = `${key} and ${other.key} are counted wrongly`;
    const isHidden = isLabel(digest) && isLabel(other.digest);
    findings.expect(isSame === isJudgedSame || (isSame && isHidden), 'outputs-kept', how);
  }
};

const votesFor = ({ cast }: Vote, { digest }: { readonly digest: string }): number =>
  cast.filter((other) => other.digest === digest).length;

const hasMajority = (vote: Vote, cast: Fact<'vote.cast'>): boolean =>
  votesFor(vote, cast) * 2 > cast.of;

const checkDecision = (
  { votes, chosen }: Ledger,
  { stepId, choose, cast, winner, counts }: FactBody<'vote.decided'>,
  findings: Findings,
): void => {
  const vote = votes.get(stepId) ?? { cast: [], isDecided: false };
  votes.set(stepId, vote);
  findings.expect(!vote.isDecided, 'causes-first', `the vote on ${stepId} is decided twice`);
  vote.isDecided = true;
  findings.expect(
    cast === vote.cast.length,
    'attempts-bounded',
    `${vote.cast.length} votes, but ${cast} are counted`,
  );
  const areCounted = counts.every((side) => side.votes === votesFor(vote, side));
  findings.expect(areCounted, 'attempts-bounded', `the votes on ${stepId} are counted wrongly`);
  const winning = vote.cast.find(({ number }) => number === winner);
  const isKnown = winner === null || winning !== undefined;
  findings.expect(
    isKnown,
    'outputs-kept',
    `vote ${winner} on ${stepId} wins without having been cast`,
  );
  const isRight =
    choose === 'majority'
      ? vote.cast.some((other) => hasMajority(vote, other)) ===
        (winning !== undefined && hasMajority(vote, winning))
      : vote.cast.every((other) => (other.confidence ?? -1) <= (winning?.confidence ?? -1));
  findings.expect(isRight, 'outputs-kept', `vote ${winner} on ${stepId} wins, but should not`);
  const isFirst = vote.cast.find((other) => isEqualTo(other, winning, choose)) === winning;
  findings.expect(
    isFirst,
    'outputs-kept',
    `vote ${winner} on ${stepId} wins, but is not the first with its answer`,
  );
  if (winning !== undefined) chosen.set(stepId, winning.key);
};

const isEqualTo = (
  vote: Fact<'vote.cast'>,
  winner: Fact<'vote.cast'> | undefined,
  choose: 'majority' | 'bestConfidence',
): boolean =>
  choose === 'majority' ? vote.digest === winner?.digest : vote.confidence === winner?.confidence;

/** A winner without an output changes nothing: the step has none, or keeps the previous one. */
const checkWork = (
  { chosen, answers }: Ledger,
  { stepId, outputKeys }: FactBody<'step.completed'>,
  findings: Findings,
): void => {
  const key = chosen.get(stepId);
  if (key === undefined || answers.get(key)?.output === null) return;
  findings.expect(isSameJson(outputKeys, [key]), 'outputs-kept', `${stepId} does not take ${key}`);
};

const isSameJson = (left: JsonValue | undefined, right: JsonValue | undefined): boolean =>
  left === right ||
  (left !== undefined && right !== undefined && stableStringify(left) === stableStringify(right));
