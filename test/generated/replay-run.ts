import type { InspectionEvent } from 'xstate';
import { createActor } from 'xstate';

import type { Agent } from '../../src/agents/agent.js';
import type { Fact, FactBody } from '../../src/model/facts.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import type { RunRecord } from '../../src/journal/record.js';
import type { OrchestratorContext } from '../../src/machines/orchestrator/context.js';
import type { Command } from '../../src/model/commands.js';
import type {
  Orchestrator,
  OrchestratorOptions,
} from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { itemsOf } from '../../src/plan/chunked-list.js';
import type { Run } from '../../src/run/run.types.js';
import type { Clock } from '../../src/services/clock.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { PendingCalls, scriptedTeam } from '../../src/proof/paths/scripted-answers.js';
import type { GeneratedPath } from '../../src/proof/paths/explore.js';
import type { Happening, ModelState } from '../../src/proof/paths/model.js';
import { difference, expectationOf } from '../../src/proof/paths/observation.js';
import { PATH_INPUT } from '../../src/proof/paths/whole-run.js';
import type { Policy } from '../../src/model/policy.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import type { PathFailure } from './replay.js';
import { observeLive } from './replay.js';

/* Paths of whole runs, replayed by agents that follow the path: as a run of the package, and by plain createActor. */

/** One orchestrator for many paths; each path has its own clock. */
export class Stage {
  readonly pending = new PendingCalls();
  readonly orchestrator: Orchestrator;
  clock: VirtualClock = virtualClock();

  constructor(options: OrchestratorOptions<readonly Agent[]>, policy: Policy) {
    const team = scriptedTeam(this.pending, options, new Map(), policy.limits.maxSteps);
    const clock: Clock = {
      now: () => this.clock.now(),
      setTimeout: (callback, delayMs) => this.clock.setTimeout(callback, delayMs),
      clearTimeout: (handle) => {
        this.clock.clearTimeout(handle);
      },
    };
    this.orchestrator = composeOrchestrator({ ...team, policy, clock }, undefined);
  }

  clear(): void {
    this.clock = virtualClock();
    this.pending.clear();
  }
}

/** The view on a replay. */
interface Player {
  tell(command: Command): void;
  /** Undefined when everything is as expected after one step. */
  problem(expected: ModelState): string | undefined;
  /** The differences of the whole replay, at the end of the path. */
  end(): Promise<string | undefined>;
}

export const replayRun = async (stage: Stage, path: GeneratedPath): Promise<PathFailure[]> => {
  const failures: PathFailure[] = [];
  for (const by of ['kernel', 'live'] as const) {
    stage.clear();
    const player = by === 'kernel' ? new KernelPlayer(stage) : new LivePlayer(stage);
    const found = await play(stage, player, path);
    if (found === undefined) continue;
    const road = path.steps.slice(0, found.index + 1).map(({ happening }) => happening.says);
    failures.push({ by, path: road, problem: found.problem });
  }
  return failures;
};

const play = async (
  { clock, pending }: Stage,
  player: Player,
  { start, steps }: GeneratedPath,
): Promise<{ index: number; problem: string } | undefined> => {
  await clock.settle();
  const first = player.problem(start);
  if (first !== undefined) return { index: -1, problem: first };
  for (const [index, { happening, expected }] of steps.entries()) {
    perform(happening, clock, pending, player);
    await clock.settle();
    const problem = player.problem(expected);
    if (problem !== undefined) return { index, problem };
  }
  const problem = await player.end();
  return problem === undefined ? undefined : { index: steps.length, problem };
};

const perform = (
  happening: Happening,
  clock: VirtualClock,
  pending: PendingCalls,
  player: Player,
): void => {
  switch (happening.type) {
    case 'answered':
      if (happening.act !== undefined) pending.perform(happening.act);
      return;
    case 'late':
      pending.performLate(happening.key ?? '');
      return;
    case 'elapsed':
      clock.next();
      return;
    case 'told':
      player.tell(happening.event as Command);
      return;
    case 'broken':
      throw new Error('No actor crashes in a whole run');
  }
};

/** The facts of the model, numbered and dated as in a journal, and the record made of them. */
class ExpectedRecord {
  readonly #builder = createRecordBuilder(PATH_INPUT);
  #count = 0;

  add({ step, nowMs }: ModelState): RunRecord {
    for (const body of step.emitted as readonly FactBody[]) {
      this.#count += 1;
      this.#builder.add({ sequence: this.#count, at: nowMs, ...body });
    }
    return this.#builder.record();
  }
}

class KernelPlayer implements Player {
  readonly #run: Run;
  readonly #stage: Stage;
  readonly #expected = new ExpectedRecord();
  #seen = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#run = stage.orchestrator.start(PATH_INPUT);
  }

  tell(command: Command): void {
    void sent(this.#run, command);
  }

  problem(expected: ModelState): string | undefined {
    const journal = this.#run.journal();
    const facts = journal.slice(this.#seen).flatMap((entry) => entry.facts);
    this.#seen = journal.length;
    const record = this.#run.record();
    return (
      unlike('facts', expected.step.emitted, facts.map(bodyOf)) ??
      unlike('time', expected.nowMs, this.#stage.clock.now()) ??
      unlike('timers', expected.timers.length, this.#stage.clock.pending()) ??
      unlike('record', this.#expected.add(expected), record) ??
      recordProblem(expected, record)
    );
  }

  /** A run that the path leaves in the middle is aborted; one that is already ending gets the time it takes. */
  async end(): Promise<string | undefined> {
    const { clock } = this.#stage;
    await this.#run.abort();
    while (this.#run.record().status === 'running' && clock.next()) await clock.settle();
    const { policy } = this.#stage.orchestrator;
    const bounds = this.#stage.orchestrator.bounds();
    const broken = checkInvariants(this.#run.journal(), { policy, bounds });
    return unlike('broken promises', [], broken) ?? unlike('timers left', 0, clock.pending());
  }
}

const sent = (run: Run, command: Command): Promise<unknown> | undefined => {
  if (command.type === 'approval.grant') return run.approve(command.requestId, command.answer);
  if (command.type === 'approval.reject') return run.reject(command.requestId, command.reason);
  if (command.type === 'plan.skip') return run.skip(command.stepIds);
  if (command.type === 'run.pause') return run.pause();
  if (command.type === 'run.unpause') return run.unpause();
  return command.type === 'run.abort' ? run.abort(command.reason) : undefined;
};

class LivePlayer implements Player {
  readonly #stage: Stage;
  readonly #actor;
  #facts: unknown[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    const { clock } = stage;
    const inspect = (event: InspectionEvent): void => {
      if (event.type !== '@xstate.action' || event.action.type !== 'xstate.emit') return;
      this.#facts.push((event.action.params as { readonly event: unknown }).event);
    };
    this.#actor = createActor(stage.orchestrator.machine, { input: PATH_INPUT, clock, inspect });
    this.#actor.subscribe({ error: () => undefined });
    this.#actor.start();
  }

  tell(command: Command): void {
    this.#actor.send(command);
  }

  problem(expected: ModelState): string | undefined {
    const observed = observeLive(this.#actor, this.#stage.clock, this.#facts);
    this.#facts = [];
    return (
      difference(expectationOf(expected), observed) ??
      unlike('time', expected.nowMs, this.#stage.clock.now())
    );
  }

  end(): Promise<string | undefined> {
    this.#actor.stop();
    return Promise.resolve(unlike('timers after a stop', 0, this.#stage.clock.pending()));
  }
}

const bodyOf = (fact: Fact): unknown =>
  Object.fromEntries(Object.entries(fact).filter(([key]) => key !== 'sequence' && key !== 'at'));

const unlike = (what: string, expected: unknown, actual: unknown): string | undefined => {
  const [left, right] = [JSON.stringify(expected), JSON.stringify(actual)];
  return left === right ? undefined : `${what}: expected ${left}, got ${right}`;
};

/** The record is reduced from facts alone; the chart uses its context. Both must agree. */
const recordProblem = ({ kernel }: ModelState, record: RunRecord): string | undefined => {
  const context = kernel.nodes.get('')?.snapshot.context as OrchestratorContext | undefined;
  if (context === undefined)
    return record.status === 'running' ? 'the record has no end' : undefined;
  const { progress, replans, ladder, questions, conversation } = context;
  return (
    unlike(
      'steps of the record',
      itemsOf(progress.states).map(({ status }) => status),
      record.steps.filter(({ depth }) => depth === 0).map(({ status }) => plain(status)),
    ) ??
    unlike('replans of the record', replans, record.replans) ??
    unlike('ladder of the record', ladder.level, record.escalation) ??
    unlike('talk of the record', conversation, record.conversation) ??
    unlike(
      'questions of the record',
      questions.map(({ requestId }) => requestId).sort(),
      record.openApprovals.map(({ requestId }) => requestId).sort(),
    )
  );
};

/** The chart has no value for what a running step waits for. */
const plain = (status: string): string =>
  status === 'awaitingApproval' || status === 'blocked' ? 'running' : status;
