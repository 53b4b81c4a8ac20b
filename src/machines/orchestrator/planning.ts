import { planApproval, limitApproval, plannerCall, reviewCall } from './requests.js';
import { orchestratorSetup } from './setup.js';
import { failureIn } from './updates.js';

/**
 * From a goal to a plan that may run. Every plan takes this path: the first, a given one, and each one after a replan.
 */
export const planning = orchestratorSetup.createStateConfig({
  id: 'planning',
  description: 'A plan is made, checked, reviewed and approved before any of it runs.',
  initial: 'sourceDecision',
  states: {
    sourceDecision: {
      description: 'Is a plan given, is the run paused, or is the planner asked?',
      always: [
        { guard: 'isPlanGiven', target: 'planDecision', actions: 'announceProposal' },
        {
          guard: 'hasNoPlanner',
          target: '#orchestrator.windingDown',
          actions: { type: 'endFailed', params: { reason: 'planning-failed' } },
        },
        { guard: 'isPaused', target: 'holdingPlanner' },
        { target: 'askingPlanner' },
      ],
    },
    askingPlanner: {
      description:
        'The planner makes the first plan or another one, within its share of the time. A replan is counted when it is requested.',
      tags: ['running'],
      entry: ['countPlannerCall', 'enterPlanning'],
      invoke: {
        id: 'planner',
        src: 'agentCall',
        input: ({ context }) => plannerCall(context),
        onDone: [
          {
            guard: 'isPlanAnswered',
            target: 'planDecision',
            actions: ['keepProposal', 'announceProposal'],
          },
          {
            target: 'plannerFailureDecision',
            actions: {
              type: 'rejectPlan',
              params: ({ event }) => ({ by: 'planner', reason: failureIn(event.output) }),
            },
          },
        ],
        onError: {
          target: 'plannerFailureDecision',
          actions: { type: 'rejectPlan', params: { by: 'planner', reason: 'The call crashed' } },
        },
      },
      on: {
        'run.hold': { actions: ['holdSteps', { type: 'passToCall', params: { id: 'planner' } }] },
        'run.release': {
          actions: ['releaseSteps', { type: 'passToCall', params: { id: 'planner' } }],
        },
      },
      after: {
        planningBudget: {
          target: 'plannerFailureDecision',
          actions: [
            { type: 'announceExpiry', params: { scope: 'planning' } },
            {
              type: 'rejectPlan',
              params: { by: 'planner', reason: 'The planner took too long' },
            },
          ],
        },
      },
    },
    plannerFailureDecision: {
      description:
        'The planner gave no answer: does the run continue with the present plan, wait for a person, or fail?',
      always: [
        { guard: 'hasPlan', target: '#executing', actions: 'dropRequests' },
        {
          guard: 'waitsOnPlannerFailure',
          target: 'holdingPlanner',
          actions: ['dropRequests', { type: 'pause', params: { reason: 'The planner failed' } }],
        },
        {
          target: '#orchestrator.windingDown',
          actions: { type: 'endFailed', params: { reason: 'planning-failed' } },
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
      on: { 'run.release': { target: 'reviewingPlan', actions: 'releaseSteps' } },
    },
    reviewingPlan: {
      description: 'The supervisor scores the plan before any of it runs.',
      tags: ['running'],
      entry: { type: 'enterPhase', params: { phase: 'reviewingPlan' } },
      invoke: {
        id: 'planReview',
        src: 'agentCall',
        input: ({ context }) => reviewCall(context, 'plan'),
        onDone: [
          { guard: 'isPlanAccepted', target: 'approvalDecision' },
          {
            target: 'replanDecision',
            actions: ['keepReview', { type: 'rejectPlan', params: { by: 'supervisor' } }],
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
          actions: ['holdSteps', { type: 'passToCall', params: { id: 'planReview' } }],
        },
        'run.release': {
          actions: ['releaseSteps', { type: 'passToCall', params: { id: 'planReview' } }],
        },
      },
      after: {
        planningBudget: {
          target: 'replanDecision',
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
    approvalDecision: {
      description: 'Does a person have to agree to the plan?',
      always: [
        { guard: 'needsPlanApproval', target: 'awaitingPlanApproval' },
        { target: '#executing', actions: 'adoptProposal' },
      ],
    },
    awaitingPlanApproval: {
      description: 'A person reads the plan.',
      tags: ['waiting-for-human'],
      entry: ['countQuestion', { type: 'enterPhase', params: { phase: 'awaitingPlanApproval' } }],
      invoke: {
        id: 'approval',
        src: 'approval',
        input: ({ context }) => planApproval(context),
        onDone: [
          { guard: 'isGranted', target: '#executing', actions: 'adoptProposal' },
          {
            target: 'rejectionDecision',
            actions: {
              type: 'rejectPlan',
              params: ({ event }) => ({ by: 'human', reason: event.output.text }),
            },
          },
        ],
        onError: {
          target: 'rejectionDecision',
          actions: { type: 'rejectPlan', params: { by: 'human', reason: 'The approval crashed' } },
        },
      },
    },
    rejectionDecision: {
      description:
        'A person rejected the plan: does the run continue with the present plan, fail, or make another plan?',
      always: [
        { guard: 'keepsPlanOnReject', target: '#executing', actions: 'dropRequests' },
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
      description:
        'The replan bound is reached: does the run fail, finish, ask a person, or continue without another plan?',
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
          actions: { type: 'endFailed', params: { reason: 'no-acceptable-plan' } },
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
      entry: ['countQuestion', { type: 'enterPhase', params: { phase: 'awaitingLimitApproval' } }],
      invoke: {
        id: 'approval',
        src: 'approval',
        input: ({ context }) => limitApproval(context),
        onDone: [
          { guard: 'isGranted', target: '#executing', actions: 'dropRequests' },
          {
            target: '#concluding.summaryDecision',
            actions: { type: 'endFailed', params: { reason: 'replan-limit' } },
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
          { guard: 'hasPlan', target: '#executing', actions: 'releaseSteps' },
          { guard: 'hasRequests', target: 'replanDecision', actions: 'releaseSteps' },
          { target: 'askingPlanner', actions: 'releaseSteps' },
        ],
      },
    },
  },
});
