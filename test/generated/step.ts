import type { AnyMachineSnapshot } from 'xstate';

import type { CallRequest } from '../../src/model/calls.js';
import type { AgentCallInput } from '../../src/machines/agent-call/chart.js';
import type { RunOutcome } from '../../src/machines/orchestrator/context.js';
import type { Settings } from '../../src/model/settings.js';
import type { StepContext, StepInput } from '../../src/machines/step/context.js';
import type { OpenCall } from '../../src/proof/paths/model.js';
import type { Configuration, Outcome, Told } from './configuration.js';
import { CRASH } from './configuration.js';
import {
  approvalOutcomes,
  ballotAnswers,
  resultsOf,
  testAnswers,
  verdictAnswers,
  verdictsScoring,
  workerAnswers,
} from './outcomes.js';
import { settingsOf } from './settings.js';

const say = (says: string, type: string, more: object = {}): Told => ({
  says,
  event: { type, ...more },
});

const pauses: readonly Told[] = [
  say('the run is paused', 'run.hold'),
  say('the run is unpaused', 'run.release'),
];

const always: readonly Told[] = [
  say('a person skips the step', 'step.skip', { reason: 'Not needed' }),
  say('the run winds down', 'run.windDown'),
];

const verdict = (from: string, hasPassed: boolean): Told =>
  say(`${from} reports a verdict that ${hasPassed ? 'passes' : 'fails'}`, 'verdict.given', {
    subject: 'step',
    score: hasPassed ? 100 : 50,
    hasPassed,
    hasIssues: !hasPassed,
    feedback: '',
  });

/** Reports of children, which go up. */
const reports = (from: string): Told[] => [
  say(`${from} asks for a permit`, 'permit.requested', { agent: 'coder', route: [from] }),
  say(`${from} reports a bound`, 'bound.reached', { bound: 'depth-limit' }),
  say(`${from} reports a call`, 'call.settled', {
    agent: 'coder',
    hasSucceeded: true,
    usage: null,
  }),
  verdict(from, false),
  verdict(from, true),
  say(`${from} has a question`, 'approval.requested', {
    requestId: 'x',
    stepId: 'a/b',
    route: [from],
  }),
  say(`${from} closes its question`, 'approval.closed', { requestId: 'x' }),
];

/** Messages for a child, which go down. */
const answers = (to: string): Told[] => [
  say(`a permit for ${to} is granted`, 'permit.granted', { route: [to] }),
  say(`a permit for ${to} is refused`, 'permit.refused', { route: [to], code: 'breaker-open' }),
];

const subplanAnswers: readonly Told[] = [
  say('a person approves in the sub-plan', 'approval.grant', {
    requestId: 'x',
    answer: 'Yes',
    route: ['subplan'],
  }),
  say('a person rejects in the sub-plan', 'approval.reject', {
    requestId: 'x',
    reason: 'No',
    route: ['subplan'],
  }),
];

/** Messages that only pass through are tried in two configurations, which show that they change nothing. */
type Alphabet = 'everything' | 'decisions';

/** Answers go down to the chart that asked. */
const answersDown = (requestId: string): Told[] => [
  say('a person approves', 'approval.grant', { requestId, answer: 'Yes', route: ['approval'] }),
  say('a person rejects', 'approval.reject', { requestId, reason: 'No', route: ['approval'] }),
];

const isVerifying = (subject: AnyMachineSnapshot): boolean =>
  subject.matches({ performing: 'verifying' });

const told = (
  subject: AnyMachineSnapshot,
  calls: readonly OpenCall[],
  alphabet: Alphabet,
): Told[] => {
  const { question } = subject.context as StepContext;
  const children = calls.map(({ address }) => address.slice(address.lastIndexOf('/') + 1));
  return [
    ...always,
    ...(question === null ? [] : answersDown(question.requestId)),
    ...(isVerifying(subject) ? [verdict('agentCall', false), verdict('agentCall', true)] : []),
    ...(alphabet === 'everything'
      ? [...pauses, ...children.flatMap((child) => [...reports(child), ...answers(child)])]
      : []),
    ...(children.includes('subplan') ? subplanAnswers : []),
  ];
};

const subplanOutcomes: readonly Outcome[] = (
  [
    [
      'completes',
      {
        status: 'completed',
        reason: 'all-steps-completed',
        rejected: null,
        outputKeys: ['k'],
      },
    ],
    ['fails', { status: 'failed', reason: 'steps-failed', rejected: null, outputKeys: [] }],
    [
      'ends with a no',
      {
        status: 'failed',
        reason: 'step-rejected',
        rejected: 'a/b (coder)',
        outputKeys: [],
      },
    ],
  ] satisfies [string, RunOutcome][]
).map(([says, output]) => ({ says, output }));

const callOutcomes = (call: OpenCall, alphabet: Alphabet): Outcome[] => {
  if (call.actor === 'orchestrator') return [...subplanOutcomes, CRASH];
  if (call.actor === 'approval') return [...approvalOutcomes];
  const { request } = call.input as AgentCallInput;
  const codes = ['threw', 'run-ended', 'budget-exhausted'] as const;
  return alphabet === 'everything' || isVote(request)
    ? resultsOf(call.input, answersTo(request), codes)
    : resultsOf(call.input, answersTo(request).filter(isDecisive));
};

const isVote = (request: CallRequest): boolean =>
  request.role === 'worker' && request.vote !== null;

type Answers = Parameters<typeof resultsOf>[1];

/** One answer for every transition; others differ only in their words. */
const isDecisive = ([says]: Answers[number]): boolean =>
  !/unsure|hands off|another plan|with an issue|20/.test(says);

const answersTo = (request: CallRequest): Answers => {
  if (request.role === 'supervisor') return verdictAnswers;
  if (request.role === 'tester') return testAnswers;
  return isVote(request)
    ? [...ballotAnswers, ...workerAnswers.filter(([says]) => /context|blocked|person/.test(says))]
    : workerAnswers;
};

/** What guards and later actions read; texts and keys are left out. */
const project = ({ context }: AnyMachineSnapshot): unknown => {
  const step = context as StepContext;
  const { attempt, fixCycles, agentQuestions, isPaused, isWindingDown, remainingMs } = step;
  return {
    counts: [attempt, fixCycles, agentQuestions, remainingMs],
    isPaused,
    isWindingDown,
    question: step.question?.isFromAgent,
    failure: step.failure?.code,
    ballots: step.ballots.map(({ digest }) => digest),
    wishes: [step.request?.kind, step.handOff?.agent],
    isConfirmed: step.verdict !== null,
  };
};

const configuration = (
  name: string,
  settings: Settings,
  changes: Partial<StepInput> = {},
  alphabet: Alphabet = 'decisions',
): Configuration => ({
  name,
  input: {
    runId: 'run',
    stepId: 'a',
    agent: 'coder',
    task: 'Do a',
    position: 'Step 1 of 1',
    goal: 'The goal',
    summary: '',
    depth: 0,
    dependencies: [],
    feedback: [],
    conversation: [],
    approvalQuestion: null,
    votes: null,
    budgetMs: 200,
    fixBudgetMs: 60,
    settings,
    ...changes,
  } satisfies StepInput,
  told: (subject, { calls }) => told(subject, calls, alphabet),
  outcomes: (call) => callOutcomes(call, alphabet),
  project,
});

const supervised = { hasSupervisor: true, hasTester: true };
const GATES = { gates: { code: 60, step: 70 } } as const;
const asked = { approvalQuestion: 'May I?' };

export const stepConfigurations: readonly Configuration[] = [
  configuration('work only', settingsOf(), {}, 'everything'),
  configuration('asked first, a no skips', settingsOf({ approval: { onReject: 'skip' } }), asked),
  configuration(
    'asked first, silence is a yes',
    settingsOf({ approval: { onTimeout: 'approve' }, limits: { maxAttempts: 1 } }),
    asked,
  ),
  configuration('reviewed, tested and verified', settingsOf(GATES, supervised)),
  configuration('tested', settingsOf({}, { hasTester: true })),
  configuration('verified', settingsOf({ gates: { step: 70 } }, { hasSupervisor: true })),
  configuration('reviewed and verified', settingsOf(GATES, { hasSupervisor: true })),
  configuration('three votes', settingsOf({ limits: { maxVotes: 3 } }), {
    votes: { count: 3, choose: 'majority' },
  }),
  configuration(
    'the surest of two votes, reviewed',
    settingsOf(
      {
        limits: { maxVotes: 2, maxAttempts: 1 },
        gates: { code: 60 },
        approval: { maxQuestions: 0 },
      },
      { hasSupervisor: true },
    ),
    { votes: { count: 2, choose: 'bestConfidence' } },
  ),
  // A majority of an even number is more than half of it, not half.
  {
    ...configuration('two votes', settingsOf({ limits: { maxVotes: 2, maxAttempts: 1 } }), {
      votes: { count: 2, choose: 'majority' },
    }),
    outcomes: ({ input }) => resultsOf(input, ballotAnswers),
  },
  // The vote is on the work; a fix is made once.
  {
    ...configuration(
      'two votes, tested',
      settingsOf(
        { limits: { maxVotes: 2, maxAttempts: 1 }, approval: { maxQuestions: 0 } },
        { hasTester: true },
      ),
      { votes: { count: 2, choose: 'majority' } },
    ),
    outcomes: ({ input }) => {
      const { request } = input as AgentCallInput;
      if (request.role === 'tester') return resultsOf(input, testAnswers);
      return resultsOf(input, (isVote(request) ? ballotAnswers : workerAnswers).slice(0, 1));
    },
  },
  {
    ...configuration(
      'reviewed and verified, at the numbers of the gates',
      settingsOf({ ...GATES, limits: { maxAttempts: 1 } }, { hasSupervisor: true }),
    ),
    outcomes: ({ input }) =>
      (input as AgentCallInput).request.role === 'supervisor'
        ? resultsOf(input, verdictsScoring([59, 60, 61, 69, 70, 71]))
        : resultsOf(input, workerAnswers.slice(0, 1)),
  },
  configuration(
    'with a sub-plan',
    settingsOf({ limits: { maxDepth: 1, maxAttempts: 1 } }),
    {},
    'everything',
  ),
  configuration(
    'in a sub-plan, at the depth limit',
    settingsOf({ limits: { maxDepth: 1, maxAttempts: 1 } }),
    { depth: 1 },
  ),
  configuration(
    'with a share of the time and a sub-plan',
    settingsOf({ limits: { maxDepth: 1, maxAttempts: 1 }, time: { stepShare: true } }),
  ),
];
