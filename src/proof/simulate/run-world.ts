import type { JournalEntry } from '../../journal/entry.js';
import type { RunReport } from '../../journal/report.js';
import type { Orchestrator } from '../../orchestrator/create-orchestrator.js';
import type { Bounds } from '../../policy/bounds.js';
import type { Run } from '../../run/run.types.js';
import { memoryStore } from '../../services/memory-store.js';
import { checkInvariants } from '../../testing/invariants/check-invariants.js';
import type { Violation } from '../../testing/invariants/evidence.js';
import { checkPosted, checkTold, hearTold } from './durability-checks.js';
import type { FaultKind } from './fault-kinds.js';
import type { Life } from './life.js';
import { checkLoss, isLoss } from './loss-checks.js';
import { People } from './people.js';
import { soundPlan } from './plans.js';
import type { Setting } from './policies.js';
import { Environment } from './environment.js';
import type { SimulatedTeam } from './scripted-team.js';
import type { CrashPoint, World } from './world.js';
import { checkWorld } from './world-checks.js';

/** The result of one world. */
export interface Simulation {
  readonly seed: number;
  /** Every broken promise; empty when there is none. */
  readonly violations: readonly Violation[];
  /** How often each kind of fault happened. */
  readonly fired: ReadonlyMap<FaultKind, number>;
  /** Every fault, as `kind@where`. */
  readonly faults: readonly string[];
  /** How often a process died. */
  readonly crashes: number;
  /** The stored journal of the run. */
  readonly journal: readonly JournalEntry[];
  /** Null when the run never ended, which is a violation. */
  readonly report: RunReport | null;
}

/** More timers than any run of these sizes has: a run that needs more does not end. */
const TIMERS_MAX = 40_000;

/** How long a process waits before it tries to resume the run again. */
const AWAY_MS = 1_000;

/** How often a process looks for runs without an owner. */
const RECOVER_MS = 1_000;

/** The inputs of one simulated world. */
export interface WorldSetup {
  readonly world: World;
  readonly setting: Setting;
  readonly agentNames: readonly string[];
}

/**
 * Runs one world from its first plan to its report, in three phases: chaos, until it heals; healing, when people answer
 * open questions; and the end, which must come by itself. Then everything it left behind is checked.
 */
export const runWorld = async (team: SimulatedTeam, setup: WorldSetup): Promise<Simulation> => {
  await team.loaded;
  const worldRun = new WorldRun(team, setup);
  await worldRun.play();
  return worldRun.judge();
};

class WorldRun {
  readonly #team: SimulatedTeam;
  readonly #setup: WorldSetup;
  readonly #environment: Environment;
  readonly #people: People;
  #report: RunReport | null = null;
  /** The process that has the report. */
  #lastLife: Life | undefined;
  #isStuck = false;
  #bounds: Bounds | undefined;

  constructor(team: SimulatedTeam, setup: WorldSetup) {
    this.#team = team;
    this.#setup = setup;
    this.#environment = new Environment(
      setup.world,
      setup.setting,
      team.replacements.trustsCallers,
    );
    this.#people = new People(this.#environment);
    this.#environment.onCrash((life, point) => this.#crashed(life, point));
  }

  async play(): Promise<void> {
    const { clock, world } = this.#environment;
    for (const kind of ['time-short', 'time-endless'] as const) {
      if (world.kinds.has(kind)) this.#environment.happens(kind, 'the policy');
    }
    this.#begin();
    if (world.hasFleet) this.#beginFleet();
    this.#people.prepare();
    this.#prepareClocks();
    const isOver = (): boolean => this.#report !== null || this.#isStuck;
    try {
      await clock.runUntil(isOver, { maxTimers: TIMERS_MAX });
    } catch (error) {
      this.#environment.expect(false, 'ends-in-time', `the run never ends: ${String(error)}`);
    }
    await this.#afterwards();
  }

  judge(): Simulation {
    const environment = this.#environment;
    const { policy } = this.#setup.setting;
    const journal = this.#team.found(environment.truth.journal);
    const { downtimeMs } = environment;
    const violations = [
      ...environment.violations,
      ...checkWorld(environment, this.#lastLife, journal, this.#report),
      ...checkTold(environment, journal),
      ...(this.#report === null
        ? []
        : [
            ...checkPosted(environment),
            ...checkInvariants(journal, { policy, bounds: this.#bounds, downtimeMs }),
          ]),
    ];
    return {
      seed: environment.world.seed,
      violations,
      fired: environment.fired,
      faults: environment.faults,
      crashes: environment.deaths,
      journal,
      report: this.#report,
    };
  }

  #beginLife(): { readonly life: Life; readonly orchestrator: Orchestrator } {
    const life = this.#environment.beginLife();
    const orchestrator = this.#team.orchestrator(this.#environment, life);
    life.orchestrator = orchestrator;
    return { life, orchestrator };
  }

  #begin(): void {
    const { life, orchestrator } = this.#beginLife();
    this.#bounds = orchestrator.bounds();
    this.#attend(life, orchestrator.start(this.#input()));
    if (this.#environment.world.hasFleet) this.#patrol(life, orchestrator);
  }

  /** A second process looks for runs, too, and people send commands from a third. */
  #beginFleet(): void {
    const environment = this.#environment;
    if (environment.happens('second-process', 'the start')) {
      const second = this.#beginLife();
      this.#patrol(second.life, second.orchestrator);
    }
    const { life, orchestrator } = this.#beginLife();
    this.#people.connect(life, orchestrator);
  }

  #prepareClocks(): void {
    const environment = this.#environment;
    const { clock, world } = environment;
    for (const { atMs, durationMs } of world.sleeps) {
      clock.setTimeout(() => this.#sleep(durationMs), atMs);
    }
    for (const { atMs, durationMs } of world.jumps) {
      clock.setTimeout(() => {
        const life = environment.driving;
        if (environment.isHealed || life === undefined) return;
        const where = `${durationMs} ms in life ${life.number}`;
        if (environment.happens('clock-jumps', where)) environment.jump(life, durationMs);
      }, atMs);
    }
  }

  /** Immediately, or at the moment when the store has the next entry and the process does not know it yet. */
  #sleep(durationMs: number): void {
    const environment = this.#environment;
    const life = environment.driving;
    if (!environment.world.hasFleet || environment.isHealed || life === undefined) return;
    if (environment.random(`sleep at ${environment.clock.now()}`).chance(0.3))
      environment.putToSleep(life, durationMs);
    else environment.sleepAtNextWriteMs = durationMs;
  }

  /** Gives a plan where there is no planner, and sometimes where there is one. */
  #input(): Parameters<Orchestrator['start']>[0] {
    const environment = this.#environment;
    const { setting, agentNames } = this.#setup;
    const { limits } = setting.policy;
    const random = environment.random('the plan that is given');
    const input = { goal: 'The goal of a simulated world', runId: environment.runId };
    if (setting.hasPlanner && random.chance(0.8)) return input;
    const material = { ...limits, agents: agentNames, prefix: 's', earlier: [] };
    const plan = soundPlan(
      random,
      { ...material, omitted: environment.world.omitted.steps },
      environment.fault(
        'the plan that is given',
        ['plan-wide', 'plan-votes', 'plan-hidden-text'],
        0.5,
      ),
    );
    return { ...input, plan };
  }

  #attend(life: Life, run: Run): void {
    if (!life.isAlive || life.run === run) return;
    life.run = run;
    hearTold(this.#environment, life, run);
    this.#people.listen(run);
    void run.done.then((report) => this.#done(life, run, report));
  }

  #done(life: Life, run: Run, report: RunReport): void {
    if (!life.isAlive || this.#report !== null) return;
    if (!isLoss(report)) {
      this.#report = report;
      this.#lastLife = life;
      return;
    }
    checkLoss(this.#environment, life, report);
    if (life.run === run) life.run = undefined;
    this.#environment.delayed(AWAY_MS + RECOVER_MS);
    if (this.#environment.world.hasFleet && !this.#environment.truth.isMissing) return;
    this.#environment.endLife(life, AWAY_MS);
    this.#replace(life, AWAY_MS);
  }

  #crashed(life: Life, { downtimeMs }: CrashPoint): void {
    this.#replace(life, downtimeMs);
  }

  /** Replaces a dead process by another one. */
  #replace(dead: Life, downtimeMs: number): void {
    this.#people.forget(dead);
    this.#environment.clock.setTimeout(() => {
      // A run that never reached the store is started again.
      if (this.#environment.truth.isMissing) this.#begin();
      else if (this.#environment.world.hasFleet) {
        const { life, orchestrator } = this.#beginLife();
        this.#patrol(life, orchestrator);
      } else void this.#returned();
    }, downtimeMs);
  }

  /** Looks for the run repeatedly. */
  #patrol(life: Life, orchestrator: Orchestrator): void {
    const { truth, runId } = this.#environment;
    const look = async (): Promise<void> => {
      try {
        const runs = truth.hasEnded
          ? [await orchestrator.resume(runId)]
          : await orchestrator.recover();
        for (const run of runs) this.#attend(life, run);
      } catch {
        // The store was unreachable: the next pass tries again.
      }
      if (this.#report === null) this.#patrol(life, orchestrator);
    };
    life.after(RECOVER_MS, () => void look());
  }

  /** Another process resumes the run, with as many tries as needed. */
  async #returned(): Promise<void> {
    const environment = this.#environment;
    const { life, orchestrator } = this.#beginLife();
    await this.#recover();
    const resume = async (): Promise<void> => {
      try {
        this.#attend(life, await orchestrator.resume(environment.runId));
      } catch (error) {
        if (environment.outcomeIsUnknown(error)) {
          environment.delayed(AWAY_MS);
          life.after(AWAY_MS, () => void resume());
          return;
        }
        environment.expect(false, 'replay-agrees', `the run cannot be resumed: ${String(error)}`);
        this.#isStuck = true;
      }
    };
    await resume();
  }

  /** A correct store returns everything that was written. */
  async #recover(): Promise<void> {
    const { truth, runId } = this.#environment;
    const stored = await truth.store.read(runId);
    if (stored === undefined) return;
    const entries = this.#team.recovered(stored.entries);
    if (entries === stored.entries) return;
    const store = memoryStore();
    await store.create(stored.header);
    await store.append(runId, 0, entries);
    truth.open(store, stored.header, entries);
  }

  /** Waits until all commands are answered. */
  async #hearAnswers(): Promise<void> {
    const { clock } = this.#environment;
    const isAnswered = (): boolean => this.#people.unanswered.length === 0;
    try {
      await clock.runUntil(isAnswered, { maxTimers: TIMERS_MAX });
    } catch {
      // Reported below.
    }
  }

  /** Late commands are refused, late answers change nothing, and every command was answered. */
  async #afterwards(): Promise<void> {
    const environment = this.#environment;
    const life = this.#lastLife;
    if (life?.run === undefined) return;
    const { run, timerCount } = life;
    if (
      environment.world.kinds.has('commands-late') &&
      environment.happens('commands-late', 'after the end')
    ) {
      const late = Promise.all([run.say('Too late'), run.abort(), run.pause()]);
      await environment.clock.runUntil(late, { maxTimers: TIMERS_MAX });
      for (const result of await late) {
        environment.expect(
          !result.accepted,
          'commands-answered',
          'a command after the end is accepted',
        );
      }
    }
    const { factCount } = environment.ledger;
    environment.expect(
      timerCount === 0,
      'nothing-left',
      `${timerCount} timers are left at the end`,
    );
    for (let count = 0; count < 200 && environment.clock.next(); count += 1);
    await environment.clock.settle();
    await this.#hearAnswers();
    const isSame = environment.ledger.factCount === factCount;
    environment.expect(isSame, 'causes-first', 'a late answer is stored after the end');
    const { unanswered } = this.#people;
    const isAnswered = unanswered.length === 0;
    environment.expect(isAnswered, 'commands-answered', `${unanswered.join(', ')} got no answer`);
  }
}
