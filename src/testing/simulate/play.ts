import type { JournalEntry } from '../../journal/entry.js';
import type { RunReport } from '../../journal/report.js';
import type { Orchestrator } from '../../orchestrator.js';
import type { Bounds } from '../../policy/bounds.js';
import type { Run } from '../../run/run.types.js';
import type { Violation } from '../invariants/evidence.js';
import { checkInvariants } from '../invariants/check-invariants.js';
import type { FaultKind } from './fault-kinds.js';
import { memoryStore } from '../../services/memory-store.js';
import { callsLeft, checkWorld } from './world-checks.js';
import { People } from './people.js';
import { soundPlan } from './plans.js';
import type { Setting } from './policies.js';
import type { Life } from './stage.js';
import { Stage } from './stage.js';
import type { Troupe } from './troupe.js';
import type { CrashPoint, World } from './world.js';

/** What came of one world. */
export interface Simulation {
  readonly seed: number;
  /** Every promise that was broken; empty when all is well. */
  readonly violations: readonly Violation[];
  /** How often each kind of fault happened. */
  readonly fired: ReadonlyMap<FaultKind, number>;
  /** Every fault, as `kind@where`. */
  readonly faults: readonly string[];
  /** How often the process died. */
  readonly crashes: number;
  /** The run as it was kept. */
  readonly journal: readonly JournalEntry[];
  /** Null when the run never ended, which is a violation. */
  readonly report: RunReport | null;
}

/** More timers than any run of these sizes has: beyond them nothing will ever end it. */
const TIMERS_MAX = 20_000;

const STORE_AWAY_MS = 1_000;

/** What a world is played in. */
export interface Scene {
  readonly world: World;
  readonly setting: Setting;
  readonly settingKey: string;
  readonly agentNames: readonly string[];
}

/**
 * Plays one world from its first plan to its report, in three phases: chaos, until it heals; healing, when people answer
 * what is open; and the end, which must come by itself. Then everything it left behind is checked.
 */
export const playWorld = async (troupe: Troupe, scene: Scene): Promise<Simulation> => {
  const performance = new Performance(troupe, scene);
  await performance.play();
  return performance.judge();
};

class Performance {
  readonly #troupe: Troupe;
  readonly #scene: Scene;
  readonly #stage: Stage;
  readonly #people: People;
  #report: RunReport | null = null;
  #isStuck = false;
  #bounds: Bounds | undefined;

  constructor(troupe: Troupe, scene: Scene) {
    this.#troupe = troupe;
    this.#scene = scene;
    this.#stage = new Stage(scene.world, scene.setting);
    this.#people = new People(this.#stage);
  }

  async play(): Promise<void> {
    const { clock, world } = this.#stage;
    this.#troupe.enter(this.#stage);
    for (const kind of ['time-short', 'time-endless'] as const) {
      if (world.kinds.has(kind)) this.#stage.happens(kind, 'the policy');
    }
    this.#begin();
    this.#people.prepare();
    const isOver = (): boolean => this.#report !== null || this.#isStuck;
    try {
      await clock.runUntil(isOver, { maxTimers: TIMERS_MAX });
    } catch (error) {
      this.#stage.expect(false, 'ends-in-time', `the run never ends: ${String(error)}`);
    }
    if (this.#report === null) this.#bury();
    await this.#afterwards();
  }

  judge(): Simulation {
    const stage = this.#stage;
    const { policy } = this.#scene.setting;
    const journal = this.#troupe.found(stage.journal);
    const { downtimeMs } = stage;
    const violations = [
      ...stage.violations,
      ...checkWorld(stage, journal, this.#report),
      ...(this.#report === null
        ? []
        : checkInvariants(journal, { policy, bounds: this.#bounds, downtimeMs })),
    ];
    return {
      seed: stage.world.seed,
      violations,
      fired: stage.fired,
      faults: stage.faults,
      crashes: stage.lives.length - 1,
      journal,
      report: this.#report,
    };
  }

  #orchestrator(lifeNumber: number): Orchestrator {
    const { settingKey, setting } = this.#scene;
    return this.#troupe.orchestrator(settingKey, setting, lifeNumber);
  }

  #begin(): void {
    const stage = this.#stage;
    const life = stage.beginLife((point) => {
      this.#crashed(point);
    });
    const orchestrator = this.#orchestrator(life.number);
    this.#bounds = orchestrator.bounds();
    const run = orchestrator.start(this.#input());
    life.run = run;
    this.#attend(run);
  }

  /** A plan of one's own, where there is no planner, and sometimes where there is one. */
  #input(): Parameters<Orchestrator['start']>[0] {
    const stage = this.#stage;
    const { setting, agentNames } = this.#scene;
    const { limits } = setting.policy;
    const random = stage.random('the plan that is given');
    const input = { goal: 'The goal of a simulated world', runId: stage.runId };
    if (setting.hasPlanner && random.chance(0.8)) return input;
    const material = { ...limits, agents: agentNames, prefix: 's', earlier: [] };
    const plan = soundPlan(
      random,
      { ...material, omitted: stage.world.omitted.steps },
      stage.fault('the plan that is given', ['plan-wide', 'plan-votes', 'plan-hidden-text'], 0.5),
    );
    return { ...input, plan };
  }

  #attend(run: Run): void {
    this.#people.listen(run);
    const { life } = this.#stage;
    void run.done.then((report) => {
      if (life?.hasLostStore === true) this.#lostStore(life, report);
      else this.#report = report;
    });
  }

  /** The process lives on without its run, of which nothing may be left; somebody takes it up a second later. */
  #lostStore(life: Life, report: RunReport): void {
    const stage = this.#stage;
    const isSaid = report.status === 'failed' && report.reason.startsWith('store-unavailable');
    stage.expect(isSaid, 'report-true', `the store is away, the report says ${report.reason}`);
    const timers = life.timers.size;
    stage.expect(timers === 0, 'nothing-left', `${timers} timers are left when the store is away`);
    const calls = callsLeft(stage, life.number);
    stage.expect(calls.length === 0, 'nothing-left', `${calls.join(', ')} left without a store`);
    stage.endLife(STORE_AWAY_MS);
    this.#crashed({ downtimeMs: STORE_AWAY_MS });
  }

  #crashed({ downtimeMs }: Pick<CrashPoint, 'downtimeMs'>): void {
    const stage = this.#stage;
    this.#people.forget();
    this.#bury();
    stage.clock.setTimeout(() => {
      void this.#returned();
    }, downtimeMs);
  }

  #bury(): void {
    this.#troupe.bury(this.#scene.settingKey, this.#stage.lives.length - 1);
  }

  /** Another process takes the run up. */
  async #returned(): Promise<void> {
    const stage = this.#stage;
    const life = stage.beginLife((point) => {
      this.#crashed(point);
    });
    await this.#recover();
    try {
      const run = await this.#orchestrator(life.number).resume(stage.runId);
      if (!life.isAlive) return;
      life.run = run;
      this.#attend(run);
    } catch (error) {
      stage.expect(false, 'replay-agrees', `the run cannot be taken up: ${String(error)}`);
      this.#isStuck = true;
    }
  }

  /** A store that keeps its word gives back all of it. */
  async #recover(): Promise<void> {
    const stage = this.#stage;
    const stored = await stage.store.read(stage.runId);
    if (stored === undefined) return;
    const entries = this.#troupe.recovered(stored.entries);
    if (entries === stored.entries) return;
    const store = memoryStore();
    await store.create(stored.header);
    await store.append(stage.runId, 0, entries);
    stage.open(store, stored.header, entries);
  }

  /** Late commands are refused, late answers change nothing, and what was said has been answered. */
  async #afterwards(): Promise<void> {
    const stage = this.#stage;
    const run = stage.life?.run;
    if (run === undefined || this.#report === null) return;
    if (stage.world.kinds.has('commands-late') && stage.happens('commands-late', 'after the end')) {
      for (const result of await Promise.all([run.say('Too late'), run.abort(), run.pause()])) {
        stage.expect(!result.accepted, 'commands-answered', 'a command after the end is accepted');
      }
    }
    const { factCount } = stage.ledger;
    stage.expect(life(stage) === 0, 'nothing-left', `${life(stage)} timers are left at the end`);
    for (let count = 0; count < 200 && stage.clock.next(); count += 1);
    await stage.clock.settle();
    const isSame = stage.ledger.factCount === factCount;
    stage.expect(isSame, 'causes-first', 'a late answer is written down after the end');
    const { unanswered } = this.#people;
    const isAnswered = unanswered.length === 0;
    stage.expect(isAnswered, 'commands-answered', `nobody answered ${unanswered.join(', ')}`);
  }
}

const life = (stage: Stage): number => stage.life?.timers.size ?? 0;
