// The chart 'step', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
//
// To step through it, send events: `createActor(machine).start()`, or click them in a tool. Actions do nothing, and
// nothing happens by itself. An event `choose.*` gives the outcome that code gives in a run:
// - `choose.<guard>` answers a guard with yes. A state that only decides waits for it; `choose.otherwise` answers all
//   of its guards with no. Before another event, choose first. A choice is used up by the transition that it decides.
// - `choose.done.actor.<id>` and `choose.error.actor.<id>` end an actor.
// - `choose.after.<delay>.<state>` lets the time pass.
import { assign, fromPromise, raise, setup } from 'xstate';

const isChosen = (guard = '') => ({ context: { chosen = '' } = {} } = {}, params = {}) =>
  chosen === [guard, ...Object.values(params)].join('.');

export const stepMachine = setup({
  guards: {
    canAskHuman: isChosen('canAskHuman'),
    canAttemptAgain: isChosen('canAttemptAgain'),
    canFixTests: isChosen('canFixTests'),
    canSubplan: isChosen('canSubplan'),
    hasFailure: isChosen('hasFailure'),
    hasNoWinner: isChosen('hasNoWinner'),
    isBallot: isChosen('isBallot'),
    isBlocked: isChosen('isBlocked'),
    isCallFailed: isChosen('isCallFailed'),
    isCodeAccepted: isChosen('isCodeAccepted'),
    isFixRefused: isChosen('isFixRefused'),
    isFixing: isChosen('isFixing'),
    isForChild: isChosen('isForChild'),
    isGranted: isChosen('isGranted'),
    isPartial: isChosen('isPartial'),
    isQuestionRefused: isChosen('isQuestionRefused'),
    isStepAccepted: isChosen('isStepAccepted'),
    isStepConfirmed: isChosen('isStepConfirmed'),
    isSubplanCompleted: isChosen('isSubplanCompleted'),
    isSubplanRefused: isChosen('isSubplanRefused'),
    isVoteLost: isChosen('isVoteLost'),
    isVoteRefused: isChosen('isVoteRefused'),
    needsAnotherBallot: isChosen('needsAnotherBallot'),
    needsApproval: isChosen('needsApproval'),
    needsCodeReview: isChosen('needsCodeReview'),
    needsTests: isChosen('needsTests'),
    needsVerification: isChosen('needsVerification'),
    otherwise: isChosen('otherwise'),
    skipsOnReject: isChosen('skipsOnReject'),
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
    choose: assign({ chosen: ({ event }) => event.type.replace('choose.', '') }),
    closeQuestion: () => {},
    countAttempt: () => {},
    countFix: () => {},
    countTime: () => {},
    endSubplan: () => {},
    fail: () => {},
    forget: assign({ chosen: null }),
    forgetFailure: () => {},
    goOnMeasuring: () => {},
    happen: raise(({ event }) => ({ type: event.type.replace('choose.', 'xstate.') })),
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
    fixBudget: 2000000000,
    stepBudget: 2000000000,
  },
}).createMachine({
  id: 'step',
  description: 'One step of a plan: approval, work, review, tests, fixes, verification, sub-plan.',
  options: { maxIterations: 100 },
  context: { chosen: null },
  initial: 'approvalDecision',
  on: {
    'step.skip': { target: '.skipped', actions: { type: 'fail' } },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
    'approval.grant': { guard: 'isForChild', actions: ['passDown', 'forget'] },
    'approval.reject': { guard: 'isForChild', actions: ['passDown', 'forget'] },
    'permit.granted': { actions: 'passDown' },
    'permit.refused': { actions: 'passDown' },
    'permit.requested': { actions: 'passUp' },
    'call.settled': { actions: 'passUp' },
    'verdict.given': { actions: 'passUp' },
    'bound.reached': { actions: 'passUp' },
    'approval.requested': { actions: 'passUp' },
    'approval.closed': { actions: 'passUp' },
    'choose.isForChild': { actions: 'choose' },
  },
  states: {
    approvalDecision: {
      description: 'Does a person have to agree first?',
      on: {
        'choose.needsApproval': { actions: 'choose' },
        'choose.otherwise': { actions: 'choose' },
      },
      always: [
        {
          guard: 'needsApproval',
          target: 'awaitingApproval',
          actions: ['askBeforehand', 'forget'],
        },
        { guard: 'otherwise', target: 'performing', actions: ['forget'] },
      ],
    },
    awaitingApproval: {
      description: 'A person decides whether, or how, the step continues.',
      invoke: {
        id: 'approval',
        src: 'approval',
        onDone: [
          {
            guard: 'isGranted',
            target: 'performing',
            actions: ['keepAnswer', 'forget'],
          },
          { target: 'rejectionDecision', actions: ['keepRejection', 'forget'] },
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
        'choose.done.actor.approval': { actions: 'happen' },
        'choose.error.actor.approval': { actions: 'happen' },
        'choose.isGranted': { actions: 'choose' },
      },
    },
    rejectionDecision: {
      description: 'Without an approval nothing runs: is the step skipped, or has it failed?',
      on: {
        'choose.skipsOnReject': { actions: 'choose' },
        'choose.otherwise': { actions: 'choose' },
      },
      always: [
        { guard: 'skipsOnReject', target: 'skipped', actions: ['forget'] },
        { guard: 'otherwise', target: 'failed', actions: ['forget'] },
      ],
    },
    performing: {
      description: 'The work, its checks, and a sub-plan where needed, within the budget of the step.',
      tags: ['running'],
      initial: 'working',
      entry: 'startMeasuring',
      on: {
        'run.windDown': { actions: ['noteEnding', 'windDownCall'] },
        'budget.tick': { actions: ['countTime', 'goOnMeasuring'] },
        'choose.after.stepBudget.step.performing': { actions: 'happen' },
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
                actions: ['askForAgent', 'forget'],
              },
              {
                guard: 'isQuestionRefused',
                target: 'attemptDecision',
                actions: [
                  { type: 'refuse', params: { what: 'question' } },
                  'keepBlocker',
                  'forget',
                ],
              },
              {
                guard: 'isBlocked',
                target: 'attemptDecision',
                actions: ['keepBlocker', 'forget'],
              },
              {
                guard: 'isBallot',
                target: 'voteDecision',
                actions: ['keepBallot', 'announceVote', 'forget'],
              },
              {
                guard: 'isCallFailed',
                target: '#step.failed',
                actions: ['keepCallFailure', 'forget'],
              },
              { target: 'codeReviewDecision', actions: ['keepWork', 'forget'] },
            ],
            onError: { target: '#step.failed', actions: 'keepCrash' },
          },
          on: {
            'choose.done.actor.agentCall': { actions: 'happen' },
            'choose.error.actor.agentCall': { actions: 'happen' },
            'choose.canAskHuman': { actions: 'choose' },
            'choose.isQuestionRefused': { actions: 'choose' },
            'choose.isBlocked': { actions: 'choose' },
            'choose.isBallot': { actions: 'choose' },
            'choose.isCallFailed': { actions: 'choose' },
          },
        },
        voteDecision: {
          description: 'Is another vote needed, is there a winner, or is the vote lost?',
          on: {
            'choose.needsAnotherBallot': { actions: 'choose' },
            'choose.isVoteLost': { actions: 'choose' },
            'choose.hasNoWinner': { actions: 'choose' },
            'choose.otherwise': { actions: 'choose' },
          },
          always: [
            {
              guard: 'needsAnotherBallot',
              target: 'working',
              actions: ['forget'],
            },
            {
              guard: 'isVoteLost',
              target: '#step.failed',
              actions: ['keepVoteFailure', 'forget'],
            },
            {
              guard: 'hasNoWinner',
              target: 'attemptDecision',
              actions: ['announceDecision', 'keepNoMajority', 'forget'],
            },
            {
              guard: 'otherwise',
              target: 'codeReviewDecision',
              actions: ['announceDecision', 'keepWinner', 'forget'],
            },
          ],
        },
        codeReviewDecision: {
          description: 'Does the supervisor review the work? Partial work is not reviewed.',
          on: {
            'choose.isPartial': { actions: 'choose' },
            'choose.needsCodeReview': { actions: 'choose' },
            'choose.otherwise': { actions: 'choose' },
          },
          always: [
            {
              guard: 'isPartial',
              target: '#step.completed',
              actions: ['forget'],
            },
            {
              guard: 'needsCodeReview',
              target: 'reviewingCode',
              actions: ['forget'],
            },
            { guard: 'otherwise', target: 'testDecision', actions: ['forget'] },
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
                actions: ['forgetFailure', 'forget'],
              },
              {
                target: 'attemptDecision',
                actions: ['keepReviewFailure', 'forget'],
              },
            ],
            onError: { target: 'attemptDecision', actions: 'keepCrash' },
          },
          on: {
            'choose.done.actor.agentCall': { actions: 'happen' },
            'choose.error.actor.agentCall': { actions: 'happen' },
            'choose.isCodeAccepted': { actions: 'choose' },
          },
        },
        testDecision: {
          description: 'Is the work tested, or verified without tests?',
          on: {
            'choose.needsTests': { actions: 'choose' },
            'choose.needsVerification': { actions: 'choose' },
            'choose.otherwise': { actions: 'choose' },
          },
          always: [
            { guard: 'needsTests', target: 'testing', actions: ['forget'] },
            {
              guard: 'needsVerification',
              target: 'verifying',
              actions: ['forget'],
            },
            {
              guard: 'otherwise',
              target: '#step.completed',
              actions: ['forget'],
            },
          ],
        },
        testing: {
          description: 'One run of the tests, with a fix before it where they have failed. Such a fix cycle has its own budget.',
          initial: 'runningTests',
          on: {
            'choose.after.fixBudget.step.performing.testing': { actions: 'happen' },
            'choose.isFixing': { actions: 'choose' },
          },
          after: {
            fixBudget: {
              guard: 'isFixing',
              target: '#step.failed',
              actions: [
                {
                  type: 'fail',
                  params: { code: 'fix-timeout', reason: 'The fix took too long' },
                },
                'forget',
              ],
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
                    actions: ['askForAgent', 'forget'],
                  },
                  {
                    guard: 'isQuestionRefused',
                    target: '#step.performing.attemptDecision',
                    actions: [
                      { type: 'refuse', params: { what: 'question' } },
                      'keepBlocker',
                      'forget',
                    ],
                  },
                  {
                    guard: 'isBlocked',
                    target: '#step.performing.attemptDecision',
                    actions: ['keepBlocker', 'forget'],
                  },
                  {
                    guard: 'isCallFailed',
                    target: '#step.failed',
                    actions: ['keepCallFailure', 'forget'],
                  },
                  { target: 'runningTests', actions: ['keepWork', 'forget'] },
                ],
                onError: { target: '#step.failed', actions: 'keepCrash' },
              },
              on: {
                'choose.done.actor.agentCall': { actions: 'happen' },
                'choose.error.actor.agentCall': { actions: 'happen' },
                'choose.canAskHuman': { actions: 'choose' },
                'choose.isQuestionRefused': { actions: 'choose' },
                'choose.isBlocked': { actions: 'choose' },
                'choose.isCallFailed': { actions: 'choose' },
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
                    actions: ['keepTestFailure', 'forget'],
                  },
                  {
                    target: '#step.performing.fixDecision',
                    actions: ['announceTests', 'keepTests', 'forget'],
                  },
                ],
                onError: { target: '#step.failed', actions: 'keepCrash' },
              },
              on: {
                'choose.done.actor.agentCall': { actions: 'happen' },
                'choose.error.actor.agentCall': { actions: 'happen' },
                'choose.isCallFailed': { actions: 'choose' },
              },
            },
          },
        },
        fixDecision: {
          description: 'Are failed tests fixed, as often as the policy allows?',
          on: {
            'choose.canFixTests': { actions: 'choose' },
            'choose.isFixRefused': { actions: 'choose' },
            'choose.hasFailure': { actions: 'choose' },
            'choose.needsVerification': { actions: 'choose' },
            'choose.otherwise': { actions: 'choose' },
          },
          always: [
            {
              guard: 'canFixTests',
              target: 'testing.fixing',
              actions: ['countFix', 'forget'],
            },
            {
              guard: 'isFixRefused',
              target: '#step.failed',
              actions: [{ type: 'refuse', params: { what: 'fix' } }, 'forget'],
            },
            { guard: 'hasFailure', target: '#step.failed', actions: ['forget'] },
            {
              guard: 'needsVerification',
              target: 'verifying',
              actions: ['forget'],
            },
            {
              guard: 'otherwise',
              target: '#step.completed',
              actions: ['forget'],
            },
          ],
        },
        verifying: {
          description: 'The supervisor confirms that the step is done.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            onDone: [
              {
                guard: 'isStepAccepted',
                target: '#step.completed',
                actions: ['forget'],
              },
              {
                target: 'attemptDecision',
                actions: ['keepReviewFailure', 'forget'],
              },
            ],
            onError: { target: 'attemptDecision', actions: 'keepCrash' },
          },
          on: {
            'verdict.given': [
              { guard: 'isStepConfirmed', actions: ['keepVerdict', 'forget'] },
              { actions: ['passUp', 'forget'] },
            ],
            'choose.done.actor.agentCall': { actions: 'happen' },
            'choose.error.actor.agentCall': { actions: 'happen' },
            'choose.isStepConfirmed': { actions: 'choose' },
            'choose.isStepAccepted': { actions: 'choose' },
          },
        },
        attemptDecision: {
          description: 'Is the step attempted again, done by a sub-plan, or failed?',
          on: {
            'choose.canAttemptAgain': { actions: 'choose' },
            'choose.canSubplan': { actions: 'choose' },
            'choose.isVoteRefused': { actions: 'choose' },
            'choose.isSubplanRefused': { actions: 'choose' },
            'choose.otherwise': { actions: 'choose' },
          },
          always: [
            {
              guard: 'canAttemptAgain',
              target: 'working',
              actions: ['announceRetry', 'countAttempt', 'forget'],
            },
            { guard: 'canSubplan', target: 'subplanning', actions: ['forget'] },
            {
              guard: 'isVoteRefused',
              target: '#step.failed',
              actions: [{ type: 'refuse', params: { what: 'vote' } }, 'forget'],
            },
            {
              guard: 'isSubplanRefused',
              target: '#step.failed',
              actions: [{ type: 'refuse', params: { what: 'subplan' } }, 'forget'],
            },
            { guard: 'otherwise', target: '#step.failed', actions: ['forget'] },
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
                actions: ['announceSubplanEnd', 'keepSubplan', 'forget'],
              },
              {
                target: '#step.failed',
                actions: ['announceSubplanEnd', 'keepSubplan', 'forget'],
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
            'choose.done.actor.subplan': { actions: 'happen' },
            'choose.error.actor.subplan': { actions: 'happen' },
            'choose.isSubplanCompleted': { actions: 'choose' },
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
