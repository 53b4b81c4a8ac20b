import type { AnyStateMachine } from 'xstate';
import { assign, emit, enqueueActions } from 'xstate';

import type { StoredEntry } from '../../src/model/run-store.js';
import type { Level } from '../../src/model/statuses.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';
import type { AgentCallContext } from '../../src/machines/agent-call/chart.js';
import { changed } from '../../src/machines/changed.js';
import { actorIn, outcomeIn } from '../../src/machines/orchestrator/events.js';
import * as facts from '../../src/machines/orchestrator/facts.js';
import { proposalAdopted } from '../../src/machines/orchestrator/adopt.js';
import * as settle from '../../src/machines/orchestrator/settle.js';
import { stepsStarted } from '../../src/machines/orchestrator/start.js';
import * as takeOff from '../../src/machines/orchestrator/cancel-steps.js';
import type {
  OrchestratorContext,
  OrchestratorEvent,
  Update,
} from '../../src/machines/orchestrator/context.js';
import * as updates from '../../src/machines/orchestrator/updates.js';
import type { StepContext } from '../../src/machines/step/context.js';
import { chunkedListOf, itemsOf } from '../../src/plan/chunked-list.js';
import { nextReady, withReady } from '../../src/plan/progress.js';
import { mayStartSteps } from '../../src/guards/schedule.js';
import type { InvariantName } from '../../src/testing/invariants/invariants.js';
import type { Replacements } from '../../src/proof/simulate/scripted-team.js';

/* Bugs put into the charts and the store from outside: no production file contains them. */

export interface PlantedBug {
  readonly bug: string;
  /** The invariant that must detect it. */
  readonly caughtBy: InvariantName;
  /** How it is violated, where there are several ways. */
  readonly how?: RegExp;
  readonly replacements: Replacements;
  /** Puts the bug where no replacement reaches, and returns how to take it out again. */
  readonly plant?: () => () => void;
}

type Phase = Parameters<typeof facts.phaseEntered>[1];

interface Run {
  readonly context: OrchestratorContext;
  readonly event: OrchestratorEvent;
}
interface Step {
  readonly context: StepContext;
}
interface Call {
  readonly context: AgentCallContext;
}

type Implementations = Parameters<AnyStateMachine['provide']>[0];

/** The kernel with one chart whose guards, actions or delays were replaced. */
const inChart = (id: string, implementations: Implementations): Replacements => ({
  runnerOf: (machine, verify) =>
    tracingRunner(machine.id === id ? machine.provide(implementations) : machine, verify),
});

/** Longer than any simulated run. */
const NEVER_MS = 2 ** 50;

const NOTHING = assign({});

/** Starts steps as the chart does, from a wrong context. */
const startingFrom = (wrong: (context: OrchestratorContext) => OrchestratorContext) =>
  enqueueActions(({ context, enqueue }) => {
    const started = stepsStarted(wrong(context as OrchestratorContext));
    enqueue.assign(started.context);
    for (const { index, slotId, input } of started.starts) {
      enqueue.emit(facts.stepStarted(started.context, index, slotId));
      enqueue.spawnChild('step', { id: slotId, input });
    }
  });

/** Settles steps as the chart does, with wrong facts. */
const settlingWith = (wrong: (update: Update) => Update) =>
  enqueueActions(({ context, event, enqueue }) => {
    const actorId = actorIn(event as OrchestratorEvent);
    if (actorId === undefined) return;
    const before = context as OrchestratorContext;
    const update = wrong(
      settle.stepSettled(before, actorId, outcomeIn(event as OrchestratorEvent)),
    );
    enqueue.assign(changed(before, update.context));
    for (const fact of update.facts) enqueue.emit(fact);
    enqueue.stopChild(actorId);
  });

/** Adopts plans as the chart does, with a wrong context. */
const adoptingWith = (wrong: (context: OrchestratorContext) => OrchestratorContext) =>
  enqueueActions(({ context, enqueue }) => {
    const before = context as OrchestratorContext;
    const update = proposalAdopted(before);
    enqueue.assign(changed(before, wrong(update.context)));
    for (const fact of update.facts) enqueue.emit(fact);
  });

/** Every waiting step may run, whatever it depends on. */
const withoutDependencies = (context: OrchestratorContext): OrchestratorContext => {
  const { progress } = context;
  const waiting = itemsOf(progress.states).flatMap((state, index) =>
    state.status === 'pending' && state.unmet > 0 ? [index] : [],
  );
  return { ...context, progress: withReady(progress, waiting) };
};

const withoutOutputs = (context: OrchestratorContext): OrchestratorContext => {
  const states = itemsOf(context.progress.states).map((state) => ({ ...state, outputKeys: [] }));
  return { ...context, progress: { ...context.progress, states: chunkedListOf(states) } };
};

const MILDER: Readonly<Record<Level, Level>> = {
  none: 'none',
  remind: 'remind',
  correct: 'remind',
  refocus: 'correct',
  critical: 'refocus',
  abort: 'critical',
};

const twice = ({ context, facts: [settled, ...rest] }: Update): Update => ({
  context,
  facts: settled === undefined ? rest : [settled, settled, ...rest],
});

/** Every second time tells only that it executes, so that facts depend on earlier runs. */
const forgetful = () => {
  let executions = 0;
  return enqueueActions(({ context, enqueue }, params: { readonly phase: Phase }) => {
    if (params.phase === 'executing') executions += 1;
    if (params.phase === 'executing' && executions % 2 === 0) return;
    enqueue.emit(facts.phaseEntered(context as OrchestratorContext, params.phase));
  });
};

const unfinished = (entries: readonly StoredEntry[]): readonly StoredEntry[] =>
  entries.length > 1 ? entries.slice(0, -1) : entries;

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    bug: 'the parallel cap is dropped',
    caughtBy: 'parallel-cap',
    replacements: inChart('orchestrator', {
      actions: {
        startSteps: startingFrom((context) => ({ ...context, slots: [...context.slots, null] })),
      },
    }),
  },
  {
    bug: 'one attempt too many',
    caughtBy: 'attempts-bounded',
    replacements: inChart('step', {
      guards: {
        canAttemptAgain: ({ context }: Step) =>
          context.attempt <= context.settings.policy.limits.maxAttempts,
      },
    }),
  },
  {
    bug: 'one try too many',
    caughtBy: 'attempts-bounded',
    replacements: inChart('agentCall', {
      guards: { canRetry: ({ context }: Call) => context.tries <= context.retry.attempts },
    }),
  },
  {
    bug: 'a step settles twice',
    caughtBy: 'settled-once',
    replacements: inChart('orchestrator', { actions: { settleStep: settlingWith(twice) } }),
  },
  {
    bug: 'the timer of a try is lost',
    caughtBy: 'waits-in-time',
    replacements: inChart('agentCall', { delays: { attemptTimeout: () => NEVER_MS } }),
  },
  {
    bug: 'the timer of a question is lost',
    caughtBy: 'waits-in-time',
    replacements: inChart('approval', { delays: { approvalTimeout: () => NEVER_MS } }),
  },
  {
    bug: 'dependencies are ignored',
    caughtBy: 'dependencies-first',
    replacements: inChart('orchestrator', {
      actions: { adoptProposal: adoptingWith(withoutDependencies) },
    }),
  },
  {
    bug: 'outputs are lost when there is another plan',
    caughtBy: 'outputs-delivered',
    replacements: inChart('orchestrator', {
      actions: { adoptProposal: adoptingWith(withoutOutputs) },
    }),
  },
  {
    bug: 'the store forgets its last entry in a crash',
    caughtBy: 'answered-once',
    replacements: { recovered: unfinished },
  },
  {
    bug: 'nobody is asked for approval',
    caughtBy: 'consent-first',
    replacements: inChart('step', { guards: { needsApproval: () => false } }),
  },
  {
    bug: 'the ladder is a rung too low',
    caughtBy: 'ladder-in-order',
    replacements: inChart('orchestrator', {
      actions: {
        climb: enqueueActions(({ context, event, enqueue }) => {
          const before = context as OrchestratorContext;
          const verdict = event as Extract<OrchestratorEvent, { type: 'verdict.given' }>;
          const { context: climbed } = updates.climbed(before, verdict);
          const level = MILDER[climbed.ladder.level];
          const next = { ...climbed, ladder: { ...climbed.ladder, level } };
          enqueue.assign(next);
          if (level === before.ladder.level) return;
          enqueue.emit(facts.escalationChanged(before.ladder.level, next, verdict.score));
        }),
      },
    }),
  },
  {
    bug: 'a replan costs nothing',
    caughtBy: 'replans-bounded',
    replacements: inChart('orchestrator', {
      actions: {
        countPlannerCall: assign({ plannerCalls: ({ context }: Run) => context.plannerCalls + 1 }),
      },
    }),
  },
  {
    bug: 'the limit of the run is not armed',
    caughtBy: 'ends-in-time',
    replacements: inChart('orchestrator', {
      delays: { executionDeadline: () => NEVER_MS, timeLimit: () => NEVER_MS },
    }),
  },
  {
    bug: 'a fact is told after the end',
    caughtBy: 'causes-first',
    replacements: inChart('orchestrator', {
      actions: {
        announceEnd: enqueueActions(({ context, enqueue }) => {
          const before = context as OrchestratorContext;
          const update = takeOff.restCancelled(before);
          for (const fact of update.facts) enqueue.emit(fact);
          enqueue.assign(changed(before, update.context));
          if (before.depth > 0) return;
          enqueue.emit(facts.runEnded(before));
          enqueue.emit({ type: 'conversation.said', text: 'One more thing' });
        }),
      },
    }),
  },
  {
    bug: 'steps that are left are forgotten at the end',
    caughtBy: 'settled-once',
    replacements: inChart('orchestrator', {
      actions: {
        announceEnd: emit(({ context }: Run) => facts.runEnded(context)),
      },
    }),
  },
  {
    bug: 'a run may die as often as it likes',
    caughtBy: 'recoveries-bounded',
    replacements: inChart('orchestrator', { guards: { areRecoveriesUsedUp: () => false } }),
  },
  {
    bug: 'calls are not counted',
    caughtBy: 'ceilings-held',
    replacements: inChart('orchestrator', { actions: { countCall: NOTHING } }),
  },
  {
    bug: 'sub-plans go one level too deep',
    caughtBy: 'depth-bounded',
    replacements: inChart('step', {
      guards: {
        canSubplan: ({ context }: Step) =>
          !context.isWindingDown &&
          context.settings.team.hasPlanner &&
          context.depth <= context.settings.policy.limits.maxDepth,
      },
    }),
  },
  {
    bug: 'a free slot is not filled',
    caughtBy: 'no-idle-slot',
    replacements: inChart('orchestrator', {
      guards: {
        canStartSteps: ({ context }: Run) =>
          mayStartSteps(context) &&
          context.slots.every((index) => index === null) &&
          nextReady(context.progress) !== undefined,
      },
    }),
  },
  {
    bug: 'calls are made that the journal does not know of',
    caughtBy: 'intent-first',
    replacements: { found: (entry) => ({ ...entry, intents: [] }) },
  },
  {
    bug: 'the pause before the next try never ends',
    caughtBy: 'heals',
    replacements: inChart('agentCall', { delays: { retryBackoff: () => NEVER_MS } }),
  },
  {
    bug: 'a chart remembers other runs',
    caughtBy: 'replay-agrees',
    replacements: inChart('orchestrator', { actions: { enterPhase: forgetful() } }),
  },
  {
    bug: 'an action depends on more than context and event',
    caughtBy: 'runners-agree',
    replacements: inChart('orchestrator', { actions: { enterPhase: forgetful() } }),
  },
  {
    bug: 'an entry of the journal has the wrong number',
    caughtBy: 'journal-gapless',
    replacements: {
      found: (entry) => ({ ...entry, sequence: Math.max(1, entry.sequence) }),
    },
  },
  {
    bug: 'an output changes on its way into the journal',
    caughtBy: 'outputs-kept',
    replacements: {
      found: (entry) => ({
        ...entry,
        facts: entry.facts.map((fact) =>
          fact.type === 'agent.answered' && fact.role === 'worker'
            ? { ...fact, output: 'Another' }
            : fact,
        ),
      }),
    },
  },
];
