import type { StepOutcome } from '../../model/step-outcome.js';
import { reviewCall, stepApproval, subplanInput, testCall, workerCall } from './requests.js';
import { stepSetup } from './setup.js';
import { initialStepContext, stepOutcome } from './updates.js';

/**
 * One step of a plan, from its approval to its end.
 *
 * It decides which stages the work of one agent goes through (approval, code review, tests and fixes, verification),
 * how often it is attempted, and when a sub-plan takes over. It does not decide about other steps: it ends with an
 * outcome, and the orchestrator that started it settles the step by that. Stages that the policy turns off are not
 * entered.
 *
 * Verdicts on the work go up to the escalation ladder of the run. A verdict that confirms the step goes there with the
 * outcome, so that the step is settled even if that verdict ends the run.
 */
export const stepMachine = stepSetup.createMachine({
  id: 'step',
  description: 'One step of a plan: approval, work, review, tests, fixes, verification, sub-plan.',
  options: { maxIterations: 100 },
  context: ({ input }) => initialStepContext(input),
  initial: 'approvalDecision',
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
        { guard: 'needsApproval', target: 'awaitingApproval', actions: 'askBeforehand' },
        { target: 'performing' },
      ],
    },
    awaitingApproval: {
      description: 'A person decides whether, or how, the step continues.',
      invoke: {
        id: 'approval',
        src: 'approval',
        input: ({ context }) => stepApproval(context),
        onDone: [
          { guard: 'isGranted', target: 'performing', actions: 'keepAnswer' },
          { target: 'rejectionDecision', actions: 'keepRejection' },
        ],
        onError: { target: 'failed', actions: 'keepCrash' },
      },
      on: {
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
    },
    rejectionDecision: {
      description: 'Without an approval nothing runs: is the step skipped, or has it failed?',
      always: [{ guard: 'skipsOnReject', target: 'skipped' }, { target: 'failed' }],
    },
    performing: {
      description:
        'The work, its checks, and a sub-plan where needed, within the budget of the step.',
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
              {
                guard: 'isQuestionRefused',
                target: 'attemptDecision',
                actions: [{ type: 'refuse', params: { what: 'question' } }, 'keepBlocker'],
              },
              { guard: 'isBlocked', target: 'attemptDecision', actions: 'keepBlocker' },
              {
                guard: 'isBallot',
                target: 'voteDecision',
                actions: ['keepBallot', 'announceVote'],
              },
              { guard: 'isCallFailed', target: '#step.failed', actions: 'keepCallFailure' },
              { target: 'codeReviewDecision', actions: 'keepWork' },
            ],
            onError: { target: '#step.failed', actions: 'keepCrash' },
          },
        },
        voteDecision: {
          description: 'Is another vote needed, is there a winner, or is the vote lost?',
          always: [
            { guard: 'needsAnotherBallot', target: 'working' },
            { guard: 'isVoteLost', target: '#step.failed', actions: 'keepVoteFailure' },
            {
              guard: 'hasNoWinner',
              target: 'attemptDecision',
              actions: ['announceDecision', 'keepNoMajority'],
            },
            { target: 'codeReviewDecision', actions: ['announceDecision', 'keepWinner'] },
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
            input: ({ context }) => reviewCall(context, 'code'),
            onDone: [
              { guard: 'isCodeAccepted', target: 'testDecision', actions: 'forgetFailure' },
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
                    guard: 'isQuestionRefused',
                    target: '#step.performing.attemptDecision',
                    actions: [{ type: 'refuse', params: { what: 'question' } }, 'keepBlocker'],
                  },
                  {
                    guard: 'isBlocked',
                    target: '#step.performing.attemptDecision',
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
            { guard: 'canFixTests', target: 'testing.fixing', actions: 'countFix' },
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
            input: ({ context }) => reviewCall(context, 'step'),
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
              guard: 'isVoteRefused',
              target: '#step.failed',
              actions: { type: 'refuse', params: { what: 'vote' } },
            },
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
      output: ({ context }) => stepOutcome(context, 'completed'),
    },
    failed: {
      description: 'The step could not be done within its bounds.',
      tags: ['settled'],
      type: 'final',
      output: ({ context }) => stepOutcome(context, 'failed'),
    },
    skipped: {
      description: 'A person, or the end of the run, skipped the step.',
      tags: ['settled'],
      type: 'final',
      output: ({ context }) => stepOutcome(context, 'skipped'),
    },
  },
});

/** The event that a machine's output is computed from: it carries the output of the final state. */
interface FinalEvent {
  readonly output: StepOutcome;
}
