import { z } from 'zod';

import type { Agent } from '../../agents/agent.js';
import { defineAgent } from '../../agents/agent.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { Orchestrator, OrchestratorOptions } from '../../orchestrator.js';
import { composeOrchestrator } from '../../orchestrator.js';
import type { Clock } from '../../services/clock.js';
import type { MaybePromise, RunClaim, RunStore, StoredEntry } from '../../services/run-store.js';
import { work } from './agents.js';
import { never } from './answering.js';
import type { Setting } from './policies.js';
import { plan, review, summarize, test } from './roles.js';
import type { Stage } from './stage.js';
import { writeToStore } from './store-faults.js';
// Loaded when it is asked for otherwise, and no virtual clock waits for that.
import '../../run/take-up.js';

/** What a world is played with instead of the real thing; how a planted bug gets in. */
export interface Understudies {
  /** Runs a chart in place of the kernel's own runner. */
  readonly runnerOf?: Parameters<typeof composeOrchestrator>[2];
  /** An entry as it is found when everything is over. */
  readonly found?: (entry: JournalEntry) => JournalEntry;
  /** What is left in the store when the process that wrote it has died. */
  readonly recovered?: (entries: readonly StoredEntry[]) => readonly StoredEntry[];
}

/** A dead run stays in the orchestrator that drove it; after this many the orchestrator is made anew. */
const DEAD_RUNS_MAX = 50;

/** Long, because every renewal is a timer. Whoever dies is seen to have died, and the lease is taken back. */
const LEASE_MS = 86_400_000;

interface Cast {
  readonly orchestrator: Orchestrator;
  /** Runs that it still believes to be driving. */
  readonly deadRuns: Set<string>;
}

/**
 * The orchestrators that worlds are played with. They are the real ones, each made once for its setting and used for
 * many worlds: agents, clock and store are doors to the stage that is set at the moment. Every life of a world has an
 * orchestrator of its own, as every process would.
 */
export class Troupe {
  readonly #agentNames: readonly string[];
  readonly #understudies: Understudies;
  readonly #casts = new Map<string, Cast>();
  #stage: Stage | undefined;

  constructor(agentNames: readonly string[], understudies: Understudies) {
    this.#agentNames = agentNames;
    this.#understudies = understudies;
  }

  /** What a process that comes back finds of what the last one wrote. */
  recovered(entries: readonly StoredEntry[]): readonly StoredEntry[] {
    return this.#understudies.recovered?.(entries) ?? entries;
  }

  /** The journal as it is found when everything is over. */
  found(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const { found } = this.#understudies;
    return found === undefined ? entries : entries.map(found);
  }

  enter(stage: Stage): void {
    this.#stage = stage;
  }

  /** The orchestrator for one life in one setting; never one that has driven this very run to its death. */
  orchestrator(settingKey: string, setting: Setting, lifeNumber: number): Orchestrator {
    const key = `${settingKey} ${lifeNumber}`;
    const known = this.#casts.get(key);
    const isFree = known !== undefined && known.deadRuns.size < DEAD_RUNS_MAX;
    if (isFree && !known.deadRuns.has(this.#current().runId)) return known.orchestrator;
    const orchestrator = this.#compose(setting, lifeNumber);
    this.#casts.set(key, { orchestrator, deadRuns: new Set() });
    return orchestrator;
  }

  /** The process of one life is gone, or has done nothing that ends. */
  bury(settingKey: string, lifeNumber: number): void {
    this.#casts.get(`${settingKey} ${lifeNumber}`)?.deadRuns.add(this.#current().runId);
  }

  #compose(setting: Setting, lifeNumber: number): Orchestrator {
    const stage = (): Stage => this.#current();
    const options = {
      agents: this.#agentNames.map((name, index) => agentOf(name, index, stage)),
      policy: setting.policy,
      durability: { leaseMs: LEASE_MS, pollMs: LEASE_MS },
      clock: clockOf(stage, lifeNumber),
      store: storeOf(stage, lifeNumber),
      ...(setting.hasPlanner ? { planner: (request) => plan(stage(), request) as never } : {}),
      ...(setting.hasSupervisor
        ? { supervisor: (request) => review(stage(), request) as never }
        : {}),
      ...(setting.hasTester ? { tester: (request) => test(stage(), request) as never } : {}),
      ...(setting.hasSummarizer
        ? { summarizer: (request) => summarize(stage(), request) as never }
        : {}),
    } satisfies OrchestratorOptions<readonly Agent[]>;
    return composeOrchestrator(options, undefined, this.#understudies.runnerOf);
  }

  #current(): Stage {
    if (this.#stage === undefined) throw new Error('No world is being played');
    return this.#stage;
  }
}

const outputSchema = z.looseObject({ by: z.string(), step: z.string() });

/** Every second agent has a schema, every third a fallback. */
const agentOf = (name: string, index: number, stage: () => Stage): Agent =>
  defineAgent({
    name,
    description: `The ${name} of a simulated world`,
    run: (call) => work(stage(), call, name),
    ...(index % 2 === 1 ? { output: outputSchema } : {}),
    ...(index % 3 === 2 ? { fallback: ({ step }) => ({ by: name, step: step.id }) } : {}),
  });

/** The clock as one life sees it: a life that is over has no timers. */
const clockOf = (stage: () => Stage, lifeNumber: number): Clock => ({
  now: () => stage().clock.now(),
  setTimeout: (callback, delayMs) => {
    const { clock, lives } = stage();
    const life = lives[lifeNumber];
    if (life?.isAlive !== true) return undefined;
    const timer = clock.setTimeout(() => {
      life.timers.delete(timer);
      callback();
    }, delayMs);
    life.timers.add(timer);
    return timer;
  },
  clearTimeout: (timer) => {
    const { clock, lives } = stage();
    lives[lifeNumber]?.timers.delete(timer);
    clock.clearTimeout(timer);
  },
});

/** The store as one life sees it: what a dead life writes is never written, and never answered. */
const storeOf = (stage: () => Stage, lifeNumber: number): RunStore => {
  const isHeard = (runId: string): boolean =>
    runId === stage().runId && stage().isAlive(lifeNumber);
  return {
    create: (header, owner) => {
      void stage().store.create(header, owner);
      stage().open(stage().store, header);
    },
    append: (runId, expectedSequence, entries, options) => {
      if (!isHeard(runId)) return never();
      const append = (): void => {
        void stage().store.append(runId, expectedSequence, entries, options);
      };
      const life = stage().lives[lifeNumber];
      const write = (): MaybePromise<void> =>
        stage().write(append, entries) ? undefined : never();
      return life === undefined ? never() : writeToStore(stage(), life, expectedSequence, write);
    },
    read: (runId, from) => stage().store.read(runId, from),
    list: (filter) => stage().store.list(filter),
    renew: (owner, leaseMs, now) => stage().store.renew(owner, leaseMs, now),
    claim: (runId, owner, now) => {
      if (!isHeard(runId)) return never();
      const claim = stage().store.claim(runId, owner, now) as RunClaim | undefined;
      stage().claim = claim;
      // A dead life releases its run, so that the next one need not wait for a lease; it is a takeover all the same.
      return claim && { ...claim, isTakeover: lifeNumber > 0 };
    },
    owned: (owner, filter) => stage().store.owned(owner, filter),
    claimable: (now, filter) => stage().store.claimable(now, filter),
    retire: (owner) => stage().store.retire(owner),
    release: (runId, token) => (isHeard(runId) ? stage().store.release(runId, token) : undefined),
    post: (...posted) => stage().store.post(...posted),
    inbox: (runId) => stage().store.inbox(runId),
    delete: (runId) => stage().store.delete(runId),
  };
};
