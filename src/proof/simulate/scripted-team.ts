import type { AnyStateMachine } from 'xstate';
import * as z from 'zod/mini';

import type { Agent } from '../../agents/agent.js';
import { defineAgent } from '../../agents/agent.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { ChartRunner } from '../../kernel/chart-runner.js';
import type { Verify } from '../../kernel/tracing/tracing-runner.js';
import { tracingRunner } from '../../kernel/tracing/tracing-runner.js';
import { transitionText } from '../../kernel/tracing/transition-text.js';
import type { Orchestrator, OrchestratorOptions } from '../../orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../orchestrator/create-orchestrator.js';
import type { DurabilityOptions } from '../../run/durability.js';
import { loadStoredRuns } from '../../run/run-registry.js';
import type { Clock } from '../../services/clock.js';
import type { RunStore, StoredEntry } from '../../model/run-store.js';
import { work } from './agents.js';
import type { Life } from './life.js';
import { networkedStore } from './network.js';
import { plan, review, summarize, test } from './roles.js';
import type { Policy } from '../../model/policy.js';
import type { Environment } from './environment.js';
import { STORE_RETRY_MS } from './world.js';

/** Parts that a test replaces, to plant a bug. */
export interface Replacements {
  /** Runs a chart in place of the kernel's own runner. Its replayed transitions go to `verify`, if given. */
  readonly runnerOf?: (machine: AnyStateMachine, verify?: Verify) => ChartRunner;
  /** Changes an entry of the final journal. */
  readonly found?: (entry: JournalEntry) => JournalEntry;
  /** Changes the stored entries after a crash. */
  readonly recovered?: (entries: readonly StoredEntry[]) => readonly StoredEntry[];
  /** The store of one process: between the orchestrator and the network. */
  readonly storeOf?: (store: RunStore, life: Life) => RunStore;
  /** The clock of one process. */
  readonly clockOf?: (clock: Clock, life: Life) => Clock;
  /** The store uses the time of its callers, although it has a clock. */
  readonly trustsCallers?: boolean;
}

/** For worlds with several processes: often enough that waiting for each other is short. */
const FLEET_PACE = { pollMs: 400, answerMs: 1_500 } as const satisfies DurabilityOptions;

/** Without other processes there are no commands to poll for. */
const LONE_PACE = { pollMs: 86_400_000 } as const satisfies DurabilityOptions;

/** The fast path is compared with XState in one of so many worlds. */
const COMPARED_EVERY = 10;

/** Makes the orchestrators of a world. They are real ones, one per process. */
export class SimulatedTeam {
  readonly #agentNames: readonly string[];
  readonly replacements: Replacements;
  /** Resolves when all on-demand parts are loaded. */
  readonly loaded: Promise<unknown> = Promise.resolve(loadStoredRuns());
  /** Traces of a chart are valid in every process. */
  readonly #runners = new Map<AnyStateMachine, ChartRunner>();
  readonly #comparedRunners = new Map<AnyStateMachine, ChartRunner>();
  /** The environment of the current world. */
  #environment: Environment | undefined;

  constructor(agentNames: readonly string[], replacements: Replacements) {
    this.#agentNames = agentNames;
    this.replacements = replacements;
  }

  /** The stored entries that the next process finds. */
  recovered(entries: readonly StoredEntry[]): readonly StoredEntry[] {
    return this.replacements.recovered?.(entries) ?? entries;
  }

  /** The final journal. */
  found(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const { found } = this.replacements;
    return found === undefined ? entries : entries.map(found);
  }

  /** The orchestrator of one process. */
  orchestrator(environment: Environment, life: Life): Orchestrator {
    const { setting } = environment;
    const called = <Answer>(call: () => Answer): Answer => environment.called(life, call);
    const build = buildOf(environment, life);
    const options = {
      ...this.#surroundings(environment, life),
      agents: [...this.#agentNames, ...build.addedAgents].map((name, index) =>
        agentOf(name, index, (call) => called(() => work(environment, call, name))),
      ),
      policy: build.policy,
      ...(setting.hasPlanner
        ? { planner: (request) => called(() => plan(environment, request)) as never }
        : {}),
      ...(setting.hasSupervisor
        ? { supervisor: (request) => called(() => review(environment, request)) as never }
        : {}),
      ...(setting.hasTester
        ? { tester: (request) => called(() => test(environment, request)) as never }
        : {}),
      ...(setting.hasSummarizer
        ? { summarizer: (request) => called(() => summarize(environment, request)) as never }
        : {}),
    } satisfies OrchestratorOptions<readonly Agent[]>;
    this.#environment = environment;
    return composeOrchestrator(options, undefined, this.#runnerIn(environment));
  }

  /** The clock and the store of one process. */
  #surroundings(environment: Environment, life: Life) {
    const { leaseMs, hasFleet } = environment.world;
    const { storeOf, clockOf } = this.replacements;
    const store = networkedStore(environment, life);
    const pace = hasFleet ? FLEET_PACE : LONE_PACE;
    return {
      clock: clockOf?.(life.clock, life) ?? life.clock,
      store: storeOf?.(store, life) ?? store,
      durability: { leaseMs, storeRetryMs: STORE_RETRY_MS, ...pace },
    };
  }

  /**
   * The fast path in every world, so that a world does not depend on earlier ones. In every tenth each replayed
   * transition is compared with XState.
   */
  #runnerIn({ world }: Environment): (chart: AnyStateMachine) => ChartRunner {
    const { runnerOf = tracingRunner } = this.replacements;
    return world.seed % COMPARED_EVERY === 0
      ? (chart) => kept(this.#comparedRunners, chart, () => runnerOf(chart, this.#verify))
      : (chart) => kept(this.#runners, chart, () => runnerOf(chart));
  }

  readonly #verify: Verify = (event, replayed, ask) => {
    const isSame = transitionText(replayed) === transitionText(ask());
    this.#environment?.expect(
      isSame,
      'runners-agree',
      `XState does something else on ${event.type}`,
    );
  };
}

/** In every such world each process has a newer build than the one before. */
const UPGRADED_EVERY = 4;

/** A newer build has one more agent, and a policy that shows agents more of each other's outputs. */
const buildOf = (
  { world, setting: { policy } }: Environment,
  { number }: Life,
): { readonly policy: Policy; readonly addedAgents: readonly string[] } => {
  if (number === 0 || world.seed % UPGRADED_EVERY !== 0) return { policy, addedAgents: [] };
  const { summaryCharacters } = policy.context;
  const context = { ...policy.context, summaryCharacters: summaryCharacters + number };
  return { policy: { ...policy, context }, addedAgents: ['newcomer'] };
};

const kept = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
};

const outputSchema = z.looseObject({ by: z.string(), step: z.string() });

/** Every second agent has a schema, every third a fallback. */
const agentOf = (name: string, index: number, run: Agent['run']): Agent =>
  defineAgent({
    name,
    description: `The ${name} of a simulated world`,
    run,
    ...(index % 2 === 1 ? { output: outputSchema } : {}),
    ...(index % 3 === 2 ? { fallback: ({ step }) => ({ by: name, step: step.id }) } : {}),
  });
