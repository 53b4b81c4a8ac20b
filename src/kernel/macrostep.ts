import type { AnyActorRef, AnyMachineSnapshot, EventObject } from 'xstate';

import type { ChartRunner, Transitioned } from './chart-runner.js';
import type { RequestedAction } from './inert.js';
import { inertSelf } from './inert.js';
import type {
  CallNode,
  ChartNode,
  Effect,
  KernelInput,
  KernelState,
  KernelStep,
  TimerNode,
} from './kernel.types.js';
import type { SpawnParams } from './requested-children.js';
import { childIn, isBornWith, stoppedAtOnce } from './requested-children.js';
import type { Children } from './xstate-shapes.js';
import { childrenOf } from './xstate-shapes.js';

interface Mailbox {
  /** Waiting events; created when needed, which is seldom. */
  queue: EventObject[] | undefined;
  isBusy: boolean;
}

/** Sent to an actor to stop it; charts never see it. */
const STOP: EventObject = { type: 'xstate.stop' };
const ROOT = '';
const NO_CHILDREN: Children = {};

/**
 * One step of the kernel, while it is being made. Works on copies; the state it started from stays as it was.
 *
 * The order is that of XState's interpreter, pinned by test/xstate-contract.test.ts: an actor finishes its event, then
 * does what the event asked for in order (children start and messages are handled at once, depth first), and only then
 * takes the next event from its mailbox.
 */
export class Macrostep {
  readonly #runners: ReadonlyMap<string, ChartRunner>;
  readonly #nodes: Map<string, ChartNode>;
  readonly #calls: Map<string, CallNode>;
  readonly #timers: Map<string, TimerNode>;
  #generation: number;
  readonly #steps: number;
  readonly #effects: Effect[] = [];
  readonly #emitted: EventObject[] = [];
  readonly #mailboxes = new Map<string, Mailbox>();
  #ended: AnyMachineSnapshot | undefined;

  constructor(runners: ReadonlyMap<string, ChartRunner>, state: KernelState) {
    this.#runners = runners;
    this.#nodes = copyOf(state.nodes);
    this.#calls = copyOf(state.calls);
    this.#timers = copyOf(state.timers);
    this.#generation = state.generation;
    this.#steps = state.steps;
  }

  perform(root: string, input: KernelInput): void {
    switch (input.kind) {
      case 'started':
        this.#startChart(ROOT, root, root, undefined, input.input);
        return;
      case 'commanded':
        this.#deliver(ROOT, input.event);
        return;
      case 'answered':
        this.#settleCall(input.address, input.generation, (id) => ({
          type: `xstate.done.actor.${id}`,
          output: input.output,
          actorId: id,
        }));
        return;
      case 'broken':
        this.#settleCall(input.address, input.generation, (id) => ({
          type: `xstate.error.actor.${id}`,
          error: input.error,
          actorId: id,
        }));
        return;
      case 'elapsed':
        this.#elapse(input.timer, input.generation);
    }
  }

  result(): KernelStep {
    return {
      state: {
        nodes: this.#nodes,
        calls: this.#calls,
        timers: this.#timers,
        generation: this.#generation,
        steps: this.#steps + 1,
      },
      effects: this.#effects,
      emitted: this.#emitted,
      status: endStatus(this.#ended),
      output: this.#ended?.output,
      error: this.#ended?.error,
    };
  }

  /** The answer of a call that was stopped or replaced is dropped. */
  #settleCall(address: string, generation: number, toEvent: (id: string) => EventObject): void {
    const call = this.#calls.get(address);
    if (call?.generation !== generation) return;
    this.#calls.delete(address);
    this.#deliver(call.parent, toEvent(call.id));
  }

  #elapse(key: string, generation: number): void {
    const timer = this.#timers.get(key);
    if (timer?.generation !== generation) return;
    this.#timers.delete(key);
    this.#deliver(timer.address, timer.event);
  }

  #deliver(address: string, event: EventObject): void {
    if (!this.#nodes.has(address)) return;
    this.#post(address, this.#mailboxOf(address), event);
  }

  #post(address: string, mailbox: Mailbox, event: EventObject): void {
    if (mailbox.isBusy) {
      mailbox.queue ??= [];
      mailbox.queue.push(event);
      return;
    }
    mailbox.isBusy = true;
    this.#handle(address, event);
    this.#drain(address, mailbox);
  }

  #mailboxOf(address: string): Mailbox {
    let mailbox = this.#mailboxes.get(address);
    if (mailbox === undefined) {
      mailbox = { queue: undefined, isBusy: false };
      this.#mailboxes.set(address, mailbox);
    }
    return mailbox;
  }

  /** Handles the events that arrived while the actor was busy. */
  #drain(address: string, mailbox: Mailbox): void {
    for (let event = mailbox.queue?.shift(); event !== undefined; event = mailbox.queue?.shift()) {
      this.#handle(address, event);
    }
    mailbox.isBusy = false;
  }

  #handle(address: string, event: EventObject): void {
    if (event === STOP) this.#remove(address);
    else this.#process(address, event);
  }

  #process(address: string, event: EventObject): void {
    const node = this.#nodes.get(address);
    const runner = node === undefined ? undefined : this.#runners.get(node.chart);
    if (node === undefined || runner === undefined) return;
    const { snapshot, actions } = advanced(runner, node, event);
    const { chart, id, parent, self } = node;
    this.#nodes.set(address, { chart, id, parent, snapshot, self });
    this.#carryOut(address, node.self, actions);
    this.#settleIfEnded(address, snapshot);
  }

  #startChart(
    address: string,
    id: string,
    chart: string,
    parent: string | undefined,
    input: unknown,
  ): void {
    const runner = this.#runners.get(chart);
    if (runner === undefined) return;
    const parentSelf = parent === undefined ? undefined : this.#nodes.get(parent)?.self;
    const self = inertSelf(id, parentSelf);
    const { snapshot, actions } = runner.begin(self, input);
    this.#nodes.set(address, { chart, id, parent, snapshot, self });
    const mailbox: Mailbox = { queue: undefined, isBusy: true };
    this.#mailboxes.set(address, mailbox);
    // A starting actor first starts the children of its initial states, then performs the other requested actions.
    const born = childrenOf(snapshot);
    for (const action of actions) {
      if (isBornWith(born, action)) this.#spawn(address, action.params);
    }
    this.#carryOut(address, self, actions, born);
    this.#settleIfEnded(address, snapshot);
    this.#drain(address, mailbox);
  }

  /** All facts are emitted first, then all actions are performed, as XState's interpreter does it. */
  #carryOut(
    address: string,
    self: AnyActorRef,
    actions: readonly RequestedAction[],
    born: Children = NO_CHILDREN,
  ): void {
    const neverStarted = stoppedAtOnce(actions);
    for (const { type, params } of actions) {
      if (type === 'xstate.emit') this.#emitted.push((params as EmitParams).event);
    }
    for (const action of actions) {
      if (isBornWith(born, action) || neverStarted.includes(childIn(action))) continue;
      this.#perform(address, self, action);
    }
  }

  #perform(address: string, self: AnyActorRef, { type, params }: RequestedAction): void {
    switch (type) {
      case 'xstate.emit':
        return;
      case 'xstate.spawnChild':
        this.#spawn(address, params as SpawnParams);
        return;
      case 'xstate.stopChild':
        if (params !== undefined) this.#stop(`${address}/${(params as AnyActorRef).id}`);
        return;
      case 'xstate.sendTo': {
        const { to, event } = params as SendParams;
        this.#deliver(this.#addressOf(address, self, to), event);
        return;
      }
      case 'xstate.raise':
        this.#arm(address, params as RaiseParams);
        return;
      case 'xstate.cancel':
        this.#cancel(`${address}#${(params as { readonly sendId: string }).sendId}`);
        return;
      default:
        throw new Error(`Charts may not have the custom action '${type}': effects are actors`);
    }
  }

  #addressOf(address: string, self: AnyActorRef, to: AnyActorRef): string {
    if (to === self) return address;
    if (to === self._parent) return this.#nodes.get(address)?.parent ?? ROOT;
    return `${address}/${to.id}`;
  }

  #spawn(parent: string, { id, src, input }: SpawnParams): void {
    const address = `${parent}/${id}`;
    if (this.#runners.has(src)) {
      this.#startChart(address, id, src, parent, input);
      return;
    }
    this.#generation += 1;
    const generation = this.#generation;
    this.#calls.set(address, { id, parent, generation, actor: src, input });
    this.#effects.push({ kind: 'startCall', address, generation, actor: src, input });
  }

  /** A busy actor stops after what it is doing; what waits in its mailbox is dropped. */
  #stop(address: string): void {
    const call = this.#calls.get(address);
    if (call !== undefined) {
      this.#calls.delete(address);
      this.#effects.push({ kind: 'stopCall', address, generation: call.generation });
      return;
    }
    if (!this.#nodes.has(address)) return;
    const mailbox = this.#mailboxOf(address);
    mailbox.queue = undefined;
    this.#post(address, mailbox, STOP);
  }

  #remove(address: string): void {
    const node = this.#nodes.get(address);
    if (node === undefined) return;
    this.#nodes.delete(address);
    this.#forgetTimers(address);
    for (const id of Object.keys(childrenOf(node.snapshot))) this.#stop(`${address}/${id}`);
  }

  #settleIfEnded(address: string, snapshot: AnyMachineSnapshot): void {
    const node = this.#nodes.get(address);
    if (snapshot.status === 'active' || node === undefined) return;
    this.#remove(address);
    if (node.parent === undefined) {
      this.#ended = snapshot;
      return;
    }
    const event =
      snapshot.status === 'done'
        ? {
            type: `xstate.done.actor.${node.id}`,
            output: snapshot.output as unknown,
            actorId: node.id,
          }
        : { type: `xstate.error.actor.${node.id}`, error: snapshot.error, actorId: node.id };
    this.#deliver(node.parent, event);
  }

  /** A delayed raise is a timer; one without delay was handled by XState itself. */
  #arm(address: string, { id, delay, event }: RaiseParams): void {
    if (delay === undefined) return;
    this.#generation += 1;
    const generation = this.#generation;
    const timer = `${address}#${id}`;
    this.#timers.set(timer, { address, event, generation, delayMs: delay, since: this.#steps });
    this.#effects.push({ kind: 'armTimer', timer, generation, delayMs: delay });
  }

  #cancel(key: string): void {
    const timer = this.#timers.get(key);
    if (timer === undefined) return;
    this.#timers.delete(key);
    this.#effects.push({ kind: 'cancelTimer', timer: key, generation: timer.generation });
  }

  #forgetTimers(address: string): void {
    this.#timers.forEach((timer, key) => {
      if (timer.address === address) this.#cancel(key);
    });
  }
}

interface EmitParams {
  readonly event: EventObject;
}

interface SendParams {
  readonly to: AnyActorRef;
  readonly event: EventObject;
}

interface RaiseParams {
  readonly id: string;
  readonly delay: number | undefined;
  readonly event: EventObject;
}

/** Faster than passing the map to the constructor, which allocates a pair per entry. */
const copyOf = <Value>(map: ReadonlyMap<string, Value>): Map<string, Value> => {
  const copy = new Map<string, Value>();
  map.forEach((value, key) => copy.set(key, value));
  return copy;
};

const endStatus = (snapshot: AnyMachineSnapshot | undefined): KernelStep['status'] => {
  if (snapshot === undefined) return 'active';
  return snapshot.status === 'done' ? 'done' : 'error';
};

/** A chart that throws has a bug: its run ends with the error, and the process lives on. */
const advanced = (runner: ChartRunner, node: ChartNode, event: EventObject): Transitioned => {
  try {
    return runner.advance(node.self, node.snapshot, event);
  } catch (error) {
    const snapshot = { ...node.snapshot, status: 'error', error } as AnyMachineSnapshot;
    return { snapshot, actions: [] };
  }
};
