import type { StepOutcome } from '../../model/step-outcome.js';
import { resultOf } from '../event-output.js';
import { stepSetup } from './setup.js';
import {
  completedOutcome,
  initialStepContext,
  reviewCall,
  stepOutcome,
  subplanInput,
  testCall,
  workerCall,
} from './updates.js';

/**
 * One step of a plan, from its approval to its end.
 *
 * It decides which stages the work of one agent goes through (approval, code review, tests and fixes, verification),
 * how often it is attempted, and when a sub-plan takes over. It never decides what happens to other steps: it ends
 * with an outcome, and the orchestrator that started it settles the step by that. Stages that the policy turns off
 * are not entered.
 */
export const stepMachine = stepSetup.createMachine({
  id: 'step',
  description: 'One step of a plan: approval, work, review, tests, fixes, verification, sub-plan.',
  options: { maxIterations: 100 },
  context: ({ input }) => initialStepContext(input),
  initial: 'admitting',
  output: ({ event }) => (event as unknown as FinalEvent).output,
  on: {
    'step.skip': {
      target: '.skipped',
      actions: {
        type: 'fail',
        params: ({ event }) => ({ code: 'skipped', reason: event.reason }),
      },
    },
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
        { guard: 'needsApproval', target: 'awaitingApproval', actions: 'askBeforehand' },
        { target: 'performing' },
      ],
    },
    awaitingApproval: {
      description:
        'A person decides whether, or how, the step goes on. No answer in time is an answer.',
      tags: ['waiting-for-human'],
      entry: ['announceQuestion', 'reportQuestion'],
      on: {
        'approval.grant': {
          guard: 'isAnswerToOwnQuestion',
          target: 'performing',
          actions: [
            { type: 'announceGrant', params: ({ event }) => ({ answer: event.answer }) },
            { type: 'keepAnswer', params: ({ event }) => ({ answer: event.answer }) },
          ],
        },
        'approval.reject': {
          guard: 'isAnswerToOwnQuestion',
          target: 'judgingRejection',
          actions: [
            { type: 'announceRejection', params: ({ event }) => ({ reason: event.reason }) },
            { type: 'fail', params: ({ event }) => ({ code: 'rejected', reason: event.reason }) },
          ],
        },
        'step.skip': {
          target: 'skipped',
          actions: [
            'closeQuestion',
            {
              type: 'fail',
              params: ({ event }) => ({ code: 'skipped', reason: event.reason }),
            },
          ],
        },
        'run.windDown': {
          target: 'skipped',
          actions: [
            'closeQuestion',
            { type: 'fail', params: { code: 'run-ended', reason: 'The run is ending' } },
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
              { type: 'keepAnswer', params: { answer: 'Approved: nobody answered in time' } },
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
      description:
        'The work, everything that checks it, and a sub-plan if need be, within the budget of the step.',
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
          description:
            'The agent works on the step; once for every vote, where the plan asks for votes.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            input: ({ context }) => workerCall(context),
            onDone: [
              { guard: 'canAskHuman', target: '#step.awaitingApproval', actions: 'askForAgent' },
              { guard: 'isBlocked', target: 'judgingAttempt', actions: 'keepBlocker' },
              {
                guard: 'isBallot',
                target: 'countingVotes',
                actions: ['keepBallot', 'announceVote'],
              },
              { guard: 'isCallFailed', target: '#step.failed', actions: 'keepCallFailure' },
              { guard: 'isPartial', target: '#step.completed' },
              { guard: 'needsCodeReview', target: 'reviewingCode', actions: 'keepWork' },
              { guard: 'needsTests', target: 'testing', actions: 'keepWork' },
              { guard: 'needsVerification', target: 'verifying', actions: 'keepWork' },
              { target: '#step.completed' },
            ],
            onError: { target: '#step.failed', actions: 'keepCrash' },
          },
        },
        countingVotes: {
          description: 'Another vote while the outcome is open; then the winner is the work.',
          always: [
            { guard: 'needsAnotherBallot', target: 'working' },
            { guard: 'isVoteLost', target: '#step.failed', actions: 'keepVoteFailure' },
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
            { target: 'checkingTests', actions: ['announceDecision', 'keepWinner'] },
          ],
        },
        reviewingCode: {
          description: 'The supervisor looks at the work before it is tested.',
          invoke: {
            id: 'agentCall',
            src: 'agentCall',
            input: ({ context }) => reviewCall(context, 'code'),
            onDone: [
              { guard: 'isCallFailed', target: 'judgingAttempt', actions: 'keepReviewFailure' },
              {
                guard: 'isCodeAccepted',
                target: 'awaitingOversight',
                actions: [{ type: 'giveVerdict', params: { subject: 'code' } }, 'forgetFailure'],
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
          description:
            'One run of the tests, with a fix before it where they have failed. Such a fix cycle has its own budget.',
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
                input: ({ context }) => workerCall(context),
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
                  { guard: 'isCallFailed', target: '#step.failed', actions: 'keepCallFailure' },
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
                input: ({ context }) => testCall(context),
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
            input: ({ context }) => reviewCall(context, 'step'),
            onDone: [
              { guard: 'isCallFailed', target: 'judgingAttempt', actions: 'keepReviewFailure' },
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
            input: ({ context }) => subplanInput(context),
            onDone: [
              {
                guard: 'isSubplanCompleted',
                target: '#step.completed',
                actions: ['announceSubplanEnd', 'keepSubplan'],
              },
              { target: '#step.failed', actions: ['announceSubplanEnd', 'keepSubplan'] },
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
      output: ({ context, event }) => completedOutcome(context, resultOf(event)),
    },
    failed: {
      description: 'It could not be done within its bounds.',
      tags: ['settled'],
      type: 'final',
      output: ({ context }) => stepOutcome(context, 'failed'),
    },
    skipped: {
      description: 'A person, or the end of the run, took it off the plan.',
      tags: ['settled'],
      type: 'final',
      output: ({ context }) => stepOutcome(context, 'skipped'),
    },
  },
});

/** The event a machine's output is made from: it carries the output of the final state. */
interface FinalEvent {
  readonly output: StepOutcome;
}
