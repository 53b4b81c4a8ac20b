import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, InspectionEvent } from 'xstate';
import { createActor, fromPromise } from 'xstate';

import type { KernelCharts } from '../../src/kernel/kernel.js';
import { createKernel } from '../../src/kernel/kernel.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';
import type { KernelStep } from '../../src/kernel/kernel.types.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import type { Explored, GeneratedPath } from '../../src/proof/paths/explore.js';
import { pathTo } from '../../src/proof/paths/explore.js';
import type { Happening, ModelState } from '../../src/proof/paths/model.js';
import { inputFor } from '../../src/proof/paths/model.js';
import type { Observation } from '../../src/proof/paths/observation.js';
import {
  callText,
  chartText,
  difference,
  expectationOf,
  outputText,
} from '../../src/proof/paths/observation.js';
import { Sightings } from '../../src/proof/paths/observe.js';
import { parentMachine } from './parent.js';

/* Generated paths, replayed: by the kernel as it runs in production, and by XState's own interpreter. */

export interface PathFailure {
  readonly by: 'kernel' | 'live';
  /** The events up to the one where it failed. */
  readonly path: readonly string[];
  readonly problem: string;
}

const failureAt = (
  by: PathFailure['by'],
  { steps }: GeneratedPath,
  index: number,
  problem: string,
): PathFailure => ({
  by,
  path: steps.slice(0, index + 1).map(({ happening }) => happening.says),
  problem,
});

/* By the kernel. */

/** Every edge again by a kernel that replays traced transitions, as in production. */
export const replayByKernel = (
  charts: KernelCharts,
  input: unknown,
  { edges }: Explored,
): PathFailure[] => {
  const kernel = createKernel(charts, (chart) => tracingRunner(chart));
  const steps = new Map<ModelState, KernelStep>();
  const failures: PathFailure[] = [];
  const stepTo = (state: ModelState): KernelStep => {
    const known = steps.get(state);
    if (known !== undefined) return known;
    const { via } = state;
    const step =
      via === null
        ? kernel.step(kernel.initialState, { kind: 'started', input })
        : kernel.step(stepTo(via.from).state, inputFor(via.from, via.happening));
    steps.set(state, step);
    const problem = stepDifference(state, step);
    if (problem !== undefined) {
      const path = pathTo(state);
      failures.push(failureAt('kernel', path, path.steps.length, problem));
    }
    return step;
  };
  edges.forEach(stepTo);
  return failures;
};

const stepDifference = (expected: ModelState, step: KernelStep): string | undefined => {
  const effects = JSON.stringify(expected.step.effects, withoutSettings);
  const actual = JSON.stringify(step.effects, withoutSettings);
  if (effects !== actual) return `effects: expected ${effects}, got ${actual}`;
  return difference(
    expectationOf(expected),
    expectationOf({ ...expected, kernel: step.state, step }),
  );
};

const withoutSettings = (key: string, value: unknown): unknown =>
  key === 'settings' ? undefined : value;

/* By XState's interpreter. */

interface LiveCall {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Promise turns that a settled call takes before its chart receives it. */
const HOPS = 8;

/** One chart under a parent, both live, with every call controlled by the test. */
export class LiveSubject {
  readonly #machine: AnyStateMachine;
  readonly #input: unknown;
  readonly sightings = new Sightings();
  #calls = new Map<string, LiveCall>();
  #facts: unknown[] = [];

  constructor(subject: AnyStateMachine, input: unknown) {
    const call = fromPromise(
      ({ self, input: callInput, signal }) =>
        new Promise((resolve, reject) => {
          this.#calls.set(addressOf(self), { input: callInput, signal, resolve, reject });
        }),
    );
    const names = Object.keys(subject.implementations.actors as object);
    const actors = Object.fromEntries(names.map((name) => [name, call]));
    this.#machine = parentMachine.provide({
      actors: { subject: subject.provide({ actors }) as never },
    });
    this.#input = input;
  }

  async replay(path: GeneratedPath): Promise<PathFailure[]> {
    this.#calls = new Map();
    this.#facts = [];
    const clock = virtualClock();
    const actor = createActor(this.#machine, {
      input: this.#input,
      clock,
      inspect: (event) => {
        this.#inspect(event);
      },
    });
    actor.subscribe({ error: () => undefined });
    actor.start();
    const made = new Map<number, LiveCall>();
    try {
      let problem = this.#difference(actor, clock, path.start, made);
      if (problem !== undefined) return [failureAt('live', path, -1, problem)];
      for (const [index, { happening, expected }] of path.steps.entries()) {
        this.#facts = [];
        await this.#perform(actor, clock, happening, made);
        problem = this.#difference(actor, clock, expected, made);
        if (problem !== undefined) return [failureAt('live', path, index, problem)];
      }
      return [];
    } finally {
      actor.stop();
    }
  }

  #inspect(event: InspectionEvent): void {
    this.sightings.saw(event);
    if (event.type === '@xstate.actor') {
      const { logic } = event.actorRef as unknown as { readonly logic: AnyStateMachine };
      if ('root' in logic) this.sightings.began(logic);
    }
    if (event.type !== '@xstate.action' || event.action.type !== 'xstate.emit') return;
    this.#facts.push((event.action.params as { readonly event: unknown }).event);
  }

  async #perform(
    actor: AnyActorRef,
    clock: VirtualClock,
    happening: Happening,
    made: ReadonlyMap<number, LiveCall>,
  ): Promise<void> {
    switch (happening.type) {
      case 'answered':
        this.#calls.get(happening.address)?.resolve(happening.output);
        break;
      case 'broken':
        this.#calls.get(happening.address)?.reject(happening.error);
        break;
      case 'late':
        made.get(happening.generation)?.resolve(undefined);
        break;
      case 'elapsed':
        clock.next();
        return;
      case 'told':
        actor.send(happening.event);
        return;
    }
    for (let hop = 0; hop < HOPS; hop += 1) await Promise.resolve();
  }

  #difference(
    actor: AnyActorRef,
    clock: VirtualClock,
    expected: ModelState,
    made: Map<number, LiveCall>,
  ): string | undefined {
    const found = difference(expectationOf(expected), observeLive(actor, clock, this.#facts));
    if (found !== undefined) return found;
    for (const { address, generation } of expected.calls) {
      const call = this.#calls.get(address);
      if (call !== undefined) made.set(generation, call);
    }
    const running = new Set(expected.calls.map(({ generation }) => generation));
    const leaked = [...made].find(
      ([generation, { signal }]) =>
        !running.has(generation) && isWaiting(signal, expected, generation),
    );
    return leaked && `call ${String(leaked[0])} was given up and not told`;
  }
}

/** The observable state of a tree of live actors. */
export const observeLive = (
  actor: AnyActorRef,
  clock: VirtualClock,
  facts: readonly unknown[],
): Observation => {
  const charts: Record<string, string> = {};
  const calls: Record<string, string> = {};
  const snapshot = actor.getSnapshot() as AnyMachineSnapshot;
  const visit = (current: AnyMachineSnapshot, address: string): void => {
    charts[address] = chartText(current);
    for (const [id, child] of Object.entries(current.children as Record<string, AnyActorRef>)) {
      const childSnapshot = child.getSnapshot() as AnyMachineSnapshot;
      if (childSnapshot.status !== 'active') continue;
      const childAddress = `${address}/${id}`;
      if ('machine' in childSnapshot) visit(childSnapshot, childAddress);
      else calls[childAddress] = callText((childSnapshot as { readonly input?: unknown }).input);
    }
  };
  if (snapshot.status === 'active') visit(snapshot, '');
  return {
    status: snapshot.status,
    output: outputText(snapshot.output),
    facts: JSON.stringify(facts),
    charts,
    calls,
    timers: clock.pending(),
  };
};

/** An answered call is done; an abandoned one must have been aborted. */
const isWaiting = (signal: AbortSignal, expected: ModelState, generation: number): boolean =>
  !signal.aborted &&
  expected.step.effects.some(
    (effect) => effect.kind === 'stopCall' && effect.generation === generation,
  );

const addressOf = (self: AnyActorRef): string =>
  self._parent === undefined ? '' : `${addressOf(self._parent)}/${self.id}`;
