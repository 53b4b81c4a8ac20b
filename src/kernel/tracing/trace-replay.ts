import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { Transitioned } from '../chart-runner.js';
import type { RequestedAction } from '../inert.js';
import type { Effect, Ending, TraceStep } from './trace.js';
import type { ActionArguments, BuiltinAction, ChildReference, Children } from '../xstate-shapes.js';
import { implementationsOf, isBuiltinAction, nodesOf, selected } from '../xstate-shapes.js';

/** The start of a replayed transition. */
export interface ReplayStart {
  readonly machine: AnyStateMachine;
  readonly self: AnyActorRef;
  readonly event: EventObject;
  readonly context: object;
  readonly children: Children;
}

/**
 * Repeats the path that XState took before, evaluating every guard and taking every action again. Undefined when the
 * path is unknown: nothing has changed then, and XState is called.
 */
export const replayTrace = (root: TraceStep, start: ReplayStart): Transitioned | undefined =>
  new TraceReplay(start).run(root);

type Assigner = (args: object, params: unknown) => object;
type Choice = (args: object, params: unknown) => unknown;
type Collect = (args: object, params: unknown) => void;

interface RaiseOptions {
  readonly id?: string;
  readonly delay?: unknown;
}

const isNotPlain = (value: unknown): boolean => typeof value === 'function';

/** Spelled out, because spreading takes ten times as long. */
const snapshotLike = (
  template: AnyMachineSnapshot,
  context: object,
  children: Children,
  output: unknown,
): AnyMachineSnapshot =>
  ({
    status: template.status,
    output,
    error: undefined,
    machine: template.machine as AnyStateMachine,
    context,
    _nodes: nodesOf(template),
    value: template.value as unknown,
    tags: template.tags,
    children,
    historyValue: template.historyValue,
    matches: template.matches,
    hasTag: template.hasTag,
    can: template.can,
    getMeta: template.getMeta,
    toJSON: template.toJSON,
  }) as unknown as AnyMachineSnapshot;

class TraceReplay {
  readonly #start: ReplayStart;
  readonly #actions: RequestedAction[] = [];
  #context: object;
  #children: Children;
  #knownArguments: ActionArguments | undefined;
  #isOwnContext = false;
  /** The events that the chart raised, and the event being handled. */
  readonly #raised: EventObject[] = [];
  #event: EventObject;

  constructor(start: ReplayStart) {
    this.#start = start;
    this.#event = start.event;
    this.#context = start.context;
    this.#children = start.children;
  }

  run(root: TraceStep): Transitioned | undefined {
    let step: TraceStep | undefined = root;
    while (step !== undefined) {
      if (step.kind === 'guard') {
        step = step.guard(this.#arguments(), step.params) ? step.whenTrue : step.whenFalse;
      } else if (step.kind === 'act') {
        if (!this.#perform(step.operation)) return undefined;
        step = step.next;
      } else if (step.kind === 'turn') {
        step = step.byType[this.#turnTo(step.position)];
      } else {
        return step.ending === undefined ? undefined : this.#end(step.ending);
      }
    }
    return undefined;
  }

  /** Handles the raised event at a position; returns its type. */
  #turnTo(position: number): string {
    const event = this.#raised[position];
    if (event === undefined) return '';
    this.#event = event;
    this.#knownArguments = undefined;
    return event.type;
  }

  #end({ template, raised }: Ending): Transitioned | undefined {
    if (!this.#hasRaised(raised)) return undefined;
    const isDone = template.status === 'done';
    const children = this.#children;
    if (isDone)
      for (const child of Object.values(children)) this.#request('xstate.stopChild', child);
    const context = this.#context;
    const output = isDone ? this.#output(template) : undefined;
    return {
      snapshot: snapshotLike(template, context, children, output),
      actions: this.#actions,
    };
  }

  /** A chart that raised other events took another path. */
  #hasRaised(types: readonly string[]): boolean {
    return (
      types.length === this.#raised.length &&
      types.every((type, position) => type === this.#raised[position]?.type)
    );
  }

  /** The output of the machine, computed from that of the final state. */
  #output(template: AnyMachineSnapshot): unknown {
    const { self, machine } = this.#start;
    const event = this.#event;
    const context = this.#context;
    const final = nodesOf(template).find((node) => node.type === 'final');
    const output = selected(final?.output, { context, event, self });
    const doneEvent = { type: `xstate.done.state.${final?.id ?? ''}`, output };
    return selected(machine.root.output, { context, event: doneEvent, self });
  }

  #perform(operation: Effect): boolean {
    switch (operation.kind) {
      case 'action':
        return this.#take(operation.action, this.#paramsOf(operation));
      case 'arm':
        return this.#arm(operation.id, operation.delay);
      case 'cancel':
        this.#request('xstate.cancel', { sendId: operation.id });
        return true;
      case 'invoke':
        this.#spawn(operation.id, operation.src, operation.input);
        return true;
      case 'stop':
        this.#stop(this.#children[operation.id]);
        return true;
    }
  }

  #paramsOf({ params, makeParams }: Extract<Effect, { kind: 'action' }>): unknown {
    return makeParams === undefined ? params : makeParams(this.#lastingArguments());
  }

  /** The same object as long as the context is the same: guards and actions run too often for one each. */
  #arguments(): ActionArguments {
    return (this.#knownArguments ??= {
      context: this.#context,
      event: this.#event,
      self: this.#start.self,
      system: undefined,
    });
  }

  /** For functions that may keep the context: it must not change afterwards. */
  #lastingArguments(): ActionArguments {
    this.#isOwnContext = false;
    return this.#arguments();
  }

  #take(action: BuiltinAction, params: unknown): boolean {
    switch (action.type) {
      case 'xstate.assign':
        this.#assign(action.assignment, params);
        return true;
      case 'xstate.emit':
        this.#request('xstate.emit', { event: this.#chosen(action.event, params) });
        return true;
      case 'xstate.enqueueActions':
        this.#enqueue(action.collect, params);
        return true;
      case 'xstate.spawnChild':
        this.#spawn(action.id as string, action.src as string, action.input);
        return true;
      case 'xstate.stopChild':
        this.#stopNamed(this.#chosen(action.actorRef, params));
        return true;
      default:
        return this.#resolve(action, params);
    }
  }

  /**
   * Enqueued actions are taken at once, in the same order: the enqueueing function sees none of their effects. The
   * replay is its own queue, which saves the dozen functions that XState creates each time. A function that needs more
   * than this queue offers throws, and XState is called.
   */
  #enqueue(collect: unknown, params: unknown): void {
    const { context, event, self } = this.#lastingArguments();
    (collect as Collect)({ context, event, enqueue: this, self, system: undefined }, params);
  }

  assign(assignment: unknown): void {
    this.#assign(assignment, undefined);
  }

  emit(event: unknown): void {
    this.#request('xstate.emit', { event: this.#chosen(event, undefined) });
  }

  /** With a delay it is a timer; without one it is handled after the current event. */
  raise(event: unknown, { id, delay }: RaiseOptions = {}): void {
    if (isNotPlain(event) || isNotPlain(delay) || typeof delay === 'string') {
      throw new Error('XState has to compute the raised event');
    }
    if (delay === undefined) this.#raised.push(event as EventObject);
    this.#request('xstate.raise', { event, id, delay });
  }

  cancel(sendId: unknown): void {
    this.#request('xstate.cancel', { sendId: this.#chosen(sendId, undefined) });
  }

  sendTo(target: unknown, event: unknown): void {
    const to = this.#chosen(target, undefined);
    const named = typeof to === 'string' ? this.#children[to] : to;
    if (named === undefined) throw new Error('There is no actor to send to');
    this.#request('xstate.sendTo', {
      to: named,
      targetId: typeof to === 'string' ? to : undefined,
      event: this.#chosen(event, undefined),
      id: undefined,
      delay: undefined,
    });
  }

  spawnChild(src: string, { id, input }: { readonly id: string; readonly input: unknown }): void {
    this.#spawn(id, src, input);
  }

  stopChild(target: unknown): void {
    this.#stopNamed(this.#chosen(target, undefined));
  }

  /** The other built-in actions change no snapshot: XState's own resolution is used as it is. */
  #resolve(action: BuiltinAction, params: unknown): boolean {
    const { machine, self } = this.#start;
    const snapshot = { context: this.#context, children: this.#children, machine };
    const internalQueue: EventObject[] = [];
    const extra = { internalQueue, deferredActorIds: undefined };
    const scope = { self, system: undefined };
    const args = this.#lastingArguments();
    const [, resolved, inner] = action.resolve(scope, snapshot, args, params, action, extra);
    this.#raised.push(...internalQueue);
    if (action.execute !== undefined) this.#request(action.type, resolved);
    return (inner ?? []).every((next) => isBuiltinAction(next) && this.#take(next, undefined));
  }

  #assign(assignment: unknown, params: unknown): void {
    const change =
      typeof assignment === 'function'
        ? (assignment as Assigner)(this.#arguments(), params)
        : this.#assigned(assignment as Readonly<Record<string, unknown>>, params);
    // A later change within the same transition mutates the copy, as long as no other code has seen it.
    if (this.#isOwnContext) {
      Object.assign(this.#context, change);
      return;
    }
    this.#context = { ...this.#context, ...change };
    this.#isOwnContext = true;
    this.#knownArguments = undefined;
  }

  /** Values may be functions of the context; without any there is nothing to compute. */
  #assigned(assignment: Readonly<Record<string, unknown>>, params: unknown): object {
    let computed: Record<string, unknown> | undefined;
    for (const key in assignment) {
      const value = assignment[key];
      if (typeof value !== 'function') continue;
      computed ??= { ...assignment };
      computed[key] = (value as Assigner)(this.#arguments(), params);
    }
    return computed ?? assignment;
  }

  #arm(id: string, name: string): boolean {
    const delay = implementationsOf(this.#start.machine).delays[name] ?? Number(name);
    const delayMs = selected(delay, this.#lastingArguments());
    if (typeof delayMs !== 'number' || Number.isNaN(delayMs)) return false;
    this.#request('xstate.raise', { event: { type: id }, id, delay: delayMs });
    return true;
  }

  #spawn(id: string, src: string, input: unknown): void {
    const actorRef: ChildReference = { id };
    const resolved = selected(input, this.#lastingArguments());
    const children: Record<string, ChildReference> = { ...this.#children };
    children[id] = actorRef;
    this.#children = children;
    this.#request('xstate.spawnChild', { id, src, input: resolved, actorRef });
  }

  #stopNamed(target: unknown): void {
    this.#stop(typeof target === 'string' ? this.#children[target] : (target as ChildReference));
  }

  /** A value, or what a function makes of context and event. */
  #chosen(value: unknown, params: unknown): unknown {
    return typeof value === 'function'
      ? (value as Choice)(this.#lastingArguments(), params)
      : value;
  }

  #stop(child: ChildReference | undefined): void {
    this.#request('xstate.stopChild', child);
    if (child === undefined) return;
    const rest: Record<string, ChildReference> = {};
    for (const id in this.#children) {
      const other = this.#children[id];
      if (other !== undefined && id !== child.id) rest[id] = other;
    }
    this.#children = rest;
  }

  #request(type: string, params: unknown): void {
    this.#actions.push({ type, params });
  }
}
