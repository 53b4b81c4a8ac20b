import { assign, emit, enqueueActions, fromPromise, raise, sendTo, setup } from 'xstate';

import { endsAtOnce } from '../../guards/approval.js';
import { exhaustedLimit } from '../../guards/budget.js';
import type { FactBody } from '../../model/facts.js';
import { planningBudgetMs, verificationBudgetMs } from '../../guards/time-budgets.js';
import { agentCallMachine } from '../agent-call/chart.js';
import { breakerMachine } from '../breaker/chart.js';
import { changed } from '../changed.js';
import { checkedPlan, resultOf } from '../event-output.js';
import * as calls from './requests.js';
import {
  actorIn,
  asVerdict,
  breakerOf,
  busySlots,
  outcomeIn,
  ownAnswerFact,
  refusal,
  replanRefusal,
  routeOf,
} from './events.js';
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
import type { PlanToCheck, Proposal } from '../../model/proposal.js';
import type { Ending } from '../../model/statuses.js';
import * as updates from './updates.js';
import { nextHop, parentOf, routedFrom } from '../send-up.js';
import type { StepInput } from '../step/context.js';
import type { StepOutcome } from '../../model/step-outcome.js';
import { verdictReport } from '../step/updates.js';
import { verdictGiven } from '../verdict-facts.js';

/** The names that the orchestrator's chart uses. Each is one line here, or lives in a room of its own. */
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
    announceReplan: emit(({ context }) => facts.replanStarted(context)),
    announceReplanRefused: emit(({ context }) =>
      facts.replanRefused(context, replanRefusal(context)),
    ),
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
    askForPermission: enqueueActions(
      ({ context, enqueue, self }, params: { readonly about: keyof typeof facts.QUESTIONS }) => {
        const change = updates.ownQuestionOpened(context);
        const requestId = updates.ownQuestionId({ ...context, ...change });
        enqueue.assign(change);
        enqueue.emit({
          type: 'approval.requested',
          requestId,
          stepId: context.parentStepId,
          question: facts.QUESTIONS[params.about],
          payload: facts.approvalPayload(context),
        });
        if (context.depth > 0) {
          const { parentStepId: stepId } = context;
          const route = [self.id];
          enqueue.sendTo(parentOf, { type: 'approval.requested', requestId, stepId, route });
        }
      },
    ),
    callTime: raise({ type: 'time.isUp' }),
    climb: enqueueActions(({ context, event, enqueue }) => {
      const verdict = asVerdict(event);
      const next = { ...context, ...updates.climbed(context, verdict) };
      enqueue.assign(next);
      if (next.ladder.level !== context.ladder.level) {
        enqueue.emit(facts.escalationChanged(context.ladder.level, next, verdict.score));
      }
    }),
    closeExecution: assign(({ context }) => ({
      isExecutionClosed: true,
      clockMs: updates.closingMs(context.settings, context.limitMs),
    })),
    closeOwnQuestion: enqueueActions(({ context, event, enqueue }) => {
      const requestId = updates.ownQuestionId(context);
      enqueue.assign(updates.questionClosed(context, requestId));
      enqueue.emit(ownAnswerFact(context, requestId, event));
    }),
    closeQuestion: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'approval.closed') return;
      enqueue.assign(updates.questionClosed(context, event.requestId));
      if (context.depth > 0) enqueue.sendTo(parentOf, event);
    }),
    coalesceRequests: assign(({ context }) => updates.coalesced(context)),
    countCall: assign(({ context }) => updates.callCounted(context)),
    countPlannerCall: assign({ plannerCalls: ({ context }) => context.plannerCalls + 1 }),
    countReplan: assign(({ context }) => updates.replanStarted(context)),
    countUsage: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.settled') return;
      enqueue.assign(updates.usageCounted(context, event.usage));
      const breaker = breakerOf(context, event);
      if (breaker === undefined) return;
      enqueue.sendTo(breaker, { type: event.hasSucceeded ? 'call.succeeded' : 'call.failed' });
    }),
    decideEnding: assign(({ context }) =>
      updates.endedWith(context, updates.naturalEnding(context)),
    ),
    dropRequests: assign({ requests: [], proposal: null }),
    endFailed: assign(({ context }, { reason }: { readonly reason: string }) =>
      updates.endedWith(context, { status: 'failed', reason }),
    ),
    endRejected: assign(({ context, event }) => {
      const rejected = settle.rejectedIn(context, actorIn(event) ?? '', outcomeIn(event));
      return updates.endedByRejection(context, rejected);
    }),
    endWith: assign(({ context }, params: Ending) => updates.endedWith(context, params)),
    endWithBudget: enqueueActions(({ context, enqueue }) => {
      const limit = exhaustedLimit(context);
      if (limit === undefined || context.ending !== null) return;
      enqueue.emit({ type: 'budget.exhausted', limit });
      enqueue.assign({ ending: { status: 'budgetExhausted', reason: limit } });
    }),
    enterPhase: emit(({ context }, params: { readonly phase: Phase }) =>
      facts.phaseEntered(context, params.phase),
    ),
    exhaustLadder: raise({ type: 'ladder.isExhausted' }),
    extendTime: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'time.extend') return;
      enqueue.assign({ extensionMs: context.extensionMs + event.extraMs });
      enqueue.emit({ type: 'time.extended', extraMs: event.extraMs });
    }),
    giveVerdict: enqueueActions(
      ({ context, event, enqueue }, params: { readonly subject: 'plan' | 'goal' }) => {
        const review = resultOf(event);
        const { settings, parentStepId } = context;
        const fact = verdictGiven(settings, params.subject, parentStepId, review);
        const report = verdictReport(settings, params.subject, review);
        enqueue.assign({ review });
        if (fact !== undefined) enqueue.emit(fact);
        // Without a verdict there is nothing for the ladder to note.
        enqueue.raise(report ?? OWN_NOTE);
      },
    ),
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
    hearLastWord: enqueueActions(({ context, enqueue }) => {
      const hop = nextHop({ type: 'verdict.noted' as const, route: context.lastWord });
      if (hop.to === undefined) return;
      enqueue.sendTo(hop.to, { type: 'run.windDown' });
      enqueue.sendTo(hop.to, hop.event);
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
    keepGivenPlan: assign({ proposal: ({ event }) => checkedPlan(event), givenPlan: null }),
    keepLastWord: assign({
      lastWord: ({ event }) => (asVerdict(event).isLast ? routeOf(event) : []),
    }),
    keepProposal: assign(({ event }) => updates.proposed(resultOf(event))),
    keepSummary: assign(({ event }) => {
      const result = resultOf(event);
      return { summaryKey: result.kind === 'answered' ? result.key : null };
    }),
    noteRecovery: assign(({ context, event }) =>
      event.type === 'run.recovered' ? updates.recovered(context, event) : {},
    ),
    noteVerdict: enqueueActions(({ event, enqueue }) => {
      const hop = nextHop({ type: 'verdict.noted' as const, route: routeOf(event) });
      if (hop.to === undefined) enqueue.raise(OWN_NOTE);
      else enqueue.sendTo(hop.to, hop.event);
    }),
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
      // Only steps outlive the work; a planner or supervisor that asked is stopped with it.
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
    resume: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'run.resumed' });
      enqueue.raise({ type: 'run.release' });
    }),
    settleStep: enqueueActions(({ context, event, enqueue }) => {
      const actorId = actorIn(event);
      if (actorId === undefined) return;
      const update = settle.stepSettled(context, actorId, outcomeIn(event));
      enqueue.assign(changed(context, update.context));
      for (const fact of update.facts) enqueue.emit(fact);
      enqueue.stopChild(actorId);
    }),
    // The same as settleStep and startSteps, as one change: this is what happens for every step.
    settleAndStart: enqueueActions(({ context, event, enqueue }) => {
      const actorId = actorIn(event);
      if (actorId === undefined) return;
      const update = settle.stepSettled(context, actorId, outcomeIn(event));
      const started = stepsStarted(update.context);
      enqueue.assign(changed(context, started.context));
      for (const fact of update.facts) enqueue.emit(fact);
      // A slot that is given to the next step at once needs no clearing first.
      const isReused = started.starts.some(({ slotId }) => slotId === actorId);
      if (!isReused) enqueue.stopChild(actorId);
      for (const { index, slotId, input } of started.starts) {
        enqueue.emit(facts.stepStarted(started.context, index, slotId));
        enqueue.spawnChild('step', { id: slotId, input });
      }
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
      if (started.starts.length === 0) return;
      enqueue.assign(changed(context, started.context));
      for (const { index, slotId, input } of started.starts) {
        enqueue.emit(facts.stepStarted(started.context, index, slotId));
        enqueue.spawnChild('step', { id: slotId, input });
      }
    }),
    useExtension: assign(({ context }) => updates.extensionUsed(context)),
    windDownSteps: enqueueActions(({ context, enqueue }) => {
      // After an abort or a no nobody is asked to come to an end: the end is already there.
      if (endsAtOnce(context)) return;
      for (const slotId of busySlots(context)) enqueue.sendTo(slotId, { type: 'run.windDown' });
    }),
  },
  actors: {
    agentCall: agentCallMachine,
    breaker: breakerMachine,
    checkPlan: fromPromise<Proposal | null, PlanToCheck>(() =>
      Promise.reject(new Error('checkPlan is provided by createOrchestrator')),
    ),
    step: fromPromise<StepOutcome, StepInput>(() =>
      Promise.reject(new Error('step is provided by createOrchestrator')),
    ),
  },
  delays: {
    approvalTimeout: ({ context }) => context.settings.policy.approval.timeoutMs,
    executionDeadline: ({ context }) => context.clockMs,
    gracePeriod: ({ context }) => context.settings.policy.time.graceMs,
    planningBudget: ({ context }) => planningBudgetMs(context.settings.policy),
    timeLimit: ({ context }) => context.clockMs,
    verificationBudget: ({ context }) => verificationBudgetMs(context.settings.policy),
  },
});

/** The ladder's answer to a verdict of this chart's own. */
const OWN_NOTE = { type: 'verdict.noted', route: [] } as const;

type Phase = FactBody<'phase.entered'>['phase'];
