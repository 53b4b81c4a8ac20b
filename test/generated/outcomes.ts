import type {
  Answer,
  CallFailure,
  CallOutcome,
  CallResult,
  FailureCode,
  WorkerAnswer,
} from '../../src/model/calls.js';
import type { AgentCallInput } from '../../src/machines/agent-call/chart.js';
import type { Outcome } from './configuration.js';
import { CRASH } from './configuration.js';

/* All possible outcomes of calls. */

export const workerAnswers: readonly (readonly [string, WorkerAnswer])[] = [
  ['answers done', { role: 'worker', report: 'done', confidence: null }],
  ['answers done, unsure', { role: 'worker', report: 'done', confidence: 0.2 }],
  [
    'needs context',
    { role: 'worker', report: 'needsContext', suggestion: 'Look there', confidence: 0.5 },
  ],
  [
    'hands off',
    { role: 'worker', report: 'handOff', agent: 'reviewer', task: 'Go on', confidence: null },
  ],
  [
    'asks for another plan',
    { role: 'worker', report: 'requestReplan', reason: 'Too big', agents: [], confidence: 0.9 },
  ],
  ['is blocked', { role: 'worker', report: 'blocked', reason: 'No way' }],
  ['asks a person', { role: 'worker', report: 'askHuman', question: 'Which one?', payload: null }],
];

/** One vote each: the same answer, another one, and one with a higher confidence. */
export const ballotAnswers: readonly (readonly [string, WorkerAnswer])[] = [
  ['votes for A', { role: 'worker', report: 'done', confidence: 0.5, digest: 'A' }],
  ['votes for B', { role: 'worker', report: 'done', confidence: 0.9, digest: 'B' }],
  ['votes for C', { role: 'worker', report: 'done', confidence: null, digest: 'C' }],
];

/** One score for every level of the ladder that a score can lead to, with and without issues. */
export const verdictAnswers: readonly (readonly [string, Answer])[] = [
  ['scores 100', { role: 'supervisor', score: 100, issues: [], feedback: '' }],
  [
    'scores 90 with an issue',
    { role: 'supervisor', score: 90, issues: ['Too long'], feedback: '' },
  ],
  ['scores 65', { role: 'supervisor', score: 65, issues: [], feedback: 'Better' }],
  ['scores 45', { role: 'supervisor', score: 45, issues: ['Wrong'], feedback: 'Again' }],
  ['scores 20', { role: 'supervisor', score: 20, issues: ['Off'], feedback: 'Stop that' }],
];

/** Verdicts with exactly these scores, and no issues: gates and ladder change at a number. */
export const verdictsScoring = (
  scores: readonly number[],
): readonly (readonly [string, Answer])[] =>
  scores.map((score) => [
    `scores ${score}`,
    { role: 'supervisor', score, issues: [], feedback: '' },
  ]);

export const testAnswers: readonly (readonly [string, Answer])[] = [
  ['passes the tests', { role: 'tester', passed: true, failures: 0 }],
  ['finds two failures', { role: 'tester', passed: false, failures: 2 }],
];

const failure = (code: FailureCode): CallFailure => ({
  kind: 'failed',
  code,
  reason: `It was ${code}`,
});

/** How a question to a person ends. */
export const approvalOutcomes: readonly Outcome[] = [
  { says: 'is granted', output: { isGranted: true, code: '', text: 'Yes' } },
  { says: 'is rejected', output: { isGranted: false, code: 'rejected', text: 'No' } },
  { says: 'times out', output: { isGranted: false, code: 'approval-expired', text: 'Late' } },
  CRASH,
];

/** The outcomes of one try of a call. */
export const triesOf = (
  answers: readonly (readonly [string, Answer])[],
  codes: readonly FailureCode[],
): Outcome[] => [
  ...answers.map(([says, answer]) => ({
    says,
    output: {
      kind: 'answered',
      answer,
      output: 'work',
      usage: { inputTokens: 3 },
    } satisfies CallOutcome,
  })),
  ...codes.map((code) => ({ says: `fails: ${code}`, output: failure(code) })),
  { says: 'returns undefined', output: undefined },
  CRASH,
];

/** The outcomes of a whole call, its retries included. */
export const resultsOf = (
  input: unknown,
  answers: readonly (readonly [string, Answer])[],
  codes: readonly FailureCode[] = ['threw'],
): Outcome[] => {
  const { key, role } = (input as AgentCallInput).request;
  const who = role === 'worker' ? '' : `(${role}) `;
  return [
    ...answers.map(([says, answer]) => ({
      says: `${who}${says}`,
      output: { kind: 'answered', key, answer, hasOutput: true } satisfies CallResult,
    })),
    ...codes.map((code) => ({
      says: `${who}fails: ${code}`,
      output: { ...failure(code), key } satisfies CallResult,
    })),
    CRASH,
  ];
};
