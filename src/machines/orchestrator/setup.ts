import { assign, emit, enqueueActions, fromPromise, sendTo, setup } from 'xstate';

import { endsAtOnce } from '../../guards/approval.js';
import { exhaustedLimit } from '../../guards/budget.js';
import { hasRequests } from '../../guards/schedule.js';
import type { FactBody } from '../../model/facts.js';
import { planningBudgetMs, verificationBudgetMs } from '../../guards/time-budgets.js';
import { agentCallMachine } from '../agent-call/chart.js';
import { breakerMachine } from '../breaker/chart.js';
import { changed } from '../changed.js';
import { approvalMachine } from '../approval/chart.js';
import { resultOf } from '../event-output.js';
import * as calls from './requests.js';
import {
  actorIn,
  breakerOf,
  busySlots,
  outcomeIn,
  refusal,
  replanRefusal,
  routeOf,
} from './events.js';
import * as endings from './ending.js';
import * as facts from './facts.js';
import { orchestratorGuards } from './guards.js';
import { proposalAdopted } from './adopt.js';
import * as settle from './settle.js';
import { stepsStarted } from './start.js';
import * as takeOff from './cancel-steps.js';
import type {
  OrchestratorContext,
  OrchestratorEvent,
  OrchestratorInput,
  RunOutcome,
} from './context.js';
import type { Ending } from '../../model/statuses.js';
import * as updates from './updates.js';
import { nextHop, parentOf, routedFrom } from '../send-up.js';
import type { StepInput } from '../step/context.js';
import type { StepOutcome } from '../../model/step-outcome.js';

/** The implementations of the names in the orchestrator's chart. Each is one line here, or has its own file. */
export const orchestratorSetup = setup({
  types: {
    input: {} as OrchestratorInput,
    context: {} as OrchestratorContext,
    events: {} as OrchestratorEvent,
    output: {} as RunOutcome,
    emitted: {} as FactBody,
    tags: {} as 'running' | 'waiting-for-human' | 'ending' | 'settled',
  },
  guards: orchestratorGuards,
  actions: {
    adoptProposal: enqueueActions(({ context, enqueue }) => {
      const update = proposalAdopted(context);
      enqueue.assign(changed(context, update.context));
      for (const fact of update.facts) enqueue.emit(fact);
    }),
    announceClosing: emit({ type: 'time.executionClosed' }),
    announceEnd: enqueueActions(({ context, enqueue }) => {
      const update = takeOff.restCancelled(context);
      for (const fact of update.facts) enqueue.emit(fact);
      enqueue.assign(changed(context, update.context));
      if (context.depth === 0) enqueue.emit(facts.runEnded(context));
    }),
    announceExpiry: emit(
      (_, params: { readonly scope: FactBody<'time.expired'>['scope'] }) =>
        ({ type: 'time.expired', scope: params.scope }) as const,
    ),
    announceProposal: emit(({ context }) =>
      facts.planProposed(
        context,
        context.proposal?.plan ?? null,
        context.proposal?.origin ?? 'planner',
      ),
    ),
    refuseRequests: enqueueActions(({ context, enqueue }) => {
      const bound = replanRefusal(context);
      for (const fact of facts.replansRefused(context, bound)) enqueue.emit(fact);
      enqueue.assign({ refused: context.refused ?? bound });
      if (context.depth > 0) enqueue.sendTo(parentOf, { type: 'bound.reached', bound });
    }),
    announceStart: enqueueActions(({ context, enqueue }) => {
      if (context.depth === 0) enqueue.emit(facts.runStarted(context));
    }),
    announceUpgrade: enqueueActions(({ event, enqueue }) => {
      if (event.type === 'run.upgraded') enqueue.emit(facts.runUpgraded(event));
    }),
    answerQuestion: enqueueActions(({ context, event, enqueue }) => {
      if (!('requestId' in event)) return;
      const open = context.questions.find((question) => question.requestId === event.requestId);
      const hop = nextHop({ ...event, route: open?.route ?? [] });
      enqueue.assign(updates.questionClosed(context, event.requestId));
      if (hop.to !== undefined) enqueue.sendTo(hop.to, hop.event);
    }),
    askBreaker: enqueueActions(({ context, event, enqueue }) => {
      const breaker = breakerOf(context, event);
      if (breaker !== undefined) enqueue.sendTo(breaker, event);
    }),
    climb: enqueueActions(({ context, event, enqueue }) => {
      const verdict = event.type === 'verdict.given' ? event : outcomeIn(event)?.verdict;
      if (verdict == null) return;
      const update = updates.climbed(context, verdict);
      enqueue.assign(changed(context, update.context));
      for (const fact of update.facts) enqueue.emit(fact);
      enqueue.raise({ type: 'ladder.moved' });
    }),
    closeExecution: assign(({ context }) => ({
      isExecutionClosed: true,
      clockMs: updates.closingMs(context.settings, context.limitMs),
    })),
    closeQuestion: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'approval.closed') return;
      enqueue.assign(updates.questionClosed(context, event.requestId));
      if (context.depth > 0) enqueue.sendTo(parentOf, event);
    }),
    coalesceRequests: assign(({ context }) => updates.coalesced(context)),
    countCall: assign(({ context }) => updates.callCounted(context)),
    countPlannerCall: assign(({ context }) => updates.plannerCalled(context)),
    countQuestion: assign({ questionCount: ({ context }) => context.questionCount + 1 }),
    countUsage: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.settled') return;
      enqueue.assign(updates.usageCounted(context, event.usage));
      const breaker = breakerOf(context, event);
      if (breaker === undefined) return;
      enqueue.sendTo(breaker, { type: event.hasSucceeded ? 'call.succeeded' : 'call.failed' });
    }),
    decideEnding: assign(({ context }) =>
      endings.endedWith(context, endings.naturalEnding(context)),
    ),
    dropRequests: assign({ requests: [], proposal: null }),
    endFailed: assign(({ context }, { reason }: { readonly reason: string }) =>
      endings.endedWith(context, { status: 'failed', reason }),
    ),
    endByFailure: assign(({ context }, { reason }: { readonly reason: string }) =>
      endings.endedWith(context, endings.failureEnding(context, reason)),
    ),
    endRejected: assign(({ context, event }) => {
      const rejected = settle.rejectedIn(context, actorIn(event) ?? '', outcomeIn(event));
      return endings.endedByRejection(context, rejected);
    }),
    endWith: assign(({ context }, params: Ending) => endings.endedWith(context, params)),
    endWithBudget: enqueueActions(({ context, enqueue }) => {
      const limit = exhaustedLimit(context);
      if (limit === undefined || context.ending !== null) return;
      enqueue.emit({ type: 'budget.exhausted', limit });
      enqueue.assign({ ending: { status: 'budgetExhausted', reason: limit } });
    }),
    enterPhase: emit(({ context }, params: { readonly phase: Phase }) =>
      facts.phaseEntered(context, params.phase),
    ),
    enterPlanning: enqueueActions(({ context, enqueue }) => {
      if (!hasRequests(context)) {
        enqueue.emit(facts.phaseEntered(context, 'planning'));
        return;
      }
      enqueue.emit(facts.phaseEntered(context, 'replanning'));
      enqueue.emit(facts.replanStarted(context));
    }),
    extendTime: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'time.extend') return;
      enqueue.assign({ extensionMs: context.extensionMs + event.extraMs });
      enqueue.emit({ type: 'time.extended', extraMs: event.extraMs });
    }),
    giveUpSteps: enqueueActions(({ context, enqueue }) => {
      const update = takeOff.runningGivenUp(context);
      enqueue.assign(changed(context, update.context));
      for (const fact of update.facts) enqueue.emit(fact);
      for (const slotId of busySlots(context)) enqueue.stopChild(slotId);
    }),
    grantPermit: enqueueActions(({ event, enqueue }) => {
      const hop = nextHop({ type: 'permit.granted' as const, route: routeOf(event) });
      if (hop.to !== undefined) enqueue.sendTo(hop.to, hop.event);
    }),
    hear: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'conversation.say') return;
      enqueue.assign(updates.heard(context, event.text));
      enqueue.emit({ type: 'conversation.said', text: event.text });
    }),
    holdSteps: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ isPaused: true });
      for (const slotId of busySlots(context)) enqueue.sendTo(slotId, { type: 'run.hold' });
    }),
    keepProposal: assign(({ event }) => updates.proposed(resultOf(event))),
    keepReview: assign({ review: ({ event }) => resultOf(event) }),
    keepSummary: assign(({ event }) => {
      const result = resultOf(event);
      return { summaryKey: result.kind === 'answered' ? result.key : null };
    }),
    noteBound: assign(({ context, event }) =>
      event.type === 'bound.reached' ? { refused: context.refused ?? event.bound } : {},
    ),
    noteRecovery: assign(({ context, event }) =>
      event.type === 'run.recovered' ? updates.recovered(context, event) : {},
    ),
    openQuestion: enqueueActions(({ context, event, enqueue, self }) => {
      if (event.type !== 'approval.requested') return;
      enqueue.assign(updates.questionOpened(context, event));
      if (context.depth > 0) enqueue.sendTo(parentOf, routedFrom(event, self));
    }),
    passDown: enqueueActions(({ event, enqueue }) => {
      if (!('route' in event)) return;
      const hop = nextHop(event);
      if (hop.to !== undefined) enqueue.sendTo(hop.to, hop.event);
    }),
    passToCall: sendTo(
      (_, params: { readonly id: string }) => params.id,
      ({ event }) => event,
    ),
    passUp: sendTo(parentOf, ({ event, self }) =>
      'route' in event ? routedFrom(event, self) : event,
    ),
    pause: enqueueActions(({ enqueue }, params: { readonly reason: string }) => {
      enqueue.emit({ type: 'run.paused', reason: params.reason });
      enqueue.raise({ type: 'run.hold' });
    }),
    releaseSteps: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ isPaused: false });
      for (const slotId of busySlots(context)) enqueue.sendTo(slotId, { type: 'run.release' });
    }),
    refuseCommand: emit(({ context, event }) => ({
      type: 'command.refused',
      command: event.type,
      reason: refusal(context, event) ?? 'not-now',
    })),
    refusePermit: enqueueActions(({ event, enqueue }) => {
      const code = 'budget-exhausted' as const;
      const hop = nextHop({ type: 'permit.refused' as const, code, route: routeOf(event) });
      // Only steps outlive the work; a planner or supervisor in flight is stopped with it.
      if (hop.to?.startsWith('slot-') === true) enqueue.sendTo(hop.to, hop.event);
    }),
    rejectPlan: enqueueActions(
      (
        { context, enqueue },
        params: { readonly by: FactBody<'plan.rejected'>['by']; readonly reason?: string },
      ) => {
        const { reason, change } = updates.planRejected(context, params.by, params.reason);
        enqueue.emit(facts.planRejected({ ...context, ...change }, params.by, reason));
        enqueue.assign(change);
      },
    ),
    requestGoal: enqueueActions(({ context, enqueue }) => {
      const request = updates.goalRequest(context);
      enqueue.emit(facts.replanRequested(context, request));
      enqueue.assign({ requests: [...context.requests, request] });
    }),
    unpause: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'run.unpaused' });
      enqueue.raise({ type: 'run.release' });
    }),
    settleStep: enqueueActions(({ context, event, enqueue }) => {
      const actorId = actorIn(event);
      if (actorId === undefined) return;
      const outcome = outcomeIn(event);
      const update = settle.stepSettled(context, actorId, outcome);
      enqueue.assign(changed(context, update.context));
      for (const fact of update.facts) enqueue.emit(fact);
      enqueue.stopChild(actorId);
      const { refused } = update.context;
      if (context.depth > 0 && context.refused === null && refused !== null)
        enqueue.sendTo(parentOf, { type: 'bound.reached', bound: refused });
      // Only the root has the ladder: a sub-plan passes the verdict on.
      if (context.depth === 0 || outcome?.verdict == null) return;
      enqueue.sendTo(parentOf, { type: 'verdict.given', ...outcome.verdict });
    }),
    skipSteps: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'plan.skip' && event.type !== 'plan.skipTo') return;
      const indexes = takeOff.stepsToSkip(context, event);
      const update = takeOff.waitingSkipped(context, indexes, event.reason);
      enqueue.emit({
        type: 'plan.modified',
        change: event.type === 'plan.skip' ? 'skip' : 'skipTo',
        stepIds: indexes.map((index) =>
          calls.stepPath(context, context.progress.steps[index]?.id ?? ''),
        ),
        reason: event.reason ?? null,
      });
      enqueue.assign(changed(context, update.context));
      for (const fact of update.facts) enqueue.emit(fact);
      for (const [slot, index] of context.slots.entries()) {
        if (index === null || !indexes.includes(index)) continue;
        enqueue.sendTo(`slot-${slot}`, { type: 'step.skip', reason: event.reason ?? '' });
      }
    }),
    startBreakers: enqueueActions(({ context, enqueue }) => {
      const { breaker } = context.settings.policy;
      if (breaker === null || context.depth > 0) return;
      for (const agent of context.settings.team.agents) {
        const id = `breaker-${agent}`;
        const { failures: failureLimit, resetMs: cooldownMs } = breaker;
        enqueue.spawnChild('breaker', { id, input: { agent, failureLimit, cooldownMs } });
      }
    }),
    startSteps: enqueueActions(({ context, enqueue }) => {
      const started = stepsStarted(context);
      enqueue.assign(changed(context, started.context));
      for (const { index, slotId, input } of started.starts) {
        enqueue.emit(facts.stepStarted(started.context, index, slotId));
        enqueue.spawnChild('step', { id: slotId, input });
      }
    }),
    // Handled after everything that this transition asked for; dropped if the run ends by it.
    takeTurn: sendTo(({ self }) => self, { type: 'turn.taken' }),
    useExtension: assign(({ context }) => updates.extensionUsed(context)),
    windDownSteps: enqueueActions(({ context, enqueue }) => {
      // After an abort or a rejection the run ends at once: running steps are not asked to finish.
      if (endsAtOnce(context)) return;
      for (const slotId of busySlots(context)) enqueue.sendTo(slotId, { type: 'run.windDown' });
    }),
  },
  actors: {
    agentCall: agentCallMachine,
    approval: approvalMachine,
    breaker: breakerMachine,
    step: fromPromise<StepOutcome, StepInput>(() =>
      Promise.reject(new Error('step is provided by createOrchestrator')),
    ),
  },
  delays: {
    executionDeadline: ({ context }) => context.clockMs,
    gracePeriod: ({ context }) => context.settings.policy.time.graceMs,
    planningBudget: ({ context }) => planningBudgetMs(context.settings.policy),
    timeLimit: ({ context }) => context.clockMs,
    verificationBudget: ({ context }) => verificationBudgetMs(context.settings.policy),
  },
});

type Phase = FactBody<'phase.entered'>['phase'];
