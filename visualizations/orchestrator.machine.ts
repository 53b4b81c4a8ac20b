// The chart 'orchestrator', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.
import { fromPromise, setup } from 'xstate';

export const orchestratorMachine = setup({
  guards: {
    areRecoveriesUsedUp: () => false,
    asksOnLimit: () => false,
    canReplan: () => false,
    canReplanInTime: () => false,
    canStartSteps: () => false,
    endsAtOnce: () => false,
    endsByRejection: () => false,
    endsByVerdict: () => false,
    failsOnLimit: () => false,
    finishesOnLimit: () => false,
    hasBreaker: () => false,
    hasExtension: () => false,
    hasNoPlan: () => false,
    hasNoPlanner: () => false,
    hasPlan: () => false,
    hasRefusedRequests: () => false,
    hasRequests: () => false,
    hasTooManyFailures: () => false,
    hasVerdictForRun: () => false,
    isAccepted: () => false,
    isAtLevel: () => false,
    isDrainedAndClosed: () => false,
    isEndingAs: () => false,
    isExecutionClosed: () => false,
    isForChild: () => false,
    isGoalAccepted: () => false,
    isGoalMissed: () => false,
    isGoalRun: () => false,
    isGranted: () => false,
    isIdle: () => false,
    isNested: () => false,
    isOutOfBudget: () => false,
    isPaused: () => false,
    isPlanAccepted: () => false,
    isPlanAnswered: () => false,
    isPlanGiven: () => false,
    isPlanSettled: () => false,
    isProposalInvalid: () => false,
    isQuestionOpen: () => false,
    isRepeatedPlan: () => false,
    isReviewHeld: () => false,
    isRunOutOfBudget: () => false,
    isSubplanSettled: () => false,
    keepsPlanOnReject: () => false,
    mustStop: () => false,
    needsGoalReview: () => false,
    needsPlanApproval: () => false,
    needsPlanReview: () => false,
    needsSummary: () => false,
    rejectionFails: () => false,
    startsOver: () => false,
    waitsOnPlannerFailure: () => false,
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
    giveUpSteps: () => {},
    grantPermit: () => {},
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
    executionDeadline: 1000,
    gracePeriod: 1000,
    planningBudget: 1000,
    timeLimit: 1000,
    verificationBudget: 1000,
  },
}).createMachine({
  id: 'orchestrator',
  description: 'Plans, executes, replans and verifies one goal within the bounds of a policy.',
  options: { maxIterations: 1000 },
  initial: 'starting',
  on: {
    'xstate.done.actor.*': { actions: 'settleStep' },
    'xstate.error.actor.*': { actions: 'settleStep' },
    'permit.requested': [
      { guard: 'isNested', actions: 'passUp' },
      { guard: 'isOutOfBudget', actions: 'refusePermit' },
      { guard: 'hasBreaker', actions: ['countCall', 'askBreaker'] },
      { actions: ['countCall', 'grantPermit'] },
    ],
    'permit.granted': { actions: 'passDown' },
    'permit.refused': { actions: 'passDown' },
    'call.settled': [{ guard: 'isNested', actions: 'passUp' }, { actions: 'countUsage' }],
    'verdict.given': { guard: 'isNested', actions: 'passUp' },
    'bound.reached': [{ guard: 'isNested', actions: 'passUp' }, { actions: 'noteBound' }],
    'run.recovered': [
      {
        guard: 'areRecoveriesUsedUp',
        target: '.endDecision',
        actions: [
          'noteRecovery',
          { type: 'endFailed', params: { reason: 'max-recoveries' } },
        ],
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
    'run.unpause': { actions: 'refuseCommand' },
    'time.extend': { actions: 'refuseCommand' },
    'run.abort': { actions: 'refuseCommand' },
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
            actions: ['endRejected', 'settleStep'],
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
            ],
          },
          { guard: 'isGoalRun', actions: ['climb', 'settleStep'] },
        ],
        'permit.requested': {
          guard: 'isRunOutOfBudget',
          target: 'windingDown',
          actions: ['endWithBudget', 'refusePermit'],
        },
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
        'run.unpause': { guard: 'isAccepted', actions: 'unpause' },
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
          actions: { type: 'endWith' },
        },
        'time.isUp': {
          target: 'windingDown',
          actions: {
            type: 'endWith',
            params: { status: 'timeExpired', reason: 'time-limit' },
          },
        },
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
                  always: [
                    {
                      guard: 'isPlanGiven',
                      target: 'planDecision',
                      actions: 'announceProposal',
                    },
                    {
                      guard: 'hasNoPlanner',
                      target: '#orchestrator.windingDown',
                      actions: {
                        type: 'endFailed',
                        params: { reason: 'planning-failed' },
                      },
                    },
                    { guard: 'isPaused', target: 'holdingPlanner' },
                    { target: 'askingPlanner' },
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
                        actions: ['keepProposal', 'announceProposal'],
                      },
                      {
                        target: 'plannerFailureDecision',
                        actions: { type: 'rejectPlan' },
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
                  always: [
                    {
                      guard: 'hasPlan',
                      target: '#executing',
                      actions: 'dropRequests',
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
                      ],
                    },
                    {
                      target: '#orchestrator.windingDown',
                      actions: {
                        type: 'endFailed',
                        params: { reason: 'planning-failed' },
                      },
                    },
                  ],
                },
                planDecision: {
                  description: 'Is the plan valid and new, and does the supervisor review it?',
                  always: [
                    {
                      guard: 'isProposalInvalid',
                      target: 'replanDecision',
                      actions: { type: 'rejectPlan', params: { by: 'validation' } },
                    },
                    {
                      guard: 'isRepeatedPlan',
                      target: 'replanBoundDecision',
                      actions: { type: 'rejectPlan', params: { by: 'repeat' } },
                    },
                    { guard: 'isReviewHeld', target: 'holdingReview' },
                    { guard: 'needsPlanReview', target: 'reviewingPlan' },
                    { target: 'approvalDecision' },
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
                      { guard: 'isPlanAccepted', target: 'approvalDecision' },
                      {
                        target: 'replanDecision',
                        actions: [
                          'keepReview',
                          { type: 'rejectPlan', params: { by: 'supervisor' } },
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
                  always: [
                    {
                      guard: 'needsPlanApproval',
                      target: 'awaitingPlanApproval',
                    },
                    { target: '#executing', actions: 'adoptProposal' },
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
                        actions: 'adoptProposal',
                      },
                      {
                        target: 'rejectionDecision',
                        actions: { type: 'rejectPlan' },
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
                },
                rejectionDecision: {
                  description: 'A person rejected the plan: does the run continue with the present plan, fail, or make another plan?',
                  always: [
                    {
                      guard: 'keepsPlanOnReject',
                      target: '#executing',
                      actions: 'dropRequests',
                    },
                    {
                      guard: 'rejectionFails',
                      target: '#orchestrator.windingDown',
                      actions: { type: 'endFailed', params: { reason: 'plan-rejected' } },
                    },
                    { target: 'replanDecision' },
                  ],
                },
                replanDecision: {
                  description: 'Is the replan bound reached? A paused run does not ask the planner yet.',
                  always: [
                    { guard: 'isPaused', target: 'holdingPlanner' },
                    { guard: 'canReplan', target: 'askingPlanner' },
                    { target: 'replanBoundDecision' },
                  ],
                },
                replanBoundDecision: {
                  description: 'The replan bound is reached: does the run fail, finish, ask a person, or continue without another plan?',
                  entry: 'refuseRequests',
                  always: [
                    {
                      guard: 'failsOnLimit',
                      target: '#orchestrator.windingDown',
                      actions: { type: 'endFailed', params: { reason: 'replan-limit' } },
                    },
                    {
                      guard: 'hasNoPlan',
                      target: '#orchestrator.windingDown',
                      actions: {
                        type: 'endFailed',
                        params: { reason: 'no-acceptable-plan' },
                      },
                    },
                    {
                      guard: 'finishesOnLimit',
                      target: '#concluding.summaryDecision',
                      actions: 'dropRequests',
                    },
                    { guard: 'asksOnLimit', target: 'awaitingLimitApproval' },
                    { target: '#executing', actions: 'dropRequests' },
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
                        actions: 'dropRequests',
                      },
                      {
                        target: '#concluding.summaryDecision',
                        actions: {
                          type: 'endFailed',
                          params: { reason: 'replan-limit' },
                        },
                      },
                    ],
                    onError: {
                      target: '#concluding.summaryDecision',
                      actions: { type: 'endFailed', params: { reason: 'replan-limit' } },
                    },
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
                        actions: 'releaseSteps',
                      },
                      {
                        guard: 'hasRequests',
                        target: 'replanDecision',
                        actions: 'releaseSteps',
                      },
                      { target: 'askingPlanner', actions: 'releaseSteps' },
                    ],
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
                      actions: 'settleStep',
                    },
                  },
                  always: [
                    { guard: 'canStartSteps', actions: 'startSteps' },
                    {
                      guard: 'mustStop',
                      target: '#concluding.summaryDecision',
                      actions: {
                        type: 'endByFailure',
                        params: { reason: 'step-failed' },
                      },
                    },
                    {
                      guard: 'hasTooManyFailures',
                      target: '#concluding.summaryDecision',
                      actions: {
                        type: 'endByFailure',
                        params: { reason: 'too-many-failures' },
                      },
                    },
                    { guard: 'isPaused', target: 'paused' },
                    { guard: 'isExecutionClosed', target: 'draining' },
                    {
                      guard: 'hasRefusedRequests',
                      target: '#planning.replanBoundDecision',
                    },
                    {
                      guard: 'startsOver',
                      target: '#planning.replanDecision',
                      actions: ['giveUpSteps', 'coalesceRequests'],
                    },
                    { guard: 'hasRequests', target: 'draining' },
                    { guard: 'isPlanSettled', target: '#concluding' },
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
                  always: [
                    {
                      guard: 'mustStop',
                      target: '#concluding.summaryDecision',
                      actions: {
                        type: 'endByFailure',
                        params: { reason: 'step-failed' },
                      },
                    },
                    {
                      guard: 'hasTooManyFailures',
                      target: '#concluding.summaryDecision',
                      actions: {
                        type: 'endByFailure',
                        params: { reason: 'too-many-failures' },
                      },
                    },
                    { guard: 'isPaused', target: 'paused' },
                    {
                      guard: 'isGoalMissed',
                      target: '#concluding.summaryDecision',
                      actions: {
                        type: 'endFailed',
                        params: { reason: 'goal-not-achieved' },
                      },
                    },
                    {
                      guard: 'isDrainedAndClosed',
                      target: '#concluding',
                      actions: 'dropRequests',
                    },
                    {
                      guard: 'isIdle',
                      target: '#planning.replanDecision',
                      actions: 'coalesceRequests',
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
                  },
                  always: { guard: 'isSubplanSettled', target: '#concluding' },
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
                  always: [
                    { guard: 'needsGoalReview', target: 'verifying' },
                    { target: 'summaryDecision' },
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
                        actions: {
                          type: 'endWith',
                          params: { status: 'completed', reason: 'goal-achieved' },
                        },
                      },
                      {
                        guard: 'canReplanInTime',
                        target: '#planning.replanDecision',
                        actions: ['keepReview', 'requestGoal'],
                      },
                      {
                        target: 'summaryDecision',
                        actions: {
                          type: 'endFailed',
                          params: { reason: 'goal-not-achieved' },
                        },
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
                  always: [
                    { guard: 'needsSummary', target: 'summarizing' },
                    { target: '#orchestrator.windingDown' },
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
            'verdict.given': { guard: 'isGoalRun', actions: 'climb' },
            'ladder.moved': [
              {
                guard: { type: 'isAtLevel', params: { level: 'abort' } },
                target: '#orchestrator.windingDown',
                actions: {
                  type: 'endWith',
                  params: { status: 'aborted', reason: 'escalation' },
                },
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'critical' } },
                target: '.critical',
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'refocus' } },
                target: '.refocus',
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'correct' } },
                target: '.correct',
              },
              {
                guard: { type: 'isAtLevel', params: { level: 'remind' } },
                target: '.remind',
              },
              { target: '.none' },
            ],
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
              after: {
                executionDeadline: [
                  {
                    guard: 'hasExtension',
                    target: 'open',
                    reenter: true,
                    actions: 'useExtension',
                  },
                  {
                    target: 'closing',
                    actions: ['closeExecution', 'announceClosing'],
                  },
                ],
              },
            },
            closing: {
              description: 'No more steps start; the remaining time is for verification and summary.',
              after: {
                timeLimit: [
                  {
                    guard: 'hasExtension',
                    target: 'closing',
                    reenter: true,
                    actions: 'useExtension',
                  },
                  {
                    target: '#orchestrator.windingDown',
                    actions: [
                      { type: 'announceExpiry', params: { scope: 'run' } },
                      {
                        type: 'endWith',
                        params: { status: 'timeExpired', reason: 'time-limit' },
                      },
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
      always: [
        { guard: 'endsAtOnce', target: 'endDecision' },
        { guard: 'isIdle', target: 'endDecision' },
      ],
      after: { gracePeriod: 'endDecision' },
    },
    endDecision: {
      description: 'Every step is settled: how did the run end?',
      tags: ['ending'],
      entry: 'announceEnd',
      always: [
        {
          guard: { type: 'isEndingAs', params: { status: 'completed' } },
          target: 'completed',
        },
        {
          guard: { type: 'isEndingAs', params: { status: 'aborted' } },
          target: 'aborted',
        },
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
