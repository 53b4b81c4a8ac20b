import type { AnyStateMachine } from 'xstate';
import { z } from 'zod';

import type { Agent } from '../../agents/agent.js';
import { defineAgent } from '../../agents/agent.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { ChartRunner } from '../../kernel/chart-runner.js';
import type { Orchestrator, OrchestratorOptions } from '../../orchestrator.js';
import { composeOrchestrator } from '../../orchestrator.js';
import type { DurabilityOptions } from '../../run/durability.js';
import type { Clock } from '../../services/clock.js';
import type { RunStore, StoredEntry } from '../../services/run-store.js';
import { work } from './agents.js';
import type { Life } from './life.js';
import { networkedStore } from './network.js';
import { plan, review, summarize, test } from './roles.js';
import type { Stage } from './stage.js';
import { STORE_RETRY_MS } from './world.js';
// Loaded when they are asked for otherwise, and no virtual clock waits for that.
import '../../run/connected-run.js';
import '../../run/recovery.js';
import '../../run/take-up.js';

/** What a world is played with instead of the real thing; how a planted bug gets in. */
export interface Understudies {
  /** Runs a chart in place of the kernel's own runner. */
  readonly runnerOf?: (machine: AnyStateMachine) => ChartRunner;
  /** An entry as it is found when everything is over. */
  readonly found?: (entry: JournalEntry) => JournalEntry;
  /** What is left in the store when the process that wrote it has died. */
  readonly recovered?: (entries: readonly StoredEntry[]) => readonly StoredEntry[];
  /** The store in the hands of one process: between the orchestrator and the network. */
  readonly storeOf?: (store: RunStore, life: Life) => RunStore;
  /** The clock in the hands of one process. */
  readonly clockOf?: (clock: Clock, life: Life) => Clock;
  /** The store takes the time of its callers, though it has a clock. */
  readonly trustsCallers?: boolean;
}

/** Where processes work together: often enough that waiting for each other is short. */
const FLEET_PACE = { pollMs: 400, answerMs: 1_500 } as const satisfies DurabilityOptions;

/** Where no other process sends commands there is nothing to look for. */
const LONE_PACE = { pollMs: 86_400_000 } as const satisfies DurabilityOptions;

/** Makes the orchestrators that worlds are played with. They are the real ones: every process of a world has its own. */
export class Troupe {
  readonly #agentNames: readonly string[];
  readonly understudies: Understudies;
  readonly #runners = new Map<AnyStateMachine, ChartRunner>();

  constructor(agentNames: readonly string[], understudies: Understudies) {
    this.#agentNames = agentNames;
    this.understudies = understudies;
  }

  /** What a process that comes back finds of what the last one wrote. */
  recovered(entries: readonly StoredEntry[]): readonly StoredEntry[] {
    return this.understudies.recovered?.(entries) ?? entries;
  }

  /** The journal as it is found when everything is over. */
  found(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const { found } = this.understudies;
    return found === undefined ? entries : entries.map(found);
  }

  /** The orchestrator of one process. */
  orchestrator(stage: Stage, life: Life): Orchestrator {
    const { setting } = stage;
    const called = <Answer>(call: () => Answer): Answer => stage.called(life, call);
    const options = {
      ...this.#surroundings(stage, life),
      agents: this.#agentNames.map((name, index) =>
        agentOf(name, index, (call) => called(() => work(stage, call, name))),
      ),
      policy: setting.policy,
      ...(setting.hasPlanner
        ? { planner: (request) => called(() => plan(stage, request)) as never }
        : {}),
      ...(setting.hasSupervisor
        ? { supervisor: (request) => called(() => review(stage, request)) as never }
        : {}),
      ...(setting.hasTester
        ? { tester: (request) => called(() => test(stage, request)) as never }
        : {}),
      ...(setting.hasSummarizer
        ? { summarizer: (request) => called(() => summarize(stage, request)) as never }
        : {}),
    } satisfies OrchestratorOptions<readonly Agent[]>;
    const { runnerOf } = this.understudies;
    return composeOrchestrator(options, undefined, runnerOf && ((chart) => this.#runner(chart)));
  }

  /** The clock and the store of one process. */
  #surroundings(stage: Stage, life: Life) {
    const { leaseMs, hasFleet } = stage.world;
    const { storeOf, clockOf } = this.understudies;
    const store = networkedStore(stage, life);
    const pace = hasFleet ? FLEET_PACE : LONE_PACE;
    return {
      clock: clockOf?.(life.clock, life) ?? life.clock,
      store: storeOf?.(store, life) ?? store,
      durability: { leaseMs, storeRetryMs: STORE_RETRY_MS, ...pace },
    };
  }

  /** What a runner has learnt of a chart holds for every process. */
  #runner(chart: AnyStateMachine): ChartRunner {
    const known = this.#runners.get(chart);
    if (known !== undefined) return known;
    const { runnerOf } = this.understudies;
    if (runnerOf === undefined) throw new Error('Expected a runner for charts');
    const runner = runnerOf(chart);
    this.#runners.set(chart, runner);
    return runner;
  }
}

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
