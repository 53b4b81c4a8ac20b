import { reviewCall, summaryCall } from './requests.js';
import { orchestratorSetup } from './setup.js';

/** The work is done: the goal is verified and the run is summarized, where the policy and the team ask for it. */
export const concluding = orchestratorSetup.createStateConfig({
  id: 'concluding',
  description: 'The goal is verified and the run summarized, in the time reserved for it.',
  initial: 'goalReviewDecision',
  states: {
    goalReviewDecision: {
      description: 'Does the supervisor have to confirm the goal?',
      always: [{ guard: 'needsGoalReview', target: 'verifying' }, { target: 'summaryDecision' }],
    },
    verifying: {
      description: 'The supervisor judges whether the goal is met, within its share of the time.',
      tags: ['running'],
      entry: { type: 'enterPhase', params: { phase: 'verifying' } },
      invoke: {
        id: 'goalReview',
        src: 'agentCall',
        input: ({ context }) => reviewCall(context, 'goal'),
        onDone: [
          {
            guard: 'isGoalAccepted',
            target: 'summaryDecision',
            actions: { type: 'endWith', params: { status: 'completed', reason: 'goal-achieved' } },
          },
          {
            guard: 'canReplanInTime',
            target: '#planning.replanDecision',
            actions: ['keepReview', 'requestGoal'],
          },
          {
            target: 'summaryDecision',
            actions: { type: 'endFailed', params: { reason: 'goal-not-achieved' } },
          },
        ],
        onError: {
          target: 'summaryDecision',
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
          target: 'summaryDecision',
          actions: [
            { type: 'announceExpiry', params: { scope: 'verification' } },
            { type: 'endFailed', params: { reason: 'verification-timeout' } },
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
        input: ({ context }) => summaryCall(context),
        onDone: { target: '#orchestrator.windingDown', actions: 'keepSummary' },
        onError: '#orchestrator.windingDown',
      },
      after: { verificationBudget: '#orchestrator.windingDown' },
    },
  },
});
