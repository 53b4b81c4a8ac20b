// The chart 'orchestrator', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
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

export const orchestratorMachine = setup({
  guards: {
    areRecoveriesUsedUp: isChosen('areRecoveriesUsedUp'),
    asksOnLimit: isChosen('asksOnLimit'),
    canReplan: isChosen('canReplan'),
    canReplanInTime: isChosen('canReplanInTime'),
    canStartSteps: isChosen('canStartSteps'),
    endsAtOnce: isChosen('endsAtOnce'),
    endsByRejection: isChosen('endsByRejection'),
    endsByVerdict: isChosen('endsByVerdict'),
    failsOnLimit: isChosen('failsOnLimit'),
    finishesOnLimit: isChosen('finishesOnLimit'),
    hasBreaker: isChosen('hasBreaker'),
    hasExtension: isChosen('hasExtension'),
    hasNoPlan: isChosen('hasNoPlan'),
    hasNoPlanner: isChosen('hasNoPlanner'),
    hasPlan: isChosen('hasPlan'),
    hasRefusedRequests: isChosen('hasRefusedRequests'),
    hasRequests: isChosen('hasRequests'),
    hasTooManyFailures: isChosen('hasTooManyFailures'),
    hasVerdictForRun: isChosen('hasVerdictForRun'),
    isAccepted: isChosen('isAccepted'),
    isAtLevel: isChosen('isAtLevel'),
    isDrainedAndClosed: isChosen('isDrainedAndClosed'),
    isEndingAs: isChosen('isEndingAs'),
    isExecutionClosed: isChosen('isExecutionClosed'),
    isForChild: isChosen('isForChild'),
    isGoalAccepted: isChosen('isGoalAccepted'),
    isGoalMissed: isChosen('isGoalMissed'),
    isGoalRun: isChosen('isGoalRun'),
    isGranted: isChosen('isGranted'),
    isIdle: isChosen('isIdle'),
    isNested: isChosen('isNested'),
    isOutOfBudget: isChosen('isOutOfBudget'),
    isPaused: isChosen('isPaused'),
    isPlanAccepted: isChosen('isPlanAccepted'),
    isPlanAnswered: isChosen('isPlanAnswered'),
    isPlanGiven: isChosen('isPlanGiven'),
    isPlanSettled: isChosen('isPlanSettled'),
    isProposalInvalid: isChosen('isProposalInvalid'),
    isQuestionOpen: isChosen('isQuestionOpen'),
    isRepeatedPlan: isChosen('isRepeatedPlan'),
    isReviewHeld: isChosen('isReviewHeld'),
    isRunOutOfBudget: isChosen('isRunOutOfBudget'),
    isSubplanSettled: isChosen('isSubplanSettled'),
    keepsPlanOnReject: isChosen('keepsPlanOnReject'),
    mustStop: isChosen('mustStop'),
    needsGoalReview: isChosen('needsGoalReview'),
    needsPlanApproval: isChosen('needsPlanApproval'),
    needsPlanReview: isChosen('needsPlanReview'),
    needsSummary: isChosen('needsSummary'),
    otherwise: isChosen('otherwise'),
    rejectionFails: isChosen('rejectionFails'),
    startsOver: isChosen('startsOver'),
    waitsOnPlannerFailure: isChosen('waitsOnPlannerFailure'),
  },
  actions: {
    adoptProposal: () => {},
    announceClosing: () => {},
    announceEnd: () => {},
    announceExpiry: () => {},
    announceProposal: () => {},
    announceStart: () => {},
    announceUpgrade: () => {},
    answerQuestion: () => {},
    askBreaker: () => {},
    choose: assign({ chosen: ({ event }) => event.type.replace('choose.', '') }),
    climb: () => {},
    closeExecution: () => {},
    closeQuestion: () => {},
    coalesceRequests: () => {},
    countCall: () => {},
    countPlannerCall: () => {},
    countQuestion: () => {},
    countUsage: () => {},
    decideEnding: () => {},
    dropRequests: () => {},
    endByFailure: () => {},
    endFailed: () => {},
    endRejected: () => {},
    endWith: () => {},
    endWithBudget: () => {},
    enterPhase: () => {},
    enterPlanning: () => {},
    extendTime: () => {},
    forget: assign({ chosen: null }),
    giveUpSteps: () => {},
    grantPermit: () => {},
    happen: raise(({ event }) => ({ type: event.type.replace('choose.', 'xstate.') })),
    hear: () => {},
    holdSteps: () => {},
    keepProposal: () => {},
    keepReview: () => {},
    keepSummary: () => {},
    noteBound: () => {},
    noteRecovery: () => {},
    openQuestion: () => {},
    passDown: () => {},
    passToCall: () => {},
    passUp: () => {},
    pause: () => {},
    refuseCommand: () => {},
    refusePermit: () => {},
    refuseRequests: () => {},
    rejectPlan: () => {},
    releaseSteps: () => {},
    requestGoal: () => {},
    settleStep: () => {},
    skipSteps: () => {},
    startBreakers: () => {},
    startSteps: () => {},
    takeTurn: () => {},
    unpause: () => {},
    useExtension: () => {},
    windDownSteps: () => {},
  },
  actors: {
    agentCall: fromPromise(() => new Promise(() => {})),
    approval: fromPromise(() => new Promise(() => {})),
    breaker: fromPromise(() => new Promise(() => {})),
    step: fromPromise(() => new Promise(() => {})),
  },
  delays: {
    executionDeadline: 2000000000,
    gracePeriod: 2000000000,
    planningBudget: 2000000000,
    timeLimit: 2000000000,
    verificationBudget: 2000000000,
  },
}).createMachine({
  id: 'orchestrator',
  description: 'Plans, executes, replans and verifies one goal within the bounds of a policy.',
  options: { maxIterations: 1000 },
  context: { chosen: null },
  initial: 'starting',
  on: {
    'xstate.done.actor.*': { actions: 'settleStep' },
    'xstate.error.actor.*': { actions: 'settleStep' },
    'permit.requested': [
      { guard: 'isNested', actions: ['passUp', 'forget'] },
      { guard: 'isOutOfBudget', actions: ['refusePermit', 'forget'] },
      { guard: 'hasBreaker', actions: ['countCall', 'askBreaker', 'forget'] },
      { actions: ['countCall', 'grantPermit', 'forget'] },
    ],
    'permit.granted': { actions: 'passDown' },
    'permit.refused': { actions: 'passDown' },
    'call.settled': [
      { guard: 'isNested', actions: ['passUp', 'forget'] },
      { actions: ['countUsage', 'forget'] },
    ],
    'verdict.given': { guard: 'isNested', actions: ['passUp', 'forget'] },
    'bound.reached': [
      { guard: 'isNested', actions: ['passUp', 'forget'] },
      { actions: ['noteBound', 'forget'] },
    ],
    'run.recovered': [
      {
        guard: 'areRecoveriesUsedUp',
        target: '.endDecision',
        actions: [
          'noteRecovery',
          { type: 'endFailed', params: { reason: 'max-recoveries' } },
          'forget',
        ],
      },
      { actions: ['noteRecovery', 'forget'] },
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
    'run.unpause': { actions: 'refuseCommand' },
    'time.extend': { actions: 'refuseCommand' },
    'run.abort': { actions: 'refuseCommand' },
    'choose.done.actor.child': { actions: 'happen' },
    'choose.error.actor.child': { actions: 'happen' },
    'choose.isNested': { actions: 'choose' },
    'choose.isOutOfBudget': { actions: 'choose' },
    'choose.hasBreaker': { actions: 'choose' },
    'choose.areRecoveriesUsedUp': { actions: 'choose' },
  },
  states: {
    starting: {
      description: 'The start of the run is announced before anything else happens.',
      entry: ['announceStart', 'startBreakers', 'takeTurn'],
      on: { 'turn.taken': 'active' },
    },
    active: {
      description: 'The run is active: work, oversight and clock run side by side.',
      type: 'parallel',
      on: {
        'xstate.done.actor.*': [
          {
            guard: 'endsByRejection',
            target: 'windingDown',
            actions: ['endRejected', 'settleStep', 'forget'],
          },
          {
            guard: 'endsByVerdict',
            target: 'windingDown',
            actions: [
              'climb',
              {
                type: 'endWith',
                params: { status: 'aborted', reason: 'escalation' },
              },
              'settleStep',
              'forget',
            ],
          },
          { guard: 'isGoalRun', actions: ['climb', 'settleStep', 'forget'] },
        ],
        'permit.requested': {
          guard: 'isRunOutOfBudget',
          target: 'windingDown',
          actions: ['endWithBudget', 'refusePermit', 'forget'],
        },
        'approval.grant': [
          { guard: 'isForChild', actions: ['answerQuestion', 'forget'] },
          { guard: 'isQuestionOpen', actions: ['answerQuestion', 'forget'] },
        ],
        'approval.reject': [
          { guard: 'isForChild', actions: ['answerQuestion', 'forget'] },
          { guard: 'isQuestionOpen', actions: ['answerQuestion', 'forget'] },
        ],
        'plan.skip': { guard: 'isAccepted', actions: ['skipSteps', 'forget'] },
        'plan.skipTo': { guard: 'isAccepted', actions: ['skipSteps', 'forget'] },
        'conversation.say': { guard: 'isAccepted', actions: ['hear', 'forget'] },
        'run.pause': {
          guard: 'isAccepted',
          actions: [
            { type: 'pause', params: { reason: 'Paused by a person' } },
            'forget',
          ],
        },
        'run.unpause': { guard: 'isAccepted', actions: ['unpause', 'forget'] },
        'run.hold': { actions: 'holdSteps' },
        'run.release': { actions: 'releaseSteps' },
        'time.extend': { guard: 'isAccepted', actions: ['extendTime', 'forget'] },
        'run.windDown': {
          target: 'windingDown',
          actions: { type: 'endFailed', params: { reason: 'run-ending' } },
        },
        'run.abort': {
          guard: 'isAccepted',
          target: 'windingDown',
          actions: [{ type: 'endWith' }, 'forget'],
        },
        'time.isUp': {
          target: 'windingDown',
          actions: {
            type: 'endWith',
            params: { status: 'timeExpired', reason: 'time-limit' },
          },
        },
        'choose.done.actor.child': { actions: 'happen' },
        'choose.endsByRejection': { actions: 'choose' },
        'choose.endsByVerdict': { actions: 'choose' },
        'choose.isGoalRun': { actions: 'choose' },
        'choose.isRunOutOfBudget': { actions: 'choose' },
        'choose.isForChild': { actions: 'choose' },
        'choose.isQuestionOpen': { actions: 'choose' },
        'choose.isAccepted': { actions: 'choose' },
      },
      states: {
        work: {
          description: 'Plan, execute, replan while replans are left, and conclude.',
          initial: 'planning',
          states: {
            planning: {
              id: 'planning',
              description: 'A plan is made, checked, reviewed and approved before any of it runs.',
              initial: 'sourceDecision',
              states: {
                sourceDecision: {
                  description: 'Is a plan given, is the run paused, or is the planner asked?',
                  on: {
                    'choose.isPlanGiven': { actions: 'choose' },
                    'choose.hasNoPlanner': { actions: 'choose' },
                    'choose.isPaused': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'isPlanGiven',
                      target: 'planDecision',
                      actions: ['announceProposal', 'forget'],
                    },
                    {
                      guard: 'hasNoPlanner',
                      target: '#orchestrator.windingDown',
                      actions: [
                        {
                          type: 'endFailed',
                          params: { reason: 'planning-failed' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'isPaused',
                      target: 'holdingPlanner',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: 'askingPlanner',
                      actions: ['forget'],
                    },
                  ],
                },
                askingPlanner: {
                  description: 'The planner makes the first plan or another one, within its share of the time. A replan is counted when it is requested.',
                  tags: ['running'],
                  entry: ['countPlannerCall', 'enterPlanning'],
                  invoke: {
                    id: 'planner',
                    src: 'agentCall',
                    onDone: [
                      {
                        guard: 'isPlanAnswered',
                        target: 'planDecision',
                        actions: ['keepProposal', 'announceProposal', 'forget'],
                      },
                      {
                        target: 'plannerFailureDecision',
                        actions: [{ type: 'rejectPlan' }, 'forget'],
                      },
                    ],
                    onError: {
                      target: 'plannerFailureDecision',
                      actions: {
                        type: 'rejectPlan',
                        params: { by: 'planner', reason: 'The call crashed' },
                      },
                    },
                  },
                  on: {
                    'run.hold': {
                      actions: [
                        'holdSteps',
                        { type: 'passToCall', params: { id: 'planner' } },
                      ],
                    },
                    'run.release': {
                      actions: [
                        'releaseSteps',
                        { type: 'passToCall', params: { id: 'planner' } },
                      ],
                    },
                    'choose.done.actor.planner': { actions: 'happen' },
                    'choose.error.actor.planner': { actions: 'happen' },
                    'choose.after.planningBudget.orchestrator.active.work.planning.askingPlanner': { actions: 'happen' },
                    'choose.isPlanAnswered': { actions: 'choose' },
                  },
                  after: {
                    planningBudget: {
                      target: 'plannerFailureDecision',
                      actions: [
                        {
                          type: 'announceExpiry',
                          params: { scope: 'planning' },
                        },
                        {
                          type: 'rejectPlan',
                          params: { by: 'planner', reason: 'The planner took too long' },
                        },
                      ],
                    },
                  },
                },
                plannerFailureDecision: {
                  description: 'The planner gave no answer: does the run continue with the present plan, wait for a person, or fail?',
                  on: {
                    'choose.hasPlan': { actions: 'choose' },
                    'choose.waitsOnPlannerFailure': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'hasPlan',
                      target: '#executing',
                      actions: ['dropRequests', 'forget'],
                    },
                    {
                      guard: 'waitsOnPlannerFailure',
                      target: 'holdingPlanner',
                      actions: [
                        'dropRequests',
                        {
                          type: 'pause',
                          params: { reason: 'The planner failed' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'otherwise',
                      target: '#orchestrator.windingDown',
                      actions: [
                        {
                          type: 'endFailed',
                          params: { reason: 'planning-failed' },
                        },
                        'forget',
                      ],
                    },
                  ],
                },
                planDecision: {
                  description: 'Is the plan valid and new, and does the supervisor review it?',
                  on: {
                    'choose.isProposalInvalid': { actions: 'choose' },
                    'choose.isRepeatedPlan': { actions: 'choose' },
                    'choose.isReviewHeld': { actions: 'choose' },
                    'choose.needsPlanReview': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'isProposalInvalid',
                      target: 'replanDecision',
                      actions: [
                        { type: 'rejectPlan', params: { by: 'validation' } },
                        'forget',
                      ],
                    },
                    {
                      guard: 'isRepeatedPlan',
                      target: 'replanBoundDecision',
                      actions: [
                        { type: 'rejectPlan', params: { by: 'repeat' } },
                        'forget',
                      ],
                    },
                    {
                      guard: 'isReviewHeld',
                      target: 'holdingReview',
                      actions: ['forget'],
                    },
                    {
                      guard: 'needsPlanReview',
                      target: 'reviewingPlan',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: 'approvalDecision',
                      actions: ['forget'],
                    },
                  ],
                },
                holdingReview: {
                  description: 'The plan is reviewed as soon as a person unpauses the run.',
                  tags: ['waiting-for-human'],
                  entry: { type: 'enterPhase', params: { phase: 'paused' } },
                  on: {
                    'run.release': { target: 'reviewingPlan', actions: 'releaseSteps' },
                  },
                },
                reviewingPlan: {
                  description: 'The supervisor scores the plan before any of it runs.',
                  tags: ['running'],
                  entry: { type: 'enterPhase', params: { phase: 'reviewingPlan' } },
                  invoke: {
                    id: 'planReview',
                    src: 'agentCall',
                    onDone: [
                      {
                        guard: 'isPlanAccepted',
                        target: 'approvalDecision',
                        actions: ['forget'],
                      },
                      {
                        target: 'replanDecision',
                        actions: [
                          'keepReview',
                          { type: 'rejectPlan', params: { by: 'supervisor' } },
                          'forget',
                        ],
                      },
                    ],
                    onError: {
                      target: 'replanDecision',
                      actions: {
                        type: 'rejectPlan',
                        params: { by: 'supervisor', reason: 'The review crashed' },
                      },
                    },
                  },
                  on: {
                    'run.hold': {
                      actions: [
                        'holdSteps',
                        { type: 'passToCall', params: { id: 'planReview' } },
                      ],
                    },
                    'run.release': {
                      actions: [
                        'releaseSteps',
                        { type: 'passToCall', params: { id: 'planReview' } },
                      ],
                    },
                    'choose.done.actor.planReview': { actions: 'happen' },
                    'choose.error.actor.planReview': { actions: 'happen' },
                    'choose.after.planningBudget.orchestrator.active.work.planning.reviewingPlan': { actions: 'happen' },
                    'choose.isPlanAccepted': { actions: 'choose' },
                  },
                  after: {
                    planningBudget: {
                      target: 'replanDecision',
                      actions: [
                        {
                          type: 'announceExpiry',
                          params: { scope: 'planning' },
                        },
                        {
                          type: 'rejectPlan',
                          params: {
                            by: 'supervisor',
                            reason: 'The review took too long',
                          },
                        },
                      ],
                    },
                  },
                },
                approvalDecision: {
                  description: 'Does a person have to agree to the plan?',
                  on: {
                    'choose.needsPlanApproval': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'needsPlanApproval',
                      target: 'awaitingPlanApproval',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: '#executing',
                      actions: ['adoptProposal', 'forget'],
                    },
                  ],
                },
                awaitingPlanApproval: {
                  description: 'A person reads the plan.',
                  tags: ['waiting-for-human'],
                  entry: [
                    'countQuestion',
                    {
                      type: 'enterPhase',
                      params: { phase: 'awaitingPlanApproval' },
                    },
                  ],
                  invoke: {
                    id: 'approval',
                    src: 'approval',
                    onDone: [
                      {
                        guard: 'isGranted',
                        target: '#executing',
                        actions: ['adoptProposal', 'forget'],
                      },
                      {
                        target: 'rejectionDecision',
                        actions: [{ type: 'rejectPlan' }, 'forget'],
                      },
                    ],
                    onError: {
                      target: 'rejectionDecision',
                      actions: {
                        type: 'rejectPlan',
                        params: { by: 'human', reason: 'The approval crashed' },
                      },
                    },
                  },
                  on: {
                    'choose.done.actor.approval': { actions: 'happen' },
                    'choose.error.actor.approval': { actions: 'happen' },
                    'choose.isGranted': { actions: 'choose' },
                  },
                },
                rejectionDecision: {
                  description: 'A person rejected the plan: does the run continue with the present plan, fail, or make another plan?',
                  on: {
                    'choose.keepsPlanOnReject': { actions: 'choose' },
                    'choose.rejectionFails': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'keepsPlanOnReject',
                      target: '#executing',
                      actions: ['dropRequests', 'forget'],
                    },
                    {
                      guard: 'rejectionFails',
                      target: '#orchestrator.windingDown',
                      actions: [
                        {
                          type: 'endFailed',
                          params: { reason: 'plan-rejected' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'otherwise',
                      target: 'replanDecision',
                      actions: ['forget'],
                    },
                  ],
                },
                replanDecision: {
                  description: 'Is the replan bound reached? A paused run does not ask the planner yet.',
                  on: {
                    'choose.isPaused': { actions: 'choose' },
                    'choose.canReplan': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'isPaused',
                      target: 'holdingPlanner',
                      actions: ['forget'],
                    },
                    {
                      guard: 'canReplan',
                      target: 'askingPlanner',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: 'replanBoundDecision',
                      actions: ['forget'],
                    },
                  ],
                },
                replanBoundDecision: {
                  description: 'The replan bound is reached: does the run fail, finish, ask a person, or continue without another plan?',
                  entry: 'refuseRequests',
                  on: {
                    'choose.failsOnLimit': { actions: 'choose' },
                    'choose.hasNoPlan': { actions: 'choose' },
                    'choose.finishesOnLimit': { actions: 'choose' },
                    'choose.asksOnLimit': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'failsOnLimit',
                      target: '#orchestrator.windingDown',
                      actions: [
                        {
                          type: 'endFailed',
                          params: { reason: 'replan-limit' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'hasNoPlan',
                      target: '#orchestrator.windingDown',
                      actions: [
                        {
                          type: 'endFailed',
                          params: { reason: 'no-acceptable-plan' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'finishesOnLimit',
                      target: '#concluding.summaryDecision',
                      actions: ['dropRequests', 'forget'],
                    },
                    {
                      guard: 'asksOnLimit',
                      target: 'awaitingLimitApproval',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: '#executing',
                      actions: ['dropRequests', 'forget'],
                    },
                  ],
                },
                awaitingLimitApproval: {
                  description: 'A person decides whether the run continues without another plan.',
                  tags: ['waiting-for-human'],
                  entry: [
                    'countQuestion',
                    {
                      type: 'enterPhase',
                      params: { phase: 'awaitingLimitApproval' },
                    },
                  ],
                  invoke: {
                    id: 'approval',
                    src: 'approval',
                    onDone: [
                      {
                        guard: 'isGranted',
                        target: '#executing',
                        actions: ['dropRequests', 'forget'],
                      },
                      {
                        target: '#concluding.summaryDecision',
                        actions: [
                          {
                            type: 'endFailed',
                            params: { reason: 'replan-limit' },
                          },
                          'forget',
                        ],
                      },
                    ],
                    onError: {
                      target: '#concluding.summaryDecision',
                      actions: { type: 'endFailed', params: { reason: 'replan-limit' } },
                    },
                  },
                  on: {
                    'choose.done.actor.approval': { actions: 'happen' },
                    'choose.error.actor.approval': { actions: 'happen' },
                    'choose.isGranted': { actions: 'choose' },
                  },
                },
                holdingPlanner: {
                  description: 'The planner is asked as soon as a person unpauses the run.',
                  tags: ['waiting-for-human'],
                  entry: { type: 'enterPhase', params: { phase: 'paused' } },
                  on: {
                    'run.release': [
                      {
                        guard: 'hasPlan',
                        target: '#executing',
                        actions: ['releaseSteps', 'forget'],
                      },
                      {
                        guard: 'hasRequests',
                        target: 'replanDecision',
                        actions: ['releaseSteps', 'forget'],
                      },
                      {
                        target: 'askingPlanner',
                        actions: ['releaseSteps', 'forget'],
                      },
                    ],
                    'choose.hasPlan': { actions: 'choose' },
                    'choose.hasRequests': { actions: 'choose' },
                  },
                },
              },
            },
            executing: {
              id: 'executing',
              description: 'The steps of the plan run, as many at once as there are slots.',
              initial: 'runningSteps',
              entry: { type: 'enterPhase', params: { phase: 'executing' } },
              states: {
                runningSteps: {
                  description: 'Every runnable step starts as soon as a slot is free.',
                  tags: ['running'],
                  on: {
                    'xstate.done.actor.*': {
                      guard: 'hasVerdictForRun',
                      target: 'reportingVerdict',
                      actions: ['settleStep', 'forget'],
                    },
                    'choose.done.actor.child': { actions: 'happen' },
                    'choose.hasVerdictForRun': { actions: 'choose' },
                    'choose.canStartSteps': { actions: 'choose' },
                    'choose.mustStop': { actions: 'choose' },
                    'choose.hasTooManyFailures': { actions: 'choose' },
                    'choose.isPaused': { actions: 'choose' },
                    'choose.isExecutionClosed': { actions: 'choose' },
                    'choose.hasRefusedRequests': { actions: 'choose' },
                    'choose.startsOver': { actions: 'choose' },
                    'choose.hasRequests': { actions: 'choose' },
                    'choose.isPlanSettled': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'canStartSteps',
                      actions: ['startSteps', 'forget'],
                    },
                    {
                      guard: 'mustStop',
                      target: '#concluding.summaryDecision',
                      actions: [
                        {
                          type: 'endByFailure',
                          params: { reason: 'step-failed' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'hasTooManyFailures',
                      target: '#concluding.summaryDecision',
                      actions: [
                        {
                          type: 'endByFailure',
                          params: { reason: 'too-many-failures' },
                        },
                        'forget',
                      ],
                    },
                    { guard: 'isPaused', target: 'paused', actions: ['forget'] },
                    {
                      guard: 'isExecutionClosed',
                      target: 'draining',
                      actions: ['forget'],
                    },
                    {
                      guard: 'hasRefusedRequests',
                      target: '#planning.replanBoundDecision',
                      actions: ['forget'],
                    },
                    {
                      guard: 'startsOver',
                      target: '#planning.replanDecision',
                      actions: ['giveUpSteps', 'coalesceRequests', 'forget'],
                    },
                    {
                      guard: 'hasRequests',
                      target: 'draining',
                      actions: ['forget'],
                    },
                    {
                      guard: 'isPlanSettled',
                      target: '#concluding',
                      actions: ['forget'],
                    },
                  ],
                },
                reportingVerdict: {
                  description: 'The verdict on a step of a sub-plan reaches the ladder of the run before the next step starts.',
                  tags: ['running'],
                  entry: 'takeTurn',
                  on: { 'turn.taken': 'runningSteps' },
                },
                draining: {
                  description: 'Nothing new starts. Running steps finish before another plan, or the end.',
                  tags: ['running'],
                  entry: { type: 'enterPhase', params: { phase: 'draining' } },
                  on: {
                    'choose.mustStop': { actions: 'choose' },
                    'choose.hasTooManyFailures': { actions: 'choose' },
                    'choose.isPaused': { actions: 'choose' },
                    'choose.isGoalMissed': { actions: 'choose' },
                    'choose.isDrainedAndClosed': { actions: 'choose' },
                    'choose.isIdle': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'mustStop',
                      target: '#concluding.summaryDecision',
                      actions: [
                        {
                          type: 'endByFailure',
                          params: { reason: 'step-failed' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'hasTooManyFailures',
                      target: '#concluding.summaryDecision',
                      actions: [
                        {
                          type: 'endByFailure',
                          params: { reason: 'too-many-failures' },
                        },
                        'forget',
                      ],
                    },
                    { guard: 'isPaused', target: 'paused', actions: ['forget'] },
                    {
                      guard: 'isGoalMissed',
                      target: '#concluding.summaryDecision',
                      actions: [
                        {
                          type: 'endFailed',
                          params: { reason: 'goal-not-achieved' },
                        },
                        'forget',
                      ],
                    },
                    {
                      guard: 'isDrainedAndClosed',
                      target: '#concluding',
                      actions: ['dropRequests', 'forget'],
                    },
                    {
                      guard: 'isIdle',
                      target: '#planning.replanDecision',
                      actions: ['coalesceRequests', 'forget'],
                    },
                  ],
                },
                paused: {
                  description: 'Nothing new starts until a person unpauses the run. Running steps finish.',
                  tags: ['waiting-for-human'],
                  entry: { type: 'enterPhase', params: { phase: 'paused' } },
                  on: {
                    'run.release': {
                      target: 'runningSteps',
                      actions: [
                        'releaseSteps',
                        { type: 'enterPhase', params: { phase: 'executing' } },
                      ],
                    },
                    'choose.isSubplanSettled': { actions: 'choose' },
                  },
                  always: {
                    guard: 'isSubplanSettled',
                    target: '#concluding',
                    actions: ['forget'],
                  },
                },
              },
            },
            concluding: {
              id: 'concluding',
              description: 'The goal is verified and the run summarized, in the time reserved for it.',
              initial: 'goalReviewDecision',
              states: {
                goalReviewDecision: {
                  description: 'Does the supervisor have to confirm the goal?',
                  on: {
                    'choose.needsGoalReview': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'needsGoalReview',
                      target: 'verifying',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: 'summaryDecision',
                      actions: ['forget'],
                    },
                  ],
                },
                verifying: {
                  description: 'The supervisor judges whether the goal is met, within its share of the time.',
                  tags: ['running'],
                  entry: { type: 'enterPhase', params: { phase: 'verifying' } },
                  invoke: {
                    id: 'goalReview',
                    src: 'agentCall',
                    onDone: [
                      {
                        guard: 'isGoalAccepted',
                        target: 'summaryDecision',
                        actions: [
                          {
                            type: 'endWith',
                            params: { status: 'completed', reason: 'goal-achieved' },
                          },
                          'forget',
                        ],
                      },
                      {
                        guard: 'canReplanInTime',
                        target: '#planning.replanDecision',
                        actions: ['keepReview', 'requestGoal', 'forget'],
                      },
                      {
                        target: 'summaryDecision',
                        actions: [
                          {
                            type: 'endFailed',
                            params: { reason: 'goal-not-achieved' },
                          },
                          'forget',
                        ],
                      },
                    ],
                    onError: {
                      target: 'summaryDecision',
                      actions: {
                        type: 'endFailed',
                        params: { reason: 'verification-failed' },
                      },
                    },
                  },
                  on: {
                    'run.hold': {
                      actions: [
                        'holdSteps',
                        { type: 'passToCall', params: { id: 'goalReview' } },
                      ],
                    },
                    'run.release': {
                      actions: [
                        'releaseSteps',
                        { type: 'passToCall', params: { id: 'goalReview' } },
                      ],
                    },
                    'choose.done.actor.goalReview': { actions: 'happen' },
                    'choose.error.actor.goalReview': { actions: 'happen' },
                    'choose.after.verificationBudget.orchestrator.active.work.concluding.verifying': { actions: 'happen' },
                    'choose.isGoalAccepted': { actions: 'choose' },
                    'choose.canReplanInTime': { actions: 'choose' },
                  },
                  after: {
                    verificationBudget: {
                      target: 'summaryDecision',
                      actions: [
                        {
                          type: 'announceExpiry',
                          params: { scope: 'verification' },
                        },
                        {
                          type: 'endFailed',
                          params: { reason: 'verification-timeout' },
                        },
                      ],
                    },
                  },
                },
                summaryDecision: {
                  description: 'How does the run end, and is there anything to summarize?',
                  entry: 'decideEnding',
                  on: {
                    'choose.needsSummary': { actions: 'choose' },
                    'choose.otherwise': { actions: 'choose' },
                  },
                  always: [
                    {
                      guard: 'needsSummary',
                      target: 'summarizing',
                      actions: ['forget'],
                    },
                    {
                      guard: 'otherwise',
                      target: '#orchestrator.windingDown',
                      actions: ['forget'],
                    },
                  ],
                },
                summarizing: {
                  description: 'The summarizer describes the work. The run ends even if it fails.',
                  tags: ['running'],
                  entry: { type: 'enterPhase', params: { phase: 'summarizing' } },
                  invoke: {
                    id: 'summarizer',
                    src: 'agentCall',
                    onDone: {
                      target: '#orchestrator.windingDown',
                      actions: 'keepSummary',
                    },
                    onError: '#orchestrator.windingDown',
                  },
                  on: {
                    'choose.done.actor.summarizer': { actions: 'happen' },
                    'choose.error.actor.summarizer': { actions: 'happen' },
                    'choose.after.verificationBudget.orchestrator.active.work.concluding.summarizing': { actions: 'happen' },
                  },
                  after: { verificationBudget: '#orchestrator.windingDown' },
                },
              },
            },
          },
        },
        oversight: {
          description: 'The escalation ladder: every verdict moves it, and the most severe level wins. At the level abort the supervisor ends the run.',
          initial: 'none',
          on: {
            'verdict.given': { guard: 'isGoalRun', actions: ['climb', 'forget'] },
            'ladder.moved': [
              {
                guard: { type: 'isAtLevel', params: { level: 'abort' } },
                target: '#orchestrator.windingDown',
                actions: [
                  {
                    type: 'endWith',
                    params: { status: 'aborted', reason: 'escalation' },
                  },
                  'forget',
                ],
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'critical' } },
                target: '.critical',
                actions: ['forget'],
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'refocus' } },
                target: '.refocus',
                actions: ['forget'],
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'correct' } },
                target: '.correct',
                actions: ['forget'],
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'remind' } },
                target: '.remind',
                actions: ['forget'],
              },
              { target: '.none', actions: ['forget'] },
            ],
            'choose.isGoalRun': { actions: 'choose' },
            'choose.isAtLevel.abort': { actions: 'choose' },
            'choose.isAtLevel.critical': { actions: 'choose' },
            'choose.isAtLevel.refocus': { actions: 'choose' },
            'choose.isAtLevel.correct': { actions: 'choose' },
            'choose.isAtLevel.remind': { actions: 'choose' },
          },
          states: {
            none: { description: 'Agents get no guidance.' },
            remind: { description: 'Starting agents get gentle guidance.' },
            correct: { description: 'Starting agents get a clear correction.' },
            refocus: {
              description: 'Starting agents get a firm instruction to refocus.',
            },
            critical: { description: 'Starting agents get the final warning.' },
          },
        },
        clock: {
          description: 'The time of the whole run, in two parts so that time is left to conclude.',
          initial: 'open',
          states: {
            open: {
              description: 'Steps may start.',
              on: {
                'choose.after.executionDeadline.orchestrator.active.clock.open': { actions: 'happen' },
                'choose.hasExtension': { actions: 'choose' },
              },
              after: {
                executionDeadline: [
                  {
                    guard: 'hasExtension',
                    target: 'open',
                    reenter: true,
                    actions: ['useExtension', 'forget'],
                  },
                  {
                    target: 'closing',
                    actions: ['closeExecution', 'announceClosing', 'forget'],
                  },
                ],
              },
            },
            closing: {
              description: 'No more steps start; the remaining time is for verification and summary.',
              on: {
                'choose.after.timeLimit.orchestrator.active.clock.closing': { actions: 'happen' },
                'choose.hasExtension': { actions: 'choose' },
              },
              after: {
                timeLimit: [
                  {
                    guard: 'hasExtension',
                    target: 'closing',
                    reenter: true,
                    actions: ['useExtension', 'forget'],
                  },
                  {
                    target: '#orchestrator.windingDown',
                    actions: [
                      { type: 'announceExpiry', params: { scope: 'run' } },
                      {
                        type: 'endWith',
                        params: { status: 'timeExpired', reason: 'time-limit' },
                      },
                      'forget',
                    ],
                  },
                ],
              },
            },
          },
        },
      },
    },
    windingDown: {
      description: 'Nothing new starts. Running steps get the grace period, unless a person ended the run.',
      tags: ['ending'],
      entry: [
        { type: 'enterPhase', params: { phase: 'windingDown' } },
        'windDownSteps',
      ],
      on: {
        'choose.after.gracePeriod.orchestrator.windingDown': { actions: 'happen' },
        'choose.endsAtOnce': { actions: 'choose' },
        'choose.isIdle': { actions: 'choose' },
      },
      always: [
        { guard: 'endsAtOnce', target: 'endDecision', actions: ['forget'] },
        { guard: 'isIdle', target: 'endDecision', actions: ['forget'] },
      ],
      after: { gracePeriod: 'endDecision' },
    },
    endDecision: {
      description: 'Every step is settled: how did the run end?',
      tags: ['ending'],
      entry: 'announceEnd',
      on: {
        'choose.isEndingAs.completed': { actions: 'choose' },
        'choose.isEndingAs.aborted': { actions: 'choose' },
        'choose.isEndingAs.timeExpired': { actions: 'choose' },
        'choose.isEndingAs.budgetExhausted': { actions: 'choose' },
        'choose.otherwise': { actions: 'choose' },
      },
      always: [
        {
          guard: { type: 'isEndingAs', params: { status: 'completed' } },
          target: 'completed',
          actions: ['forget'],
        },
        {
          guard: { type: 'isEndingAs', params: { status: 'aborted' } },
          target: 'aborted',
          actions: ['forget'],
        },
        {
          guard: { type: 'isEndingAs', params: { status: 'timeExpired' } },
          target: 'timeExpired',
          actions: ['forget'],
        },
        {
          guard: { type: 'isEndingAs', params: { status: 'budgetExhausted' } },
          target: 'budgetExhausted',
          actions: ['forget'],
        },
        { guard: 'otherwise', target: 'failed', actions: ['forget'] },
      ],
    },
    completed: { description: 'The goal is met.', tags: ['settled'], type: 'final' },
    failed: {
      description: 'The goal is not met, with a reason.',
      tags: ['settled'],
      type: 'final',
    },
    aborted: {
      description: 'A person or the supervisor ended the run.',
      tags: ['settled'],
      type: 'final',
    },
    timeExpired: {
      description: 'The time limit was reached.',
      tags: ['settled'],
      type: 'final',
    },
    budgetExhausted: {
      description: 'A budget of calls, tokens or money was spent.',
      tags: ['settled'],
      type: 'final',
    },
  },
});
