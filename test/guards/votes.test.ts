import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { CallResult, WorkerAnswer } from '../../src/model/calls.js';
import {
  confidenceOfSide,
  countsOf,
  hasWinner,
  isBallot,
  isVoteLost,
  isVoting,
  needsAnotherBallot,
  winnerOf,
} from '../../src/guards/votes.js';
import type { StepContext } from '../../src/machines/step/context.js';
import type { Ballot } from '../../src/model/step-outcome.js';
import type { Votes } from '../../src/model/plan.js';
import { noAnswer, scored, stepContextWith, tested, worked } from './contexts.js';

/** `'ab-'`: a vote for a, one for b, and a call that failed. */
const ballotsOf = (text: string, confidences: readonly (number | null)[] = []): Ballot[] =>
  Array.from(text, (letter, index) => ({
    key: `key ${index + 1}`,
    digest: letter === '-' ? null : letter,
    hasOutput: letter !== '-',
    confidence: letter === '-' ? null : (confidences[index] ?? null),
    failure: letter === '-' ? { code: 'threw', reason: '' } : null,
  }));

const majorityOf = (count: number): Votes => ({ count, choose: 'majority' });
const surestOf = (count: number): Votes => ({ count, choose: 'bestConfidence' });

const voting = (votes: Votes | null, text = ''): StepContext =>
  stepContextWith({ votes, ballots: ballotsOf(text) });

const winner = (votes: Votes, text: string, confidences?: readonly (number | null)[]) =>
  winnerOf(votes, ballotsOf(text, confidences));

describe('a majority', () => {
  it('is more than half of the votes requested, not of those that arrived', () => {
    expect(winner(majorityOf(3), 'aa')).toBe(1);
    expect(winner(majorityOf(3), 'baa')).toBe(2);
    expect(winner(majorityOf(3), 'a--')).toBeNull();
    expect(winner(majorityOf(2), 'ab')).toBeNull();
    expect(winner(majorityOf(4), 'aabb')).toBeNull();
    expect(winner(majorityOf(4), 'baaa')).toBe(2);
    expect(winner(majorityOf(5), '--bbb')).toBe(3);
  });

  const anyBallots = fc.integer({ min: 2, max: 6 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      text: fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: count }),
    }),
  );

  /** Every possible continuation. */
  const endingsOf = (text: string, count: number): string[] =>
    text.length === count
      ? [text]
      : ['a', 'b', 'c', 'd', '-'].flatMap((letter) => endingsOf(text + letter, count));

  it('is waited for exactly as long as the outcome is open', () => {
    fc.assert(
      fc.property(anyBallots, ({ count, text }) => {
        const votes = majorityOf(count);
        const outcomes = new Set(endingsOf(text, count).map((ending) => winner(votes, ending)));
        expect(needsAnotherBallot(voting(votes, text))).toBe(outcomes.size > 1);
        if (outcomes.size === 1) expect(outcomes).toContain(winner(votes, text));
      }),
    );
  });
});

describe('the highest confidence', () => {
  it('wins once every vote was requested; the first of equal ones', () => {
    expect(winner(surestOf(3), 'abc', [0.2, 0.9, 0.5])).toBe(2);
    expect(winner(surestOf(3), 'abc', [0.5, 0.9, 0.9])).toBe(2);
    expect(winner(surestOf(3), 'aba', [0.5, 0.5, 0.5])).toBe(1);
  });

  it('beats an answer without one, however small, and that beats no vote', () => {
    expect(winner(surestOf(3), 'abc', [null, 0, null])).toBe(2);
    expect(winner(surestOf(3), 'abc')).toBe(1);
    expect(winner(surestOf(3), '--c')).toBe(3);
    expect(winner(surestOf(3), '---')).toBeNull();
  });

  it('is never decided before the last vote', () => {
    for (const text of ['', 'a', 'aa', '--']) {
      expect(needsAnotherBallot(voting(surestOf(3), text))).toBe(true);
    }
    expect(needsAnotherBallot(voting(surestOf(3), 'aaa'))).toBe(false);
  });
});

describe('a vote in a run that winds down', () => {
  it('requests no more votes', () => {
    for (const votes of [majorityOf(3), surestOf(3)]) {
      expect(needsAnotherBallot({ ...voting(votes, 'a'), isWindingDown: true })).toBe(false);
    }
  });
});

describe('the result of a vote', () => {
  it('has the highest confidence of its side', () => {
    const ballots = ballotsOf('abaa', [0.2, 0.9, 0.7, null]);
    expect(confidenceOfSide(ballots, 'a')).toBe(0.7);
    expect(confidenceOfSide(ballots, 'b')).toBe(0.9);
    expect(confidenceOfSide(ballotsOf('a'), 'a')).toBeNull();
  });

  it('counts every answer, in the order in which they arrived', () => {
    expect(countsOf(ballotsOf('b-abb'))).toEqual([
      { digest: 'b', votes: 3 },
      { digest: 'a', votes: 1 },
    ]);
    expect(countsOf(ballotsOf('--'))).toEqual([]);
  });

  it('exists, or does not', () => {
    expect(hasWinner(voting(majorityOf(3), 'aa'))).toBe(true);
    expect(hasWinner(voting(majorityOf(3), 'ab-'))).toBe(false);
  });

  it('is missing without votes, and when the run ends before there is one', () => {
    const refused = (context: StepContext): StepContext => ({
      ...context,
      ballots: context.ballots.map((ballot) =>
        ballot.failure === null
          ? ballot
          : { ...ballot, failure: { code: 'budget-exhausted', reason: '' } },
      ),
    });
    expect(isVoteLost(voting(majorityOf(3), '--'))).toBe(true);
    expect(isVoteLost(voting(majorityOf(3), 'ab-'))).toBe(false);
    expect(isVoteLost(refused(voting(majorityOf(3), 'ab-')))).toBe(true);
    expect(isVoteLost(refused(voting(surestOf(3), 'a--')))).toBe(false);
    expect(isVoteLost(voting(majorityOf(3), 'ab'))).toBe(true);
    expect(isVoteLost(voting(majorityOf(3), 'aa'))).toBe(false);
  });
});

describe('a ballot', () => {
  const answers: readonly WorkerAnswer[] = [
    { role: 'worker', report: 'done', confidence: null },
    { role: 'worker', report: 'needsContext', suggestion: 'More', confidence: null },
    { role: 'worker', report: 'handOff', agent: 'b', task: 'Do it', confidence: null },
    { role: 'worker', report: 'requestReplan', reason: 'No', agents: [], confidence: null },
    { role: 'worker', report: 'blocked', reason: 'Stuck' },
    { role: 'worker', report: 'askHuman', question: 'How?', payload: null },
  ];
  const results: readonly CallResult[] = [
    ...answers.map(worked),
    scored(100),
    tested(true),
    noAnswer,
  ];

  it('is completed work or a failed call, and nothing else', () => {
    const ballots = results.filter((result) => isBallot(voting(majorityOf(2)), result));
    expect(ballots).toEqual([results[0], noAnswer]);
  });

  it('does not exist without votes in the plan, or in a fix', () => {
    const fixing = { ...voting(majorityOf(2)), fixCycles: 1 };
    for (const context of [voting(null), fixing]) {
      expect(isVoting(context)).toBe(false);
      expect(results.filter((result) => isBallot(context, result))).toEqual([]);
    }
    expect(needsAnotherBallot(voting(null))).toBe(false);
    expect(winnerOf(null, ballotsOf('aa'))).toBeNull();
  });
});
