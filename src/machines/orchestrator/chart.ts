import { planToCheck, plannerCall, reviewCall, summaryCall } from './requests.js';
import { orchestratorSetup } from './setup.js';
import { initialContext, runOutcome, settingsIn } from './updates.js';
import type { Settings } from '../../model/settings.js';

/**
 * One goal, from the first plan to the report; or one sub-plan, a level deeper.
 *
 * It decides when the planner is asked, which steps run, when a person or the supervisor must agree, and how the run
 * ends. It never works itself: steps do, in a bounded number of slots. Three regions run side by side: the work, the
 * supervisor's escalation ladder, and the clock; each of the last two can end the first. Whatever ends the run, the
 * work so far is kept.
 *
 * Without settings of its own it takes those of its input.
 */
export const createOrchestratorMachine = (settings?: Settings) =>
  orchestratorSetup.createMachine({
    id: 'orchestrator',
    description: 'Plans, executes, replans and verifies one goal within the bounds of a policy.',
    options: { maxIterations: 1000 },
    context: ({ input }) => initialContext(settings ?? settingsIn(input), input),
    initial: 'active',
    output: ({ context }) => runOutcome(context),
    on: {
      'xstate.done.actor.*': { actions: 'settleStep' },
      'xstate.error.actor.*': { actions: 'settleStep' },
      'permit.requested': [
        { guard: 'isNested', actions: 'passUp' },
        {
          guard: 'isOutOfBudget',
          target: '.windingDown',
          actions: ['endWithBudget', 'refusePermit'],
        },
        // A call is paid for when it is asked for, whether or not a breaker lets it through.
        { guard: 'hasBreaker', actions: ['countCall', 'askBreaker'] },
        { actions: ['countCall', 'grantPermit'] },
      ],
      'verdict.noted': { actions: 'passDown' },
      'permit.granted': { actions: 'passDown' },
      'permit.refused': { actions: 'passDown' },
      'call.settled': [{ guard: 'isNested', actions: 'passUp' }, { actions: 'countUsage' }],
      // At once, whatever goes on: what killed so many processes would be called again while it winds down.
      'run.recovered': [
        {
          guard: 'areRecoveriesUsedUp',
          target: '.ending',
          actions: ['noteRecovery', { type: 'endFailed', params: { reason: 'max-recoveries' } }],
        },
        { actions: 'noteRecovery' },
      ],
      'run.upgraded': { actions: 'announceUpgrade' },
      'approval.requested': { actions: 'openQuestion' },
      'approval.closed': { actions: 'closeQuestion' },
      'approval.grant': { actions: 'refuseCommand' },
      'approval.reject': { actions: 'refuseCommand' },
      'plan.skip': { actions: 'refuseCommand' },
      'plan.skipTo': { actions: 'refuseCommand' },
      'conversation.say': { actions: 'refuseCommand' },
      'run.pause': { actions: 'refuseCommand' },
      'run.resume': { actions: 'refuseCommand' },
      'time.extend': { actions: 'refuseCommand' },
      'run.abort': { actions: 'refuseCommand' },
    },
    states: {
      active: {
        description: 'The run is on: work, oversight and clock side by side.',
        type: 'parallel',
        entry: ['announceStart', 'startBreakers'],
        // A command that nothing here accepts is refused further up.
        on: {
          'xstate.done.actor.*': {
            guard: 'endsByRejection',
            target: 'windingDown',
            actions: ['endRejected', 'settleStep'],
          },
          // On its way down an answer closes the question at every level that passed it up.
          'approval.grant': [
            { guard: 'isForChild', actions: 'answerQuestion' },
            { guard: 'isQuestionOpen', actions: 'answerQuestion' },
          ],
          'approval.reject': [
            { guard: 'isForChild', actions: 'answerQuestion' },
            { guard: 'isQuestionOpen', actions: 'answerQuestion' },
          ],
          'plan.skip': { guard: 'isAccepted', actions: 'skipSteps' },
          'plan.skipTo': { guard: 'isAccepted', actions: 'skipSteps' },
          'conversation.say': { guard: 'isAccepted', actions: 'hear' },
          'run.pause': {
            guard: 'isAccepted',
            actions: { type: 'pause', params: { reason: 'Paused by a person' } },
          },
          'run.resume': { guard: 'isAccepted', actions: 'resume' },
          'run.hold': { actions: 'holdSteps' },
          'run.release': { actions: 'releaseSteps' },
          'time.extend': { guard: 'isAccepted', actions: 'extendTime' },
          'run.windDown': {
            target: 'windingDown',
            actions: { type: 'endFailed', params: { reason: 'run-ending' } },
          },
          'run.abort': {
            guard: 'isAccepted',
            target: 'windingDown',
            actions: {
              type: 'endWith',
              params: ({ event }) => ({ status: 'aborted', reason: event.reason }),
            },
          },
          'time.isUp': {
            target: 'windingDown',
            actions: { type: 'endWith', params: { status: 'timeExpired', reason: 'time-limit' } },
          },
          'ladder.isExhausted': {
            target: 'windingDown',
            actions: { type: 'endWith', params: { status: 'aborted', reason: 'escalation' } },
          },
        },
        states: {
          work: {
            description: 'Plan, execute, plan again while the budget lasts, verify, summarize.',
            initial: 'preparing',
            states: {
              preparing: {
                description: 'A plan that came with the goal is checked like any other.',
                tags: ['running'],
                invoke: {
                  id: 'checkPlan',
                  src: 'checkPlan',
                  input: ({ context }) => planToCheck(context),
                  onDone: [
                    {
                      guard: 'isPlanGiven',
                      target: 'checkingPlan',
                      actions: ['keepGivenPlan', 'announceProposal'],
                    },
                    { target: 'beginning' },
                  ],
                  onError: 'beginning',
                },
                after: { timeLimit: 'beginning' },
              },
              beginning: {
                description:
                  'The planner is asked, unless there is none or the run is paused already.',
                always: [
                  {
                    guard: 'hasNoPlanner',
                    target: '#orchestrator.windingDown',
                    actions: { type: 'endFailed', params: { reason: 'planning-failed' } },
                  },
                  { guard: 'isPaused', target: 'interrupted' },
                  { target: 'planning' },
                ],
              },
              planning: {
                description: 'The planner makes the first plan, within its share of the time.',
                tags: ['running'],
                entry: [{ type: 'enterPhase', params: { phase: 'planning' } }, 'countPlannerCall'],
                invoke: {
                  id: 'planner',
                  src: 'agentCall',
                  input: ({ context }) => plannerCall(context),
                  onDone: [
                    {
                      guard: 'isPlanAnswered',
                      target: 'checkingPlan',
                      actions: ['keepProposal', 'announceProposal'],
                    },
                    { target: 'judgingPlanner' },
                  ],
                  onError: 'judgingPlanner',
                },
                on: {
                  'run.hold': {
                    actions: ['holdSteps', { type: 'passToCall', params: { id: 'planner' } }],
                  },
                  'run.release': {
                    actions: ['releaseSteps', { type: 'passToCall', params: { id: 'planner' } }],
                  },
                },
                after: {
                  planningBudget: {
                    target: 'judgingPlanner',
                    actions: { type: 'announceExpiry', params: { scope: 'planning' } },
                  },
                },
              },
              judgingPlanner: {
                description:
                  'The planner gave no answer: go on with the plan there is, wait, or end.',
                entry: { type: 'rejectPlan', params: { by: 'planner' } },
                always: [
                  { guard: 'hasPlan', target: 'executing', actions: 'dropRequests' },
                  {
                    guard: 'waitsOnPlannerFailure',
                    target: 'interrupted',
                    actions: [
                      'dropRequests',
                      { type: 'pause', params: { reason: 'The planner failed' } },
                    ],
                  },
                  {
                    target: '#orchestrator.windingDown',
                    actions: { type: 'endFailed', params: { reason: 'planning-failed' } },
                  },
                ],
              },
              checkingPlan: {
                description: 'Is it a plan, is it new, and who has to agree to it?',
                always: [
                  {
                    guard: 'isProposalInvalid',
                    target: 'judgingReplan',
                    actions: { type: 'rejectPlan', params: { by: 'validation' } },
                  },
                  {
                    guard: 'isRepeatedPlan',
                    target: 'refusingReplan',
                    actions: { type: 'rejectPlan', params: { by: 'repeat' } },
                  },
                  { guard: 'isReviewHeld', target: 'holdingReview' },
                  { guard: 'needsPlanReview', target: 'reviewingPlan' },
                  { target: 'acceptingPlan' },
                ],
              },
              holdingReview: {
                description: 'The plan is reviewed as soon as a person resumes the run.',
                tags: ['waiting-for-human'],
                entry: { type: 'enterPhase', params: { phase: 'interrupted' } },
                on: {
                  'run.release': { target: 'reviewingPlan', actions: 'releaseSteps' },
                },
              },
              reviewingPlan: {
                description: 'The supervisor scores the plan before anything of it runs.',
                tags: ['running'],
                entry: { type: 'enterPhase', params: { phase: 'reviewingPlan' } },
                invoke: {
                  id: 'planReview',
                  src: 'agentCall',
                  input: ({ context }) => reviewCall(context, 'plan'),
                  onDone: {
                    target: 'weighingPlan',
                    actions: { type: 'giveVerdict', params: { subject: 'plan' } },
                  },
                  onError: {
                    target: 'judgingReplan',
                    actions: {
                      type: 'rejectPlan',
                      params: { by: 'supervisor', reason: 'The review crashed' },
                    },
                  },
                },
                on: {
                  'run.hold': {
                    actions: ['holdSteps', { type: 'passToCall', params: { id: 'planReview' } }],
                  },
                  'run.release': {
                    actions: ['releaseSteps', { type: 'passToCall', params: { id: 'planReview' } }],
                  },
                },
                after: {
                  planningBudget: {
                    target: 'judgingReplan',
                    actions: [
                      { type: 'announceExpiry', params: { scope: 'planning' } },
                      {
                        type: 'rejectPlan',
                        params: { by: 'supervisor', reason: 'The review took too long' },
                      },
                    ],
                  },
                },
              },
              weighingPlan: {
                description: 'The verdict has moved the ladder before anything follows from it.',
                on: {
                  'verdict.noted': [
                    { guard: 'isPlanAccepted', target: 'acceptingPlan' },
                    {
                      target: 'judgingReplan',
                      actions: { type: 'rejectPlan', params: { by: 'supervisor' } },
                    },
                  ],
                },
              },
              acceptingPlan: {
                description: 'Does a person have to agree?',
                always: [
                  {
                    guard: 'needsPlanApproval',
                    target: 'awaitingPlanApproval',
                    actions: { type: 'askForPermission', params: { about: 'plan' } },
                  },
                  { target: 'executing', actions: 'adoptProposal' },
                ],
              },
              awaitingPlanApproval: {
                description: 'A person reads the plan. No answer in time is an answer.',
                tags: ['waiting-for-human'],
                entry: { type: 'enterPhase', params: { phase: 'awaitingPlanApproval' } },
                on: {
                  'approval.grant': {
                    guard: 'isAnswerToOwnQuestion',
                    target: 'executing',
                    actions: ['closeOwnQuestion', 'adoptProposal'],
                  },
                  'approval.reject': {
                    guard: 'isAnswerToOwnQuestion',
                    target: 'judgingPlanRejection',
                    actions: [
                      'closeOwnQuestion',
                      {
                        type: 'rejectPlan',
                        params: ({ event }) => ({ by: 'human', reason: event.reason }),
                      },
                    ],
                  },
                },
                after: {
                  approvalTimeout: [
                    {
                      guard: 'timeoutApproves',
                      target: 'executing',
                      actions: ['closeOwnQuestion', 'adoptProposal'],
                    },
                    {
                      target: 'judgingPlanRejection',
                      actions: [
                        'closeOwnQuestion',
                        { type: 'rejectPlan', params: { by: 'human' } },
                      ],
                    },
                  ],
                },
              },
              judgingPlanRejection: {
                description:
                  'The plan there is goes on without the rejected one, another is made, or the run ends.',
                always: [
                  { guard: 'keepsPlanOnReject', target: 'executing', actions: 'dropRequests' },
                  {
                    guard: 'rejectionFails',
                    target: '#orchestrator.windingDown',
                    actions: { type: 'endFailed', params: { reason: 'plan-rejected' } },
                  },
                  { target: 'judgingReplan' },
                ],
              },
              executing: {
                description: 'Runnable steps run, as many at once as there are slots.',
                tags: ['running'],
                entry: [{ type: 'enterPhase', params: { phase: 'executing' } }, 'startSteps'],
                on: {
                  'xstate.done.actor.*': { guard: 'isGoingOn', actions: 'settleAndStart' },
                  'xstate.error.actor.*': { actions: 'settleAndStart' },
                  'plan.skip': { guard: 'isAccepted', actions: ['skipSteps', 'startSteps'] },
                  'plan.skipTo': { guard: 'isAccepted', actions: ['skipSteps', 'startSteps'] },
                },
                always: [
                  {
                    guard: 'mustStop',
                    target: 'concluding',
                    actions: { type: 'endFailed', params: { reason: 'step-failed' } },
                  },
                  {
                    guard: 'hasTooManyFailures',
                    target: 'concluding',
                    actions: { type: 'endFailed', params: { reason: 'too-many-failures' } },
                  },
                  { guard: 'isPaused', target: 'interrupted' },
                  { guard: 'isExecutionClosed', target: 'draining' },
                  { guard: 'hasRefusedRequests', target: 'refusingReplan' },
                  {
                    guard: 'startsOver',
                    target: 'judgingReplan',
                    actions: ['giveUpSteps', 'coalesceRequests'],
                  },
                  { guard: 'hasRequests', target: 'draining' },
                  { guard: 'isPlanSettled', target: 'judgingResults' },
                ],
              },
              draining: {
                description:
                  'Nothing new starts; what runs comes to its end. A pause or a failure too many is judged at once.',
                tags: ['running'],
                entry: { type: 'enterPhase', params: { phase: 'draining' } },
                always: [
                  { guard: 'isHalted', target: 'executing' },
                  {
                    guard: 'isGoalMissed',
                    target: 'concluding',
                    actions: { type: 'endFailed', params: { reason: 'goal-not-achieved' } },
                  },
                  {
                    guard: 'isDrainedAndClosed',
                    target: 'judgingResults',
                    actions: 'dropRequests',
                  },
                  { guard: 'isIdle', target: 'judgingReplan', actions: 'coalesceRequests' },
                ],
              },
              judgingReplan: {
                description: 'Is there budget for another plan? A paused run does not ask yet.',
                always: [
                  { guard: 'isPaused', target: 'interrupted' },
                  { guard: 'canReplan', target: 'replanning' },
                  { target: 'refusingReplan' },
                ],
              },
              refusingReplan: {
                description:
                  'The replan bound is reached: the policy says what becomes of the run.',
                entry: 'announceReplanRefused',
                always: [
                  {
                    guard: 'failsOnLimit',
                    target: '#orchestrator.windingDown',
                    actions: { type: 'endFailed', params: { reason: 'replan-limit' } },
                  },
                  {
                    guard: 'hasNoPlan',
                    target: '#orchestrator.windingDown',
                    actions: { type: 'endFailed', params: { reason: 'no-acceptable-plan' } },
                  },
                  { guard: 'finishesOnLimit', target: 'concluding', actions: 'dropRequests' },
                  {
                    guard: 'asksOnLimit',
                    target: 'awaitingLimitDecision',
                    actions: { type: 'askForPermission', params: { about: 'limit' } },
                  },
                  { target: 'executing', actions: 'dropRequests' },
                ],
              },
              awaitingLimitDecision: {
                description: 'A person decides whether the run goes on without another plan.',
                tags: ['waiting-for-human'],
                entry: { type: 'enterPhase', params: { phase: 'awaitingLimitDecision' } },
                on: {
                  'approval.grant': {
                    guard: 'isAnswerToOwnQuestion',
                    target: 'executing',
                    actions: ['closeOwnQuestion', 'dropRequests'],
                  },
                  'approval.reject': {
                    guard: 'isAnswerToOwnQuestion',
                    target: 'concluding',
                    actions: [
                      'closeOwnQuestion',
                      { type: 'endFailed', params: { reason: 'replan-limit' } },
                    ],
                  },
                },
                after: {
                  approvalTimeout: [
                    {
                      guard: 'timeoutApproves',
                      target: 'executing',
                      actions: ['closeOwnQuestion', 'dropRequests'],
                    },
                    {
                      target: 'concluding',
                      actions: [
                        'closeOwnQuestion',
                        { type: 'endFailed', params: { reason: 'replan-limit' } },
                      ],
                    },
                  ],
                },
              },
              replanning: {
                description:
                  'The planner makes another plan; the call is paid for when it is made.',
                tags: ['running'],
                entry: [
                  'countReplan',
                  { type: 'enterPhase', params: { phase: 'replanning' } },
                  'announceReplan',
                ],
                invoke: {
                  id: 'planner',
                  src: 'agentCall',
                  input: ({ context }) => plannerCall(context),
                  onDone: [
                    {
                      guard: 'isPlanAnswered',
                      target: 'checkingPlan',
                      actions: ['keepProposal', 'announceProposal'],
                    },
                    { target: 'judgingPlanner' },
                  ],
                  onError: 'judgingPlanner',
                },
                on: {
                  'run.hold': {
                    actions: ['holdSteps', { type: 'passToCall', params: { id: 'planner' } }],
                  },
                  'run.release': {
                    actions: ['releaseSteps', { type: 'passToCall', params: { id: 'planner' } }],
                  },
                },
                after: {
                  planningBudget: {
                    target: 'judgingPlanner',
                    actions: { type: 'announceExpiry', params: { scope: 'planning' } },
                  },
                },
              },
              interrupted: {
                description:
                  'Nothing new starts until a person says so; what runs comes to its end.',
                tags: ['waiting-for-human'],
                entry: { type: 'enterPhase', params: { phase: 'interrupted' } },
                on: {
                  'run.release': [
                    { guard: 'hasPlan', target: 'executing', actions: 'releaseSteps' },
                    { guard: 'hasRequests', target: 'judgingReplan', actions: 'releaseSteps' },
                    { target: 'planning', actions: 'releaseSteps' },
                  ],
                },
                always: { guard: 'isSubplanSettled', target: 'judgingResults' },
              },
              judgingResults: {
                description: 'Does the supervisor have to confirm the goal?',
                always: [
                  { guard: 'needsGoalReview', target: 'verifying' },
                  { target: 'concluding' },
                ],
              },
              verifying: {
                description:
                  'The supervisor judges whether the goal is met, within its share of the time.',
                tags: ['running'],
                entry: { type: 'enterPhase', params: { phase: 'verifying' } },
                invoke: {
                  id: 'goalReview',
                  src: 'agentCall',
                  input: ({ context }) => reviewCall(context, 'goal'),
                  onDone: {
                    target: 'weighingGoal',
                    actions: { type: 'giveVerdict', params: { subject: 'goal' } },
                  },
                  onError: {
                    target: 'concluding',
                    actions: { type: 'endFailed', params: { reason: 'verification-failed' } },
                  },
                },
                on: {
                  'run.hold': {
                    actions: ['holdSteps', { type: 'passToCall', params: { id: 'goalReview' } }],
                  },
                  'run.release': {
                    actions: ['releaseSteps', { type: 'passToCall', params: { id: 'goalReview' } }],
                  },
                },
                after: {
                  verificationBudget: {
                    target: 'concluding',
                    actions: [
                      { type: 'announceExpiry', params: { scope: 'verification' } },
                      { type: 'endFailed', params: { reason: 'verification-timeout' } },
                    ],
                  },
                },
              },
              weighingGoal: {
                description: 'The verdict has moved the ladder before anything follows from it.',
                on: {
                  'verdict.noted': [
                    {
                      guard: 'isGoalAccepted',
                      target: 'concluding',
                      actions: {
                        type: 'endWith',
                        params: { status: 'completed', reason: 'goal-achieved' },
                      },
                    },
                    { guard: 'canReplanInTime', target: 'judgingReplan', actions: 'requestGoal' },
                    {
                      target: 'concluding',
                      actions: { type: 'endFailed', params: { reason: 'goal-not-achieved' } },
                    },
                  ],
                },
              },
              concluding: {
                description: 'How does it end, and is there something to summarize?',
                entry: 'decideEnding',
                always: [
                  { guard: 'needsSummary', target: 'summarizing' },
                  { target: '#orchestrator.windingDown' },
                ],
              },
              summarizing: {
                description:
                  'The summarizer tells what was done; without it the run ends all the same.',
                tags: ['running'],
                entry: { type: 'enterPhase', params: { phase: 'summarizing' } },
                invoke: {
                  id: 'summarizer',
                  src: 'agentCall',
                  input: ({ context }) => summaryCall(context),
                  onDone: { target: '#orchestrator.windingDown', actions: 'keepSummary' },
                  onError: '#orchestrator.windingDown',
                },
                after: { verificationBudget: '#orchestrator.windingDown' },
              },
            },
          },
          oversight: {
            description:
              'The escalation ladder: every verdict moves it, the most severe reason wins.',
            initial: 'none',
            on: {
              'verdict.given': [
                { guard: 'isNested', actions: 'passUp' },
                { guard: 'isAbortNext', target: '.abort', actions: ['climb', 'keepLastWord'] },
                { guard: 'isCriticalNext', target: '.critical', actions: ['climb', 'noteVerdict'] },
                { guard: 'isRefocusNext', target: '.refocus', actions: ['climb', 'noteVerdict'] },
                { guard: 'isCorrectNext', target: '.correct', actions: ['climb', 'noteVerdict'] },
                { guard: 'isRemindNext', target: '.remind', actions: ['climb', 'noteVerdict'] },
                { target: '.none', actions: ['climb', 'noteVerdict'] },
              ],
            },
            states: {
              none: { description: 'All is well.' },
              remind: { description: 'Gentle guidance goes to the next agents.' },
              correct: { description: 'Clear redirection goes to the next agents.' },
              refocus: { description: 'Hard intervention goes to the next agents.' },
              critical: { description: 'The final warning.' },
              abort: {
                description: 'The supervisor ends the run.',
                entry: 'exhaustLadder',
              },
            },
          },
          clock: {
            description:
              'The time of the whole run, in two parts so that there is time left to conclude.',
            initial: 'open',
            states: {
              open: {
                description: 'Steps may start.',
                after: {
                  executionDeadline: [
                    {
                      guard: 'hasExtension',
                      target: 'open',
                      reenter: true,
                      actions: 'useExtension',
                    },
                    { target: 'closing', actions: ['closeExecution', 'announceClosing'] },
                  ],
                },
              },
              closing: {
                description: 'No more steps start; what is left is for verification and summary.',
                after: {
                  timeLimit: [
                    {
                      guard: 'hasExtension',
                      target: 'closing',
                      reenter: true,
                      actions: 'useExtension',
                    },
                    { target: 'expired' },
                  ],
                },
              },
              expired: {
                description: 'The time is up.',
                entry: [{ type: 'announceExpiry', params: { scope: 'run' } }, 'callTime'],
              },
            },
          },
        },
      },
      windingDown: {
        description:
          'Nothing new starts. What runs gets the grace period, unless a person ended the run.',
        tags: ['ending'],
        entry: [
          { type: 'enterPhase', params: { phase: 'windingDown' } },
          'windDownSteps',
          'hearLastWord',
        ],
        on: {
          'verdict.given': [{ guard: 'isNested', actions: 'passUp' }, { actions: 'noteVerdict' }],
          'permit.requested': [
            { guard: 'isNested', actions: 'passUp' },
            { guard: 'isOutOfBudget', actions: 'refusePermit' },
            { guard: 'hasBreaker', actions: ['countCall', 'askBreaker'] },
            { actions: ['countCall', 'grantPermit'] },
          ],
        },
        always: [
          { guard: 'endsAtOnce', target: 'ending' },
          { guard: 'isIdle', target: 'ending' },
        ],
        after: { gracePeriod: 'ending' },
      },
      ending: {
        description: 'Every step is settled and the end is written down.',
        tags: ['ending'],
        entry: 'announceEnd',
        always: [
          { guard: { type: 'isEndingAs', params: { status: 'completed' } }, target: 'completed' },
          { guard: { type: 'isEndingAs', params: { status: 'aborted' } }, target: 'aborted' },
          {
            guard: { type: 'isEndingAs', params: { status: 'timeExpired' } },
            target: 'timeExpired',
          },
          {
            guard: { type: 'isEndingAs', params: { status: 'budgetExhausted' } },
            target: 'budgetExhausted',
          },
          { target: 'failed' },
        ],
      },
      completed: { description: 'The goal is met.', tags: ['settled'], type: 'final' },
      failed: {
        description: 'The goal is not met, and the reason is known.',
        tags: ['settled'],
        type: 'final',
      },
      aborted: {
        description: 'A person or the supervisor ended it.',
        tags: ['settled'],
        type: 'final',
      },
      timeExpired: { description: 'The time was up.', tags: ['settled'], type: 'final' },
      budgetExhausted: {
        description: 'A budget of calls, tokens or money was used up.',
        tags: ['settled'],
        type: 'final',
      },
    },
  });
