import { chartsOf } from '../../../orchestrator/charts.js';
import type { FactBody } from '../../../model/facts.js';
import type {
  CallNode,
  KernelInput,
  KernelState,
  KernelStep,
} from '../../../kernel/kernel.types.js';
import type { Settings } from '../../../model/settings.js';
import type { Policy } from '../../../model/policy.js';
import { ConfigurationError } from '../../../errors.js';
import { detailOf } from '../compositional/contract.js';
import { frameAfter } from '../explore.js';
import type { Weights } from '../metrics.js';
import { NOTHING, sumOf, weightsOf } from '../metrics.js';
import type { Frame, Move, System, Violation } from '../model.types.js';
import { withWallTime } from '../moves/wall-time.js';
import type { ProveOptions, WayMove } from '../prove.types.js';
import { crashViolations } from '../rules/crash-rule.js';
import { provedSettings } from '../settings.js';
import type { Charts } from '../whole-run.js';
import { Circles } from './circles.js';
import { namedSystem } from './named-system.js';

/** A path in a test: a `Witness` without the parts for people only. */
export interface ReplayableWay {
  readonly system: string;
  readonly moves: readonly (Pick<WayMove, 'sentence' | 'kind' | 'parts'> & {
    readonly input: object;
  })[];
}

export interface ReplayableWitness extends ReplayableWay {
  readonly parts?: Readonly<Record<string, ReplayableWay>>;
}

/** The result of a replayed path. */
export interface ReplayedWitness {
  /** False when the charts took another path: a move on it is no longer possible. The rest is left out. */
  readonly isFollowed: boolean;
  readonly status: 'active' | 'done' | 'error';
  readonly facts: readonly FactBody[];
  /** Its cost, with the child charts by their own paths. */
  readonly cost: Weights;
  /** The broken rules. */
  readonly violations: readonly Violation[];
  /** True when it returned to an earlier state without a command: it may repeat forever. */
  readonly isCircular: boolean;
  /** True when it returned to an earlier state at a cost: the cost is unbounded. */
  readonly isCostlyCircle: boolean;
}

/** Replays a path that `prove` found on the charts of this package: the whole run, or one chart on its own. */
export const replayWitness = (
  policy: Policy,
  options: ProveOptions,
  witness: ReplayableWitness,
): ReplayedWitness => replayOnCharts(chartsOf, policy, options, witness);

/** Like `replayWitness`, with other charts than ours. */
export const replayOnCharts = (
  chartsFor: (settings: Settings) => Charts,
  policy: Policy,
  options: ProveOptions,
  witness: ReplayableWitness,
): ReplayedWitness => {
  const replay = new Replay(chartsFor, provedSettings(policy, options), witness.parts ?? {});
  return replay.take(witness).replayed;
};

class Replay {
  readonly #chartsFor: (settings: Settings) => Charts;
  readonly #settings: Settings;
  readonly #parts: Readonly<Record<string, ReplayableWay>>;
  readonly #costs = new Map<string, Weights>();
  readonly #systems = new Map<string, System>();

  constructor(
    chartsFor: (settings: Settings) => Charts,
    settings: Settings,
    parts: Readonly<Record<string, ReplayableWay>>,
  ) {
    this.#chartsFor = chartsFor;
    this.#settings = settings;
    this.#parts = parts;
  }

  take(way: ReplayableWay): { readonly replayed: ReplayedWitness; readonly end: string | null } {
    const system = this.#systemOf(way);
    const taken = new TakenWay(system);
    const isFollowed = way.moves.every(({ sentence, kind, input, parts = [] }) => {
      const below = parts.map((part) => this.#costOfPart(part)).reduce(sumOf, NOTHING);
      return taken.take({ sentence, kind, input: input as KernelInput }, below);
    });
    return { replayed: { isFollowed, ...taken.result() }, end: taken.end };
  }

  #systemOf({ system: name }: ReplayableWay): System {
    const known = this.#systems.get(name);
    if (known !== undefined) return known;
    const system = namedSystem(this.#chartsFor, this.#settings, name);
    if (system !== undefined) {
      this.#systems.set(name, system);
      return system;
    }
    const message = `A proof of this policy has no system '${name}': was the path found with another policy or team?`;
    throw new ConfigurationError([{ code: 'unknown-system', path: 'witness.system', message }]);
  }

  /** A part that no longer reaches its ending costs nothing: then the path above it is impossible at that cost. */
  #costOfPart(name: string): Weights {
    const known = this.#costs.get(name);
    if (known !== undefined) return known;
    const way = this.#parts[name];
    if (way === undefined) return NOTHING;
    const { replayed, end } = this.take(way);
    const isAsTold = replayed.isFollowed && detailOf(way.system, end ?? '') === name;
    const cost = isAsTold ? replayed.cost : NOTHING;
    this.#costs.set(name, cost);
    return cost;
  }
}

/** One system on its path. */
class TakenWay {
  readonly #system: System;
  readonly #facts: FactBody[] = [];
  readonly #violations: Violation[] = [];
  readonly #circles = new Circles();
  #frame: Frame;
  #status: KernelStep['status'] = 'active';
  #cost = NOTHING;
  end: string | null = null;

  constructor(system: System) {
    this.#system = system;
    this.#frame = { state: system.kernel.initialState, calls: new Map() };
  }

  /** False when the move is impossible. */
  take(move: WayMove, below: Weights): boolean {
    const input = move.input.kind === 'started' ? this.#start(move) : move.input;
    if (this.#status !== 'active' || !isPossible(this.#frame.state, input)) return false;
    const system = this.#system;
    const before = this.#frame;
    const timed = timedMove(before, { kind: move.kind, label: move.sentence, input });
    const step = system.kernel.step(before.state, input);
    const cost = sumOf(sumOf(weightsOf(step.emitted), timed.cost ?? NOTHING), below);
    this.#cost = sumOf(this.#cost, cost);
    this.#facts.push(...(step.emitted as unknown as FactBody[]));
    this.#violations.push(...crashViolations(step));
    this.#violations.push(...system.violationsOfStep(before, timed, step));
    this.#frame = frameAfter(before, step);
    this.#status = step.status;
    if (step.status === 'active') {
      this.#violations.push(...system.violations(this.#frame));
      this.#circles.note(system.textOf(this.#frame), move.kind, this.#cost);
    } else this.end = system.endOf(step);
    return true;
  }

  result(): Omit<ReplayedWitness, 'isFollowed'> {
    return {
      status: this.#status,
      facts: this.#facts,
      cost: this.#cost,
      violations: this.#violations,
      isCircular: this.#circles.isCircular,
      isCostlyCircle: this.#circles.isCostly,
    };
  }

  /** The start by its name in this policy, where the name is unique; otherwise as recorded. */
  #start({ sentence, input }: WayMove): KernelInput {
    const [start, ...others] = this.#system.starts.filter(({ label }) => label === sentence);
    if (start?.input.kind !== 'started' || input.kind !== 'started') return input;
    if (others.length === 0) return start.input;
    return {
      kind: 'started',
      input: { ...(start.input.input as object), ...(input.input as object) },
    };
  }
}

/** Time is counted by the deadlines of the run itself; a chart under a stand-in has none. */
const timedMove = (frame: Frame, move: Move): Move =>
  frame.state.nodes.get('')?.chart === 'orchestrator' ? withWallTime(frame, move) : move;

/** A move is possible when its call is in flight or its timer is armed; commands are always possible. */
const isPossible = (state: KernelState, input: KernelInput): boolean => {
  switch (input.kind) {
    case 'started':
      return state.nodes.size === 0;
    case 'elapsed':
      return state.timers.get(input.timer)?.generation === input.generation;
    case 'answered':
      return isAnswerTo(callOf(state, input), input.output);
    case 'broken':
      return callOf(state, input) !== undefined;
    case 'commanded':
      return true;
  }
};

/** The call in flight at an address, unless it is a later one. */
const callOf = (
  { calls }: KernelState,
  { address, generation }: { readonly address: string; readonly generation: number },
): CallNode | undefined => {
  const call = calls.get(address);
  return call?.generation === generation ? call : undefined;
};

/** The current call may differ from the one on the recorded path: then this is not its answer. */
const isAnswerTo = (call: CallNode | undefined, output: unknown): boolean => {
  if (call === undefined) return false;
  const { request } = call.input as {
    readonly request?: { readonly key: string; readonly role: string };
  };
  const { key, answer } = (output ?? {}) as {
    readonly key?: string;
    readonly answer?: { readonly role: string };
  };
  if (request === undefined) return true;
  return (key ?? request.key) === request.key && (answer?.role ?? request.role) === request.role;
};
