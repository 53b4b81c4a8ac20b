import { concluding } from './concluding.js';
import { executing } from './executing.js';
import { planning } from './planning.js';
import { orchestratorSetup } from './setup.js';
import { runOutcome } from './ending.js';
import { initialContext, settingsIn } from './updates.js';
import type { Settings } from '../../model/settings.js';

/**
 * One goal, from the first plan to the report; or one sub-plan, a level deeper.
 *
 * It decides when the planner is asked, which steps run, when a person or the supervisor must agree, and how the run
 * ends. Steps do the work, in a bounded number of slots. Three regions run side by side: the work (planning.ts,
 * executing.ts, concluding.ts), the supervisor's escalation ladder, and the clock; each of the last two can end the
 * first. Completed work is kept, whatever ends the run.
 *
 * Without settings of its own it uses those of its input.
 */
export const createOrchestratorMachine = (settings?: Settings) =>
  orchestratorSetup.createMachine({
    id: 'orchestrator',
    description: 'Plans, executes, replans and verifies one goal within the bounds of a policy.',
    options: { maxIterations: 1000 },
    context: ({ input }) => initialContext(settings ?? settingsIn(input), input),
    initial: 'starting',
    output: ({ context }) => runOutcome(context),
    on: {
      'xstate.done.actor.*': { actions: 'settleStep' },
      'xstate.error.actor.*': { actions: 'settleStep' },
      'permit.requested': [
        { guard: 'isNested', actions: 'passUp' },
        { guard: 'isOutOfBudget', actions: 'refusePermit' },
        // A call is counted when it is requested, even if a breaker then refuses it.
        { guard: 'hasBreaker', actions: ['countCall', 'askBreaker'] },
        { actions: ['countCall', 'grantPermit'] },
      ],
      'permit.granted': { actions: 'passDown' },
      'permit.refused': { actions: 'passDown' },
      'call.settled': [{ guard: 'isNested', actions: 'passUp' }, { actions: 'countUsage' }],
      'verdict.given': { guard: 'isNested', actions: 'passUp' },
      'bound.reached': [{ guard: 'isNested', actions: 'passUp' }, { actions: 'noteBound' }],
      // Ends at once: winding down would repeat the call that killed so many processes.
      'run.recovered': [
        {
          guard: 'areRecoveriesUsedUp',
          target: '.endDecision',
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
      'run.unpause': { actions: 'refuseCommand' },
      'time.extend': { actions: 'refuseCommand' },
      'run.abort': { actions: 'refuseCommand' },
    },
    states: {
      // XState starts the children of an initial state before its actions: their facts would precede the start of the
      // run.
      starting: {
        description: 'The start of the run is announced before anything else happens.',
        entry: ['announceStart', 'startBreakers', 'takeTurn'],
        on: { 'turn.taken': 'active' },
      },
      active: {
        description: 'The run is active: work, oversight and clock run side by side.',
        type: 'parallel',
        // A command that no state here accepts is refused by the root.
        on: {
          'xstate.done.actor.*': [
            {
              guard: 'endsByRejection',
              target: 'windingDown',
              actions: ['endRejected', 'settleStep'],
            },
            // The verdict that confirms a step may end the run, after the step is settled.
            {
              guard: 'endsByVerdict',
              target: 'windingDown',
              actions: [
                'climb',
                { type: 'endWith', params: { status: 'aborted', reason: 'escalation' } },
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
            actions: {
              type: 'endWith',
              params: ({ event }) => ({ status: 'aborted', reason: event.reason }),
            },
          },
          'time.isUp': {
            target: 'windingDown',
            actions: { type: 'endWith', params: { status: 'timeExpired', reason: 'time-limit' } },
          },
        },
        states: {
          work: {
            description: 'Plan, execute, replan while replans are left, and conclude.',
            initial: 'planning',
            states: { planning, executing, concluding },
          },
          oversight: {
            description:
              'The escalation ladder: every verdict moves it, and the most severe level wins. At the level abort the supervisor ends the run.',
            initial: 'none',
            on: {
              'verdict.given': { guard: 'isGoalRun', actions: 'climb' },
              'ladder.moved': [
                {
                  guard: { type: 'isAtLevel', params: { level: 'abort' } },
                  target: '#orchestrator.windingDown',
                  actions: { type: 'endWith', params: { status: 'aborted', reason: 'escalation' } },
                },
                {
                  guard: { type: 'isAtLevel', params: { level: 'critical' } },
                  target: '.critical',
                },
                { guard: { type: 'isAtLevel', params: { level: 'refocus' } }, target: '.refocus' },
                { guard: { type: 'isAtLevel', params: { level: 'correct' } }, target: '.correct' },
                { guard: { type: 'isAtLevel', params: { level: 'remind' } }, target: '.remind' },
                { target: '.none' },
              ],
            },
            states: {
              none: { description: 'Agents get no guidance.' },
              remind: { description: 'Starting agents get gentle guidance.' },
              correct: { description: 'Starting agents get a clear correction.' },
              refocus: { description: 'Starting agents get a firm instruction to refocus.' },
              critical: { description: 'Starting agents get the final warning.' },
            },
          },
          clock: {
            description:
              'The time of the whole run, in two parts so that time is left to conclude.',
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
                description:
                  'No more steps start; the remaining time is for verification and summary.',
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
        description:
          'Nothing new starts. Running steps get the grace period, unless a person ended the run.',
        tags: ['ending'],
        entry: [{ type: 'enterPhase', params: { phase: 'windingDown' } }, 'windDownSteps'],
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
        description: 'The goal is not met, with a reason.',
        tags: ['settled'],
        type: 'final',
      },
      aborted: {
        description: 'A person or the supervisor ended the run.',
        tags: ['settled'],
        type: 'final',
      },
      timeExpired: { description: 'The time limit was reached.', tags: ['settled'], type: 'final' },
      budgetExhausted: {
        description: 'A budget of calls, tokens or money was spent.',
        tags: ['settled'],
        type: 'final',
      },
    },
  });
