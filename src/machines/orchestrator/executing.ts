import { orchestratorSetup } from './setup.js';

/** The steps of the plan run, in a bounded number of slots, until all are settled or another plan is requested. */
export const executing = orchestratorSetup.createStateConfig({
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
          actions: { type: 'endByFailure', params: { reason: 'step-failed' } },
        },
        {
          guard: 'hasTooManyFailures',
          target: '#concluding.summaryDecision',
          actions: { type: 'endByFailure', params: { reason: 'too-many-failures' } },
        },
        { guard: 'isPaused', target: 'paused' },
        { guard: 'isExecutionClosed', target: 'draining' },
        { guard: 'hasRefusedRequests', target: '#planning.replanBoundDecision' },
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
      description:
        'The verdict on a step of a sub-plan reaches the ladder of the run before the next step starts.',
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
          actions: { type: 'endByFailure', params: { reason: 'step-failed' } },
        },
        {
          guard: 'hasTooManyFailures',
          target: '#concluding.summaryDecision',
          actions: { type: 'endByFailure', params: { reason: 'too-many-failures' } },
        },
        { guard: 'isPaused', target: 'paused' },
        {
          guard: 'isGoalMissed',
          target: '#concluding.summaryDecision',
          actions: { type: 'endFailed', params: { reason: 'goal-not-achieved' } },
        },
        { guard: 'isDrainedAndClosed', target: '#concluding', actions: 'dropRequests' },
        { guard: 'isIdle', target: '#planning.replanDecision', actions: 'coalesceRequests' },
      ],
    },
    paused: {
      description: 'Nothing new starts until a person unpauses the run. Running steps finish.',
      tags: ['waiting-for-human'],
      entry: { type: 'enterPhase', params: { phase: 'paused' } },
      on: {
        'run.release': {
          target: 'runningSteps',
          actions: ['releaseSteps', { type: 'enterPhase', params: { phase: 'executing' } }],
        },
      },
      always: { guard: 'isSubplanSettled', target: '#concluding' },
    },
  },
});
