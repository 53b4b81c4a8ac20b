// The chart 'step', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.
import { fromPromise, setup } from 'xstate';

export const stepMachine = setup({
  guards: {
    approvesOnTimeout: () => false,
    areTestsPassing: () => false,
    areTestsPassingAndUnverified: () => false,
    canAskHuman: () => false,
    canAttemptAgain: () => false,
    canFix: () => false,
    canSubplan: () => false,
    hasFailure: () => false,
    hasNoWinner: () => false,
    isAnswerToOwnQuestion: () => false,
    isBallot: () => false,
    isBlocked: () => false,
    isCallFailed: () => false,
    isCodeAccepted: () => false,
    isFixing: () => false,
    isForChild: () => false,
    isPartial: () => false,
    isStepAccepted: () => false,
    isSubplanCompleted: () => false,
    isVoteLost: () => false,
    needsAnotherBallot: () => false,
    needsApproval: () => false,
    needsCodeReview: () => false,
    needsTests: () => false,
    needsVerification: () => false,
    skipsOnReject: () => false,
  },
  actions: {
    announceDecision: () => {},
    announceExpiry: () => {},
    announceFix: () => {},
    announceGrant: () => {},
    announceQuestion: () => {},
    announceRejection: () => {},
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
    giveVerdict: () => {},
    goOnMeasuring: () => {},
    keepAnswer: () => {},
    keepBallot: () => {},
    keepBlocker: () => {},
    keepCallFailure: () => {},
    keepCrash: () => {},
    keepNoMajority: () => {},
    keepReviewFailure: () => {},
    keepSubplan: () => {},
    keepTestFailure: () => {},
    keepTests: () => {},
    keepVoteFailure: () => {},
    keepWinner: () => {},
    keepWork: () => {},
    noteEnding: () => {},
    notePause: () => {},
    passDown: () => {},
    passToSubplan: () => {},
    passUp: () => {},
    reportQuestion: () => {},
    startMeasuring: () => {},
    stopMeasuring: () => {},
    windDownCall: () => {},
  },
  actors: {
    agentCall: fromPromise(() => new Promise(() => {})),
    orchestrator: fromPromise(() => new Promise(() => {})),
  },
  delays: {
    approvalTimeout: 1000,
    fixBudget: 1000,
    stepBudget: 1000,
  },
}).createMachine({
  id: 'step',
  description: 'One step of a plan: approval, work, review, tests, fixes, verification, sub-plan.',
  options: { maxIterations: 100 },
  initial: 'admitting',
  on: {
    'step.skip': { target: '.skipped', actions: { type: 'fail' } },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
    'approval.grant': { guard: 'isForChild', actions: 'passDown' },
    'approval.reject': { guard: 'isForChild', actions: 'passDown' },
    'verdict.noted': { guard: 'isForChild', actions: 'passDown' },
    'permit.granted': { actions: 'passDown' },
    'permit.refused': { actions: 'passDown' },
    'permit.requested': { actions: 'passUp' },
    'call.settled': { actions: 'passUp' },
    'verdict.given': { actions: 'passUp' },
    'approval.requested': { actions: 'passUp' },
    'approval.closed': { actions: 'passUp' },
  },
  states: {
    admitting: {
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
      description: 'A person decides whether, or how, the step goes on. No answer in time is an answer.',
      tags: ['waiting-for-human'],
      entry: ['announceQuestion', 'reportQuestion'],
      on: {
        'approval.grant': {
          guard: 'isAnswerToOwnQuestion',
          target: 'performing',
          actions: [{ type: 'announceGrant' }, { type: 'keepAnswer' }],
        },
        'approval.reject': {
          guard: 'isAnswerToOwnQuestion',
          target: 'judgingRejection',
          actions: [{ type: 'announceRejection' }, { type: 'fail' }],
        },
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
      after: {
        approvalTimeout: [
          {
            guard: 'approvesOnTimeout',
            target: 'performing',
            actions: [
              'announceExpiry',
              'closeQuestion',
              {
                type: 'keepAnswer',
                params: { answer: 'Approved: nobody answered in time' },
              },
            ],
          },
          {
            target: 'judgingRejection',
            actions: [
              'announceExpiry',
              'closeQuestion',
              {
                type: 'fail',
                params: { code: 'approval-expired', reason: 'Nobody answered in time' },
              },
            ],
          },
        ],
      },
    },
    judgingRejection: {
      description: 'Without consent nothing runs: the step is skipped or has failed.',
      always: [{ guard: 'skipsOnReject', target: 'skipped' }, { target: 'failed' }],
    },
    performing: {
      description: 'The work, everything that checks it, and a sub-plan if need be, within the budget of the step.',
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
                guard: 'isBlocked',
                target: 'judgingAttempt',
                actions: 'keepBlocker',
              },
              {
                guard: 'isBallot',
                target: 'countingVotes',
                actions: ['keepBallot', 'announceVote'],
              },
              {
                guard: 'isCallFailed',
                target: '#step.failed',
                actions: 'keepCallFailure',
              },
              { guard: 'isPartial', target: '#step.completed' },
              {
                guard: 'needsCodeReview',
                target: 'reviewingCode',
                actions: 'keepWork',
              },
              { guard: 'needsTests', target: 'testing', actions: 'keepWork' },
              {
                guard: 'needsVerification',
                target: 'verifying',
                actions: 'keepWork',
              },
              { target: '#step.completed' },
            ],
            onError: { target: '#step.failed', actions: 'keepCrash' },
          },
        },
        countingVotes: {
          description: 'Another vote while the outcome is open; then the winner is the work.',
          always: [
            { guard: 'needsAnotherBallot', target: 'working' },
            {
              guard: 'isVoteLost',
              target: '#step.failed',
              actions: 'keepVoteFailure',
            },
            {
              guard: 'hasNoWinner',
              target: 'judgingAttempt',
              actions: ['announceDecision', 'keepNoMajority'],
            },
            {
              guard: 'needsCodeReview',
              target: 'reviewingCode',
              actions: ['announceDecision', 'keepWinner'],
            },
            {
              target: 'checkingTests',
              actions: ['announceDecision', 'keepWinner'],
            },
          ],
        },
        reviewingCode: {
          description: 'The supervisor looks at the work before it is tested.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            onDone: [
              {
                guard: 'isCallFailed',
                target: 'judgingAttempt',
                actions: 'keepReviewFailure',
              },
              {
                guard: 'isCodeAccepted',
                target: 'awaitingOversight',
                actions: [
                  { type: 'giveVerdict', params: { subject: 'code' } },
                  'forgetFailure',
                ],
              },
              {
                target: 'awaitingOversight',
                actions: [
                  { type: 'giveVerdict', params: { subject: 'code' } },
                  'keepReviewFailure',
                ],
              },
            ],
            onError: { target: 'judgingAttempt', actions: 'keepCrash' },
          },
        },
        awaitingOversight: {
          description: 'The verdict is with the ladder of the run, which may end it here.',
          on: {
            'run.windDown': { actions: 'noteEnding' },
            'verdict.noted': [
              { guard: 'hasFailure', target: 'judgingAttempt' },
              { target: 'checkingTests' },
            ],
          },
        },
        checkingTests: {
          description: 'Which stage comes after the vote and the code review?',
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
                    guard: 'isBlocked',
                    target: '#step.performing.judgingAttempt',
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
                    target: '#step.performing.judgingAttempt',
                    actions: 'keepTestFailure',
                  },
                  {
                    target: '#step.performing.judgingTests',
                    actions: ['announceTests', 'keepTests'],
                  },
                ],
                onError: { target: '#step.failed', actions: 'keepCrash' },
              },
            },
          },
        },
        judgingTests: {
          description: 'Tests that fail are fixed, as often as the policy allows.',
          always: [
            { guard: 'areTestsPassingAndUnverified', target: 'verifying' },
            { guard: 'areTestsPassing', target: '#step.completed' },
            { guard: 'canFix', target: 'testing.fixing', actions: 'countFix' },
            { target: '#step.failed' },
          ],
        },
        verifying: {
          description: 'The supervisor confirms that the step is done.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            onDone: [
              {
                guard: 'isCallFailed',
                target: 'judgingAttempt',
                actions: 'keepReviewFailure',
              },
              {
                guard: 'isStepAccepted',
                target: 'confirming',
                actions: { type: 'giveVerdict', params: { subject: 'step' } },
              },
              {
                target: 'awaitingOversight',
                actions: [
                  { type: 'giveVerdict', params: { subject: 'step' } },
                  'keepReviewFailure',
                ],
              },
            ],
            onError: { target: 'judgingAttempt', actions: 'keepCrash' },
          },
        },
        confirming: {
          description: 'The last verdict is with the ladder of the run; then the step is done.',
          on: {
            'run.windDown': { actions: 'noteEnding' },
            'verdict.noted': { target: '#step.completed' },
          },
        },
        judgingAttempt: {
          description: 'Again, by a sub-plan, or not at all.',
          always: [
            {
              guard: 'canAttemptAgain',
              target: 'working',
              actions: ['announceRetry', 'countAttempt'],
            },
            { guard: 'canSubplan', target: 'subplanning' },
            { target: '#step.failed' },
          ],
        },
        subplanning: {
          description: 'A plan of its own does what one agent could not, one level deeper.',
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
      description: 'It could not be done within its bounds.',
      tags: ['settled'],
      type: 'final',
    },
    skipped: {
      description: 'A person, or the end of the run, took it off the plan.',
      tags: ['settled'],
      type: 'final',
    },
  },
});
