// The chart 'step', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.
import { fromPromise, setup } from 'xstate';

export const stepMachine = setup({
  guards: {
    canAskHuman: () => false,
    canAttemptAgain: () => false,
    canFixTests: () => false,
    canSubplan: () => false,
    hasFailure: () => false,
    hasNoWinner: () => false,
    isBallot: () => false,
    isBlocked: () => false,
    isCallFailed: () => false,
    isCodeAccepted: () => false,
    isFixRefused: () => false,
    isFixing: () => false,
    isForChild: () => false,
    isGranted: () => false,
    isPartial: () => false,
    isQuestionRefused: () => false,
    isStepAccepted: () => false,
    isStepConfirmed: () => false,
    isSubplanCompleted: () => false,
    isSubplanRefused: () => false,
    isVoteLost: () => false,
    isVoteRefused: () => false,
    needsAnotherBallot: () => false,
    needsApproval: () => false,
    needsCodeReview: () => false,
    needsTests: () => false,
    needsVerification: () => false,
    skipsOnReject: () => false,
  },
  actions: {
    announceDecision: () => {},
    announceFix: () => {},
    announceRetry: () => {},
    announceSubplan: () => {},
    announceSubplanEnd: () => {},
    announceTests: () => {},
    announceVote: () => {},
    askBeforehand: () => {},
    askForAgent: () => {},
    closeQuestion: () => {},
    countAttempt: () => {},
    countFix: () => {},
    countTime: () => {},
    endSubplan: () => {},
    fail: () => {},
    forgetFailure: () => {},
    goOnMeasuring: () => {},
    keepAnswer: () => {},
    keepBallot: () => {},
    keepBlocker: () => {},
    keepCallFailure: () => {},
    keepCrash: () => {},
    keepNoMajority: () => {},
    keepRejection: () => {},
    keepReviewFailure: () => {},
    keepSubplan: () => {},
    keepTestFailure: () => {},
    keepTests: () => {},
    keepVerdict: () => {},
    keepVoteFailure: () => {},
    keepWinner: () => {},
    keepWork: () => {},
    noteEnding: () => {},
    notePause: () => {},
    passDown: () => {},
    passToSubplan: () => {},
    passUp: () => {},
    refuse: () => {},
    startMeasuring: () => {},
    stopMeasuring: () => {},
    windDownCall: () => {},
  },
  actors: {
    agentCall: fromPromise(() => new Promise(() => {})),
    approval: fromPromise(() => new Promise(() => {})),
    orchestrator: fromPromise(() => new Promise(() => {})),
  },
  delays: {
    fixBudget: 1000,
    stepBudget: 1000,
  },
}).createMachine({
  id: 'step',
  description: 'One step of a plan: approval, work, review, tests, fixes, verification, sub-plan.',
  options: { maxIterations: 100 },
  initial: 'approvalDecision',
  on: {
    'step.skip': { target: '.skipped', actions: { type: 'fail' } },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
    'approval.grant': { guard: 'isForChild', actions: 'passDown' },
    'approval.reject': { guard: 'isForChild', actions: 'passDown' },
    'permit.granted': { actions: 'passDown' },
    'permit.refused': { actions: 'passDown' },
    'permit.requested': { actions: 'passUp' },
    'call.settled': { actions: 'passUp' },
    'verdict.given': { actions: 'passUp' },
    'bound.reached': { actions: 'passUp' },
    'approval.requested': { actions: 'passUp' },
    'approval.closed': { actions: 'passUp' },
  },
  states: {
    approvalDecision: {
      description: 'Does a person have to agree first?',
      always: [
        {
          guard: 'needsApproval',
          target: 'awaitingApproval',
          actions: 'askBeforehand',
        },
        { target: 'performing' },
      ],
    },
    awaitingApproval: {
      description: 'A person decides whether, or how, the step continues.',
      invoke: {
        id: 'approval',
        src: 'approval',
        onDone: [
          { guard: 'isGranted', target: 'performing', actions: 'keepAnswer' },
          { target: 'rejectionDecision', actions: 'keepRejection' },
        ],
        onError: { target: 'failed', actions: 'keepCrash' },
      },
      on: {
        'step.skip': { target: 'skipped', actions: ['closeQuestion', { type: 'fail' }] },
        'run.windDown': {
          target: 'skipped',
          actions: [
            'closeQuestion',
            {
              type: 'fail',
              params: { code: 'run-ended', reason: 'The run is ending' },
            },
          ],
        },
      },
    },
    rejectionDecision: {
      description: 'Without an approval nothing runs: is the step skipped, or has it failed?',
      always: [{ guard: 'skipsOnReject', target: 'skipped' }, { target: 'failed' }],
    },
    performing: {
      description: 'The work, its checks, and a sub-plan where needed, within the budget of the step.',
      tags: ['running'],
      initial: 'working',
      entry: 'startMeasuring',
      on: {
        'run.windDown': { actions: ['noteEnding', 'windDownCall'] },
        'budget.tick': { actions: ['countTime', 'goOnMeasuring'] },
      },
      after: {
        stepBudget: {
          target: 'failed',
          actions: {
            type: 'fail',
            params: { code: 'step-timeout', reason: 'The step used up its time' },
          },
        },
      },
      exit: 'stopMeasuring',
      states: {
        working: {
          description: 'The agent works on the step; once for every vote, where the plan asks for votes.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            onDone: [
              {
                guard: 'canAskHuman',
                target: '#step.awaitingApproval',
                actions: 'askForAgent',
              },
              {
                guard: 'isQuestionRefused',
                target: 'attemptDecision',
                actions: [
                  { type: 'refuse', params: { what: 'question' } },
                  'keepBlocker',
                ],
              },
              {
                guard: 'isBlocked',
                target: 'attemptDecision',
                actions: 'keepBlocker',
              },
              {
                guard: 'isBallot',
                target: 'voteDecision',
                actions: ['keepBallot', 'announceVote'],
              },
              {
                guard: 'isCallFailed',
                target: '#step.failed',
                actions: 'keepCallFailure',
              },
              { target: 'codeReviewDecision', actions: 'keepWork' },
            ],
            onError: { target: '#step.failed', actions: 'keepCrash' },
          },
        },
        voteDecision: {
          description: 'Is another vote needed, is there a winner, or is the vote lost?',
          always: [
            { guard: 'needsAnotherBallot', target: 'working' },
            {
              guard: 'isVoteLost',
              target: '#step.failed',
              actions: 'keepVoteFailure',
            },
            {
              guard: 'isVoteRefused',
              target: 'attemptDecision',
              actions: [
                'announceDecision',
                'keepNoMajority',
                { type: 'refuse', params: { what: 'vote' } },
              ],
            },
            {
              guard: 'hasNoWinner',
              target: 'attemptDecision',
              actions: ['announceDecision', 'keepNoMajority'],
            },
            {
              target: 'codeReviewDecision',
              actions: ['announceDecision', 'keepWinner'],
            },
          ],
        },
        codeReviewDecision: {
          description: 'Does the supervisor review the work? Partial work is not reviewed.',
          always: [
            { guard: 'isPartial', target: '#step.completed' },
            { guard: 'needsCodeReview', target: 'reviewingCode' },
            { target: 'testDecision' },
          ],
        },
        reviewingCode: {
          description: 'The supervisor reviews the work before it is tested.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            onDone: [
              {
                guard: 'isCodeAccepted',
                target: 'testDecision',
                actions: 'forgetFailure',
              },
              { target: 'attemptDecision', actions: 'keepReviewFailure' },
            ],
            onError: { target: 'attemptDecision', actions: 'keepCrash' },
          },
        },
        testDecision: {
          description: 'Is the work tested, or verified without tests?',
          always: [
            { guard: 'needsTests', target: 'testing' },
            { guard: 'needsVerification', target: 'verifying' },
            { target: '#step.completed' },
          ],
        },
        testing: {
          description: 'One run of the tests, with a fix before it where they have failed. Such a fix cycle has its own budget.',
          initial: 'runningTests',
          after: {
            fixBudget: {
              guard: 'isFixing',
              target: '#step.failed',
              actions: {
                type: 'fail',
                params: { code: 'fix-timeout', reason: 'The fix took too long' },
              },
            },
          },
          states: {
            fixing: {
              description: 'The agent applies the fix plan.',
              entry: 'announceFix',
              invoke: {
                id: 'agentCall',
                src: 'agentCall',
                onDone: [
                  {
                    guard: 'canAskHuman',
                    target: '#step.awaitingApproval',
                    actions: 'askForAgent',
                  },
                  {
                    guard: 'isQuestionRefused',
                    target: '#step.performing.attemptDecision',
                    actions: [
                      { type: 'refuse', params: { what: 'question' } },
                      'keepBlocker',
                    ],
                  },
                  {
                    guard: 'isBlocked',
                    target: '#step.performing.attemptDecision',
                    actions: 'keepBlocker',
                  },
                  {
                    guard: 'isCallFailed',
                    target: '#step.failed',
                    actions: 'keepCallFailure',
                  },
                  { target: 'runningTests', actions: 'keepWork' },
                ],
                onError: { target: '#step.failed', actions: 'keepCrash' },
              },
            },
            runningTests: {
              description: 'The tester runs the tests; failures come with a fix plan.',
              invoke: {
                id: 'agentCall',
                src: 'agentCall',
                onDone: [
                  {
                    guard: 'isCallFailed',
                    target: '#step.performing.attemptDecision',
                    actions: 'keepTestFailure',
                  },
                  {
                    target: '#step.performing.fixDecision',
                    actions: ['announceTests', 'keepTests'],
                  },
                ],
                onError: { target: '#step.failed', actions: 'keepCrash' },
              },
            },
          },
        },
        fixDecision: {
          description: 'Are failed tests fixed, as often as the policy allows?',
          always: [
            {
              guard: 'canFixTests',
              target: 'testing.fixing',
              actions: 'countFix',
            },
            {
              guard: 'isFixRefused',
              target: '#step.failed',
              actions: { type: 'refuse', params: { what: 'fix' } },
            },
            { guard: 'hasFailure', target: '#step.failed' },
            { guard: 'needsVerification', target: 'verifying' },
            { target: '#step.completed' },
          ],
        },
        verifying: {
          description: 'The supervisor confirms that the step is done.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            onDone: [
              { guard: 'isStepAccepted', target: '#step.completed' },
              { target: 'attemptDecision', actions: 'keepReviewFailure' },
            ],
            onError: { target: 'attemptDecision', actions: 'keepCrash' },
          },
          on: {
            'verdict.given': [
              { guard: 'isStepConfirmed', actions: 'keepVerdict' },
              { actions: 'passUp' },
            ],
          },
        },
        attemptDecision: {
          description: 'Is the step attempted again, done by a sub-plan, or failed?',
          always: [
            {
              guard: 'canAttemptAgain',
              target: 'working',
              actions: ['announceRetry', 'countAttempt'],
            },
            { guard: 'canSubplan', target: 'subplanning' },
            {
              guard: 'isSubplanRefused',
              target: '#step.failed',
              actions: { type: 'refuse', params: { what: 'subplan' } },
            },
            { target: '#step.failed' },
          ],
        },
        subplanning: {
          description: 'A sub-plan, one level deeper, does what one agent could not.',
          entry: 'announceSubplan',
          invoke: {
            id: 'subplan',
            src: 'orchestrator',
            onDone: [
              {
                guard: 'isSubplanCompleted',
                target: '#step.completed',
                actions: ['announceSubplanEnd', 'keepSubplan'],
              },
              {
                target: '#step.failed',
                actions: ['announceSubplanEnd', 'keepSubplan'],
              },
            ],
            onError: { target: '#step.failed', actions: 'keepCrash' },
          },
          on: {
            'budget.tick': { actions: 'countTime' },
            'time.isShort': { actions: 'endSubplan' },
            'run.windDown': { actions: 'passToSubplan' },
            'run.hold': { actions: 'passToSubplan' },
            'run.release': { actions: 'passToSubplan' },
          },
        },
      },
    },
    completed: {
      description: 'The work is done and accepted.',
      tags: ['settled'],
      type: 'final',
    },
    failed: {
      description: 'The step could not be done within its bounds.',
      tags: ['settled'],
      type: 'final',
    },
    skipped: {
      description: 'A person, or the end of the run, skipped the step.',
      tags: ['settled'],
      type: 'final',
    },
  },
});
