import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { Transitioned } from './chart-runner.js';
import type { RequestedAction } from './inert.js';
import type { Ending, Operation, TraceStep } from './trace.js';
import type { ActionArguments, BuiltinAction, ChildReference, Children } from './xstate-shapes.js';
import { implementationsOf, isBuiltinAction, nodesOf, selected } from './xstate-shapes.js';

/** Where a replay starts from. */
export interface ReplayStart {
  readonly machine: AnyStateMachine;
  readonly self: AnyActorRef;
  readonly event: EventObject;
  readonly context: object;
  readonly children: Children;
}

/**
 * Goes the way that XState went before, asking every guard and taking every action anew. Undefined when the way is
 * not known: nothing has happened then, and XState is asked.
 */
export const replayTrace = (root: TraceStep, start: ReplayStart): Transitioned | undefined =>
  new TraceReplay(start).run(root);

type Assigner = (args: object, params: unknown) => object;

class TraceReplay {
  readonly #start: ReplayStart;
  readonly #actions: RequestedAction[] = [];
  #context: object;
  #children: Children;

  constructor(start: ReplayStart) {
    this.#start = start;
    this.#context = start.context;
    this.#children = start.children;
  }

  run(root: TraceStep): Transitioned | undefined {
    let step: TraceStep | undefined = root;
    while (step !== undefined) {
      if (step.kind === 'guard') {
        const args = { context: this.#context, event: this.#start.event };
        step = step.guard(args, step.params) ? step.whenTrue : step.whenFalse;
      } else if (step.kind === 'act') {
        if (!this.#perform(step.operation)) return undefined;
        step = step.next;
      } else {
        return step.ending === undefined ? undefined : this.#end(step.ending);
      }
    }
    return undefined;
  }

  #end({ template }: Ending): Transitioned {
    const isDone = template.status === 'done';
    const children = this.#children;
    if (isDone)
      for (const child of Object.values(children)) this.#request('xstate.stopChild', child);
    const context = this.#context;
    const output = isDone ? this.#output(template) : undefined;
    return {
      snapshot: { ...template, context, children, output } as AnyMachineSnapshot,
      actions: this.#actions,
    };
  }

  /** The output of the final state, handed to the output of the machine. */
  #output(template: AnyMachineSnapshot): unknown {
    const { self, event, machine } = this.#start;
    const context = this.#context;
    const final = nodesOf(template).find((node) => node.type === 'final');
    const output = selected(final?.output, { context, event, self });
    const doneEvent = { type: `xstate.done.state.${final?.id ?? ''}`, output };
    return selected(machine.root.output, { context, event: doneEvent, self });
  }

  #perform(operation: Exclude<Operation, { kind: 'guard' }>): boolean {
    switch (operation.kind) {
      case 'action':
        return this.#take(operation.action, operation.params);
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

  #arguments(): ActionArguments {
    const { event, self } = this.#start;
    return { context: this.#context, event, self, system: undefined };
  }

  #take(action: BuiltinAction, params: unknown): boolean {
    switch (action.type) {
      case 'xstate.assign':
        this.#assign(action.assignment, params);
        return true;
      case 'xstate.spawnChild':
        this.#spawn(action.id as string, action.src as string, action.input);
        return true;
      case 'xstate.stopChild':
        this.#stopNamed(action.actorRef, params);
        return true;
      default:
        return this.#resolve(action, params);
    }
  }

  /** The other built-in actions change no snapshot: XState's own resolution is used as it is. */
  #resolve(action: BuiltinAction, params: unknown): boolean {
    const { machine, self } = this.#start;
    const snapshot = { context: this.#context, children: this.#children, machine };
    const internalQueue: EventObject[] = [];
    const extra = { internalQueue, deferredActorIds: undefined };
    const scope = { self, system: undefined };
    const args = this.#arguments();
    const [, resolved, inner] = action.resolve(scope, snapshot, args, params, action, extra);
    // An event raised to oneself starts another round of transitions: XState has to work those out.
    if (internalQueue.length > 0) return false;
    if (action.execute !== undefined) this.#request(action.type, resolved);
    return (inner ?? []).every((next) => isBuiltinAction(next) && this.#take(next, undefined));
  }

  #assign(assignment: unknown, params: unknown): void {
    const change =
      typeof assignment === 'function'
        ? (assignment as Assigner)(this.#arguments(), params)
        : this.#assigned(assignment as Readonly<Record<string, unknown>>, params);
    this.#context = { ...this.#context, ...change };
  }

  /** Values may be functions of the context; where none is, there is nothing to compute. */
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
    const delayMs = selected(delay, this.#arguments());
    if (typeof delayMs !== 'number' || Number.isNaN(delayMs)) return false;
    this.#request('xstate.raise', { event: { type: id }, id, delay: delayMs });
    return true;
  }

  #spawn(id: string, src: string, input: unknown): void {
    const { event, self } = this.#start;
    const actorRef: ChildReference = { id };
    const resolved = selected(input, { context: this.#context, event, self });
    this.#children = { ...this.#children, [id]: actorRef };
    this.#request('xstate.spawnChild', { id, src, input: resolved, actorRef });
  }

  #stopNamed(target: unknown, params: unknown): void {
    const resolved =
      typeof target === 'function'
        ? (target as (args: object, params: unknown) => unknown)(this.#arguments(), params)
        : target;
    this.#stop(
      typeof resolved === 'string' ? this.#children[resolved] : (resolved as ChildReference),
    );
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
