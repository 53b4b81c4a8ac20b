/**
 * The behaviour of XState 5.33 that this package relies on, so that an upgrade that changes it fails here and not in a
 * user's run. The kernel calls `machine.getInitialSnapshot` and `machine.transition` with its own scope and reads the
 * returned actions as data, without live actors. The last parts check live actors, because
 * `createActor(orchestrator.machine)` has to tell the same facts.
 *
 * Everything runs twice: against the development build, which Vitest loads, and the one that Node loads.
 */
import * as developmentBuild from 'xstate';
import type {
  AnyActorLogic,
  AnyActorRef,
  AnyMachineSnapshot,
  AnyStateMachine,
  EventObject,
  ExecutableActionObject,
  InspectionEvent,
  Snapshot,
} from 'xstate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { virtualClock } from '../src/testing/virtual-clock.js';

type XState = typeof developmentBuild;

// Past the exports map, which would give the development build again.
const productionPath = '../node_modules/xstate/dist/xstate.cjs.mjs';
const productionBuild = (await import(productionPath)) as XState;

const builds: [string, XState][] = [
  ['development', developmentBuild],
  ['production', productionBuild],
];

beforeEach(() => {
  // The development build warns of what these tests do on purpose.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('xstate has two builds to compare', () => {
  const machine = (xstate: XState): AnyStateMachine => xstate.createMachine({});
  const wildcard = { type: '*' };
  expect(() => new DryRun(machine(developmentBuild)).send(wildcard)).toThrow('wildcard');
  expect(() => new DryRun(machine(productionBuild)).send(wildcard)).not.toThrow();
});

// ---- A machine run without actors, the way the kernel does it -----------------------------------

/** Logic that does nothing: it replaces every actor of a chart. */
const inert: AnyActorLogic = {
  getInitialSnapshot: (_scope, input: unknown) =>
    ({ status: 'active', output: undefined, error: undefined, input }) as Snapshot<unknown>,
  transition: (snapshot: Snapshot<unknown>) => snapshot,
  getPersistedSnapshot: (snapshot: Snapshot<unknown>) => snapshot,
};

/** A stub that reports when XState reads an unknown property of it. */
function only<Stub extends object>(name: string, stub: Stub): Stub {
  return new Proxy(stub, {
    get: (target, key): unknown => {
      if (typeof key === 'string' && !(key in target))
        throw new Error(`XState read ${name}.${key}`);
      return Reflect.get(target, key);
    },
  });
}

type MachineScope = Parameters<AnyStateMachine['transition']>[2];

class DryRun {
  readonly scope: MachineScope;
  readonly self: AnyActorRef;
  /** Thunks given to `defer` while nothing was executed. */
  deferred = 0;
  snapshot: AnyMachineSnapshot;
  readonly #machine: AnyStateMachine;
  readonly #actions: ExecutableActionObject[] = [];

  constructor(machine: AnyStateMachine, input?: unknown, parent?: object) {
    let sessions = 0;
    const system = only('system', {
      _bookId: () => `session-${sessions++}`,
      _sendInspectionEvent: () => {},
      _logger: () => {},
      _clock: undefined,
    });
    this.self = only('self', { id: 'root', system, _parent: parent }) as unknown as AnyActorRef;
    this.scope = {
      self: this.self,
      system,
      id: 'root',
      sessionId: 'root-session',
      logger: () => {},
      defer: () => (this.deferred += 1),
      stopChild: () => expect.fail('stopped a child'),
      emit: () => expect.fail('emitted'),
      actionExecutor: (action: ExecutableActionObject) => this.#actions.push(action),
    } as unknown as MachineScope;
    this.#machine = machine;
    this.snapshot = machine.getInitialSnapshot(this.scope, input);
  }

  send(event: EventObject): this {
    this.snapshot = this.#machine.transition(this.snapshot, event, this.scope);
    return this;
  }

  child(id: string): AnyActorRef | undefined {
    return (this.snapshot.children as Record<string, AnyActorRef | undefined>)[id];
  }

  childIds(): string[] {
    return Object.keys(this.snapshot.children as object);
  }

  /** The actions since the last call, as XState gave them. */
  take(): ExecutableActionObject[] {
    return this.#actions.splice(0);
  }

  /** The types of the actions since the last call. */
  types(): string[] {
    return this.take().map((action) => action.type);
  }

  /** The parameters of the only action of this type since the last call. */
  params(type: string): Record<string, unknown> {
    const found = this.take().filter((action) => action.type === type);
    expect(found).toHaveLength(1);
    return found[0]?.params as Record<string, unknown>;
  }
}

describe.each(builds)('the actions of a transition as data (%s build)', (_build, xstate) => {
  const {
    assign,
    cancel,
    createMachine,
    emit,
    enqueueActions,
    log,
    raise,
    sendTo,
    spawnChild,
    stopChild,
  } = xstate;

  it('reports an invoked actor as spawnChild and keeps its reference under its id', () => {
    const machine = createMachine({
      context: { goal: 'tea' },
      invoke: { id: 'planner', src: 'propose', input: ({ context }) => ({ ...context, depth: 1 }) },
    }).provide({ actors: { propose: inert } });
    const run = new DryRun(machine);
    const params = run.params('xstate.spawnChild');
    expect(Object.keys(params).sort()).toEqual(['actorRef', 'id', 'input', 'src', 'systemId']);
    expect(params['id']).toBe('planner');
    expect(params['src']).toBe('propose');
    expect(params['input']).toEqual({ goal: 'tea', depth: 1 });
    expect(params['systemId']).toBeUndefined();
    expect(params['actorRef']).toBe(run.child('planner'));
    expect(run.child('planner')).toMatchObject({
      id: 'planner',
      src: 'propose',
      _parent: run.self,
    });
    expect(run.child('planner')?.getSnapshot()).toMatchObject({ input: { goal: 'tea', depth: 1 } });
  });

  it('gives an invoke without an id the id <index>.<state id>', () => {
    const machine = createMachine({ id: 'm', invoke: [{ src: 'one' }, { src: 'two' }] });
    const run = new DryRun(machine.provide({ actors: { one: inert, two: inert } }));
    expect(run.childIds()).toEqual(['0.m', '1.m']);
  });

  it('reports spawnChild with its id as it was written: a function stays a function', () => {
    const machine = createMachine({
      on: {
        fixed: { actions: spawnChild('step', { id: 'slot-0', input: 1 }) },
        computed: {
          actions: spawnChild('step', {
            id: ({ event }) => `slot-${(event as { slot?: number }).slot ?? 0}`,
          }),
        },
      },
    }).provide({ actors: { step: inert } });
    const run = new DryRun(machine);
    expect(run.send({ type: 'fixed' }).params('xstate.spawnChild')).toMatchObject({
      id: 'slot-0',
      input: 1,
    });
    const computed = run
      .send({ type: 'computed', slot: 7 } as EventObject)
      .params('xstate.spawnChild');
    expect(computed['id']).toBeTypeOf('function');
    expect((computed['actorRef'] as AnyActorRef).id).toBe('slot-7');
    expect(run.child('slot-7')).toBe(computed['actorRef']);
  });

  it('reports spawnChild of an unknown actor without a reference', () => {
    const run = new DryRun(createMachine({ invoke: { id: 'gone', src: 'missing' } }));
    expect(run.params('xstate.spawnChild')).toMatchObject({ id: 'gone', actorRef: undefined });
    expect(run.childIds()).toEqual(['gone']);
    expect(run.child('gone')).toBeUndefined();
  });

  it('reports nothing for spawn() inside assign: it only defers a start', () => {
    const machine = createMachine({
      context: {},
      on: { go: { actions: assign(({ spawn }) => ({ ref: spawn('step', { id: 'slot' }) })) } },
    }).provide({ actors: { step: inert } });
    const run = new DryRun(machine).send({ type: 'go' });
    expect(run.types()).toEqual([]);
    expect(run.deferred).toBe(1);
    expect(run.child('slot')).toBeDefined();
  });

  it('reports stopChild with the reference itself, or with undefined when there is no such child', () => {
    const machine = createMachine({
      entry: spawnChild('step', { id: 'slot' }),
      on: { stop: { actions: stopChild('slot') } },
    }).provide({ actors: { step: inert } });
    const run = new DryRun(machine);
    const slot = run.child('slot');
    run.take();
    expect(run.send({ type: 'stop' }).params('xstate.stopChild')).toBe(slot);
    expect(run.snapshot.children).toEqual({});
    expect(run.send({ type: 'stop' }).params('xstate.stopChild')).toBeUndefined();
  });

  it('reports sendTo with the reference, the event, the delay and the id', () => {
    const machine = createMachine({
      entry: spawnChild('step', { id: 'slot' }),
      on: {
        now: { actions: sendTo('slot', ({ event }) => ({ type: 'tell', about: event.type })) },
        later: { actions: sendTo('slot', { type: 'tell' }, { delay: 50, id: 'reminder' }) },
      },
    }).provide({ actors: { step: inert } });
    const run = new DryRun(machine);
    expect(run.send({ type: 'now' }).params('xstate.sendTo')).toEqual({
      to: run.child('slot'),
      targetId: 'slot',
      event: { type: 'tell', about: 'now' },
      delay: undefined,
      id: undefined,
    });
    expect(run.send({ type: 'later' }).params('xstate.sendTo')).toMatchObject({
      event: { type: 'tell' },
      delay: 50,
      id: 'reminder',
    });
  });

  it('resolves sendTo to an actor invoked by the same state, but only once the state is entered', () => {
    const machine = createMachine({
      entry: sendTo('planner', { type: 'hurry' }),
      invoke: { id: 'planner', src: 'propose' },
    }).provide({ actors: { propose: inert } });
    const run = new DryRun(machine);
    // The parameters were 'planner' when they were reported and are changed in place afterwards.
    expect(run.params('xstate.sendTo')['to']).toBe(run.child('planner'));
  });

  it('throws when sendTo names no child', () => {
    const run = new DryRun(
      createMachine({ on: { go: { actions: sendTo('nobody', { type: 'x' }) } } }),
    );
    expect(() => run.send({ type: 'go' })).toThrow("Unable to send event to actor 'nobody'");
  });

  it('lets a chart send to its parent through a stub of self, and to itself when it has no parent', () => {
    const machine = createMachine({
      on: { go: { actions: sendTo(({ self }) => self._parent ?? self, { type: 'told' }) } },
    });
    const parent = { id: 'parent' };
    const child = new DryRun(machine, undefined, parent);
    expect(child.send({ type: 'go' }).params('xstate.sendTo')).toMatchObject({
      event: { type: 'told' },
    });
    expect(child.send({ type: 'go' }).params('xstate.sendTo')['to']).toBe(parent);
    const root = new DryRun(machine);
    expect(root.send({ type: 'go' }).params('xstate.sendTo')['to']).toBe(root.self);
  });

  it('cannot resolve sendParent without a parent, which is why our charts do not use it', () => {
    const machine = createMachine({ on: { go: { actions: xstate.sendParent({ type: 'told' }) } } });
    expect(() => new DryRun(machine).send({ type: 'go' })).toThrow("'#_parent'");
  });

  it('reports a delayed raise with its event, id and delay, and handles an immediate one itself', () => {
    const machine = createMachine({
      initial: 'idle',
      states: {
        idle: {
          on: {
            later: { actions: raise({ type: 'due' }, { delay: 100, id: 'timer' }) },
            now: { actions: raise({ type: 'due' }) },
            due: 'over',
          },
        },
        over: {},
      },
    });
    const run = new DryRun(machine);
    expect(run.send({ type: 'later' }).params('xstate.raise')).toEqual({
      event: { type: 'due' },
      id: 'timer',
      delay: 100,
    });
    expect(run.snapshot.value).toBe('idle');
    // An immediate raise is reported as well: it differs by its delay.
    expect(run.send({ type: 'now' }).params('xstate.raise')).toMatchObject({ delay: undefined });
    expect(run.snapshot.value).toBe('over');
  });

  it('reports cancel with its sendId and emit with its event', () => {
    const machine = createMachine({
      on: {
        forget: { actions: cancel('timer') },
        tell: { actions: emit(({ event }) => ({ type: 'step.started', by: event.type })) },
      },
    });
    const run = new DryRun(machine);
    expect(run.send({ type: 'forget' }).params('xstate.cancel')).toEqual({ sendId: 'timer' });
    expect(run.send({ type: 'tell' }).params('xstate.emit')).toEqual({
      event: { type: 'step.started', by: 'tell' },
    });
  });

  it('reports custom actions with their resolved parameters and runs none of them', () => {
    const record = vi.fn();
    const machine = createMachine({
      context: { count: 2 },
      on: {
        go: {
          actions: [
            'missing',
            { type: 'record', params: ({ context }) => ({ twice: context.count * 2 }) },
            record,
            log('hello'),
          ],
        },
      },
    }).provide({ actions: { record } });
    const run = new DryRun(machine).send({ type: 'go' });
    const actions = run.take();
    expect(actions.map(({ type, params }) => [type, params])).toEqual([
      ['missing', undefined],
      ['record', { twice: 4 }],
      [expect.any(String), undefined],
      ['xstate.log', { value: 'hello', label: undefined }],
    ]);
    expect(actions[0]?.exec).toBeUndefined();
    expect(actions[1]?.exec).toBe(record);
    expect(actions[1]?.info).toMatchObject({ context: { count: 2 }, event: { type: 'go' } });
    expect(record).not.toHaveBeenCalled();
  });

  it('evaluates guards, assign and enqueueActions, and reports only what those enqueue', () => {
    const machine = createMachine({
      context: { count: 0 },
      on: {
        count: {
          guard: ({ context }) => context.count < 2,
          actions: enqueueActions(({ enqueue, check }) => {
            enqueue.assign({ count: ({ context }) => context.count + 1 });
            if (check(({ context }) => context.count === 0)) enqueue('first');
            enqueue.emit({ type: 'counted' });
          }),
        },
      },
    });
    const run = new DryRun(machine);
    expect(run.send({ type: 'count' }).types()).toEqual(['first', 'xstate.emit']);
    expect(run.send({ type: 'count' }).types()).toEqual(['xstate.emit']);
    expect(run.send({ type: 'count' }).types()).toEqual([]);
    expect(run.snapshot.context).toEqual({ count: 2 });
  });
});

describe.each(builds)('the order of actions within a transition (%s build)', (_build, xstate) => {
  const { createMachine, emit, enqueueActions, raise, spawnChild } = xstate;

  const ordered = createMachine({
    id: 'm',
    initial: 'busy',
    states: {
      busy: {
        entry: 'enterBusy',
        invoke: { id: 'call', src: 'work' },
        on: { go: { target: 'idle', actions: 'onGo' } },
        after: { 50: 'idle' },
        exit: 'exitBusy',
        initial: 'inner',
        states: { inner: { entry: 'enterInner', exit: 'exitInner' } },
      },
      idle: { entry: 'enterIdle' },
    },
  }).provide({ actors: { work: inert } });

  it('is: entry, timers, invokes, then the same for the state inside', () => {
    const run = new DryRun(ordered);
    expect(run.types()).toEqual(['enterBusy', 'xstate.raise', 'xstate.spawnChild', 'enterInner']);
  });

  it('is: exit from the inside out, timers cancelled, invokes stopped, transition, entry', () => {
    const run = new DryRun(ordered);
    run.take();
    expect(run.send({ type: 'go' }).types()).toEqual([
      'exitInner',
      'exitBusy',
      'xstate.cancel',
      'xstate.stopChild',
      'onGo',
      'enterIdle',
    ]);
    expect(run.snapshot.children).toEqual({});
  });

  it('is: regions of a parallel state in the order they are written, left in the reverse', () => {
    const machine = createMachine({
      initial: 'active',
      states: {
        active: {
          type: 'parallel',
          on: { leave: 'left' },
          states: {
            work: { entry: 'enterWork', exit: 'exitWork', on: { go: { actions: 'work' } } },
            clock: { entry: 'enterClock', exit: 'exitClock', on: { go: { actions: 'clock' } } },
          },
        },
        left: {},
      },
    });
    const run = new DryRun(machine);
    expect(run.types()).toEqual(['enterWork', 'enterClock']);
    expect(run.send({ type: 'go' }).types()).toEqual(['work', 'clock']);
    expect(run.send({ type: 'leave' }).types()).toEqual(['exitClock', 'exitWork']);
  });

  it('is: always before raised events, and all of it in one call', () => {
    const machine = createMachine({
      initial: 'one',
      states: {
        one: {
          on: { go: { target: 'two', actions: [raise({ type: 'raised' }), emit({ type: 'a' })] } },
        },
        two: {
          always: { target: 'three', actions: 'hop' },
          on: { raised: { actions: 'tooEarly' } },
        },
        three: { on: { raised: { target: 'four', actions: 'afterwards' } } },
        four: {},
      },
    });
    const run = new DryRun(machine).send({ type: 'go' });
    expect(run.types()).toEqual(['xstate.raise', 'xstate.emit', 'hop', 'afterwards']);
    expect(run.snapshot.value).toBe('four');
  });

  it('lets a child be stopped and its id be used again in one transition', () => {
    const machine = createMachine({
      entry: spawnChild('step', { id: 'slot', input: 'old' }),
      on: {
        again: {
          actions: enqueueActions(({ enqueue }) => {
            enqueue.stopChild('slot');
            enqueue.spawnChild('step', { id: 'slot', input: 'new' });
          }),
        },
        over: { actions: spawnChild('step', { id: 'slot', input: 'orphaned' }) },
      },
    }).provide({ actors: { step: inert } });
    const run = new DryRun(machine);
    const old = run.child('slot');
    run.take();
    const [stopped, spawned] = run.send({ type: 'again' }).take();
    expect([stopped?.type, spawned?.type]).toEqual(['xstate.stopChild', 'xstate.spawnChild']);
    expect(stopped?.params).toBe(old);
    expect(run.child('slot')).not.toBe(old);
    expect(run.child('slot')).toBe((spawned?.params as { actorRef: unknown }).actorRef);
    // Without stopChild the old actor is replaced silently and never stopped.
    expect(run.send({ type: 'over' }).types()).toEqual(['xstate.spawnChild']);
  });

  it('stops and invokes again, in that order, when a state is re-entered', () => {
    const machine = createMachine({
      initial: 'calling',
      states: {
        calling: {
          invoke: { id: 'call', src: 'work' },
          on: { retry: { target: 'calling', reenter: true } },
        },
      },
    }).provide({ actors: { work: inert } });
    const run = new DryRun(machine);
    const first = run.child('call');
    run.take();
    expect(run.send({ type: 'retry' }).types()).toEqual(['xstate.stopChild', 'xstate.spawnChild']);
    expect(run.child('call')).not.toBe(first);
  });
});

describe.each(builds)('timers (%s build)', (_build, { createMachine, assign }) => {
  it('are delayed raises named xstate.after.<delay>.<state id>, cancelled on exit', () => {
    const machine = createMachine({
      id: 'm',
      context: { limitMs: 1_234 },
      initial: 'waiting',
      states: {
        waiting: { on: { go: 'over' }, after: { timeLimit: 'over', 50: { actions: 'tick' } } },
        over: {},
      },
    }).provide({
      delays: { timeLimit: ({ context }) => context.limitMs },
    });
    const run = new DryRun(machine);
    const timers = run.take().map(({ type, params }) => [type, params]);
    // Numeric delays come first, whatever their order in the chart: they are keys of an object.
    expect(timers).toEqual([
      ['xstate.raise', afterParams('xstate.after.50.m.waiting', 50)],
      ['xstate.raise', afterParams('xstate.after.timeLimit.m.waiting', 1_234)],
    ]);
    const cancelled = run
      .send({ type: 'go' })
      .take()
      .map(({ type, params }) => [type, params]);
    expect(cancelled).toEqual([
      ['xstate.cancel', { sendId: 'xstate.after.50.m.waiting' }],
      ['xstate.cancel', { sendId: 'xstate.after.timeLimit.m.waiting' }],
    ]);
  });

  it('fire by an event of their name, and are ignored once the state is left', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'waiting',
      states: { waiting: { on: { go: 'over' }, after: { 50: 'late' } }, over: {}, late: {} },
    });
    const due = { type: 'xstate.after.50.m.waiting' };
    expect(new DryRun(machine).send(due).snapshot.value).toBe('late');
    expect(new DryRun(machine).send({ type: 'go' }).send(due).snapshot.value).toBe('over');
  });

  it('are unchanged by a transition that stays in their state', () => {
    const machine = createMachine({
      context: { count: 0 },
      initial: 'waiting',
      states: {
        waiting: {
          on: { go: { actions: assign({ count: 1 }) } },
          after: { 50: 'over' },
        },
        over: {},
      },
    });
    const run = new DryRun(machine);
    run.take();
    expect(run.send({ type: 'go' }).types()).toEqual([]);
  });

  it.each([2 ** 31, Infinity, -5, Number.NaN])('pass a delay of %d on unchanged', (delayMs) => {
    const machine = createMachine({
      id: 'm',
      initial: 'waiting',
      states: { waiting: { after: { limit: 'over' } }, over: {} },
    }).provide({ delays: { limit: delayMs } });
    expect(new DryRun(machine).params('xstate.raise')['delay']).toBe(delayMs);
  });

  it('fire immediately when their named delay is missing', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'waiting',
      states: { waiting: { after: { nobodyKnows: 'over' } }, over: {} },
    });
    expect(new DryRun(machine).snapshot.value).toBe('over');
  });
});

function afterParams(name: string, delay: number): object {
  return { event: { type: name }, id: name, delay };
}

describe.each(builds)('ends (%s build)', (_build, { createMachine, spawnChild }) => {
  const ending = createMachine({
    entry: [spawnChild('step', { id: 'slot-0' }), spawnChild('step', { id: 'slot-1' })],
    initial: 'working',
    context: { found: 42 },
    output: ({ context, event }) => ({
      answer: context.found,
      from: (event as unknown as { output: unknown }).output,
    }),
    states: {
      working: { on: { finish: 'completed' }, exit: 'exitWorking' },
      completed: {
        type: 'final',
        entry: 'enterCompleted',
        output: 'the final state',
        exit: 'exitCompleted',
      },
    },
    exit: 'exitRoot',
  }).provide({ actors: { step: inert } });

  it('give the status done, the output, and a stopChild for every child that is left', () => {
    const run = new DryRun(ending);
    const children = [run.child('slot-0'), run.child('slot-1')];
    run.take();
    const actions = run.send({ type: 'finish' }).take();
    expect(actions.map(({ type }) => type)).toEqual([
      'exitWorking',
      'enterCompleted',
      'exitCompleted',
      'exitRoot',
      'xstate.stopChild',
      'xstate.stopChild',
    ]);
    expect(actions.slice(-2).map(({ params }) => params)).toEqual(children);
    expect(run.snapshot).toMatchObject({
      status: 'done',
      output: { answer: 42, from: 'the final state' },
    });
  });

  it('leave the stopped children in the snapshot', () => {
    const run = new DryRun(ending).send({ type: 'finish' });
    expect(run.childIds()).toEqual(['slot-0', 'slot-1']);
  });

  it('can be reached by the initial transition', () => {
    const machine = createMachine({
      initial: 'over',
      states: { over: { type: 'final' } },
      output: 7,
    });
    expect(new DryRun(machine).snapshot).toMatchObject({ status: 'done', output: 7 });
  });

  it('do not prevent later events from being processed: the kernel has to', () => {
    const run = new DryRun(ending).send({ type: 'finish' });
    run.take();
    run.send({ type: 'finish' });
    expect(run.snapshot.status).toBe('done');
    expect(run.types()).toEqual(['xstate.stopChild', 'xstate.stopChild']);
  });

  it('are forced by xstate.stop, which stops and removes every child and runs no exit', () => {
    const run = new DryRun(ending);
    run.take();
    expect(run.send({ type: 'xstate.stop' }).types()).toEqual([
      'xstate.stopChild',
      'xstate.stopChild',
    ]);
    expect(run.snapshot).toMatchObject({ status: 'stopped', children: {} });
  });

  it('are errors when a child fails without onError, with a stopChild for every child', () => {
    const run = new DryRun(ending);
    run.take();
    run.send({
      type: 'xstate.error.actor.slot-0',
      error: 'boom',
      actorId: 'slot-0',
    } as EventObject);
    expect(run.snapshot).toMatchObject({ status: 'error', error: 'boom' });
    expect(new Set(run.types())).toEqual(new Set(['xstate.stopChild']));
  });
});

describe.each(builds)(
  'the choice of a transition (%s build)',
  (_build, { createMachine, spawnChild }) => {
    const done = (id: string): EventObject =>
      ({ type: `xstate.done.actor.${id}`, output: 'out', actorId: id }) as EventObject;

    it('matches xstate.done.actor.* with every child', () => {
      const machine = createMachine({
        entry: spawnChild('step', { id: 'slot-3' }),
        on: {
          'xstate.done.actor.*': { actions: { type: 'settle', params: ({ event }) => event } },
          'xstate.error.actor.*': { actions: 'fail' },
        },
      }).provide({ actors: { step: inert } });
      const run = new DryRun(machine);
      run.take();
      expect(run.send(done('slot-3')).params('settle')).toEqual(done('slot-3'));
      expect(run.send({ type: 'xstate.error.actor.slot-3' }).types()).toEqual(['fail']);
      expect(run.snapshot.status).toBe('active');
    });

    it('keeps a child that is done until it is stopped', () => {
      const machine = createMachine({ entry: spawnChild('step', { id: 'slot-3' }) });
      const run = new DryRun(machine.provide({ actors: { step: inert } })).send(done('slot-3'));
      expect(run.childIds()).toEqual(['slot-3']);
    });

    it("prefers an invoke's own onDone to the wildcard of an ancestor, and of the same state", () => {
      const machine = createMachine({
        initial: 'calling',
        on: { 'xstate.done.actor.*': { actions: 'ancestor' } },
        states: {
          calling: {
            invoke: { id: 'call', src: 'work', onDone: { actions: 'own' } },
            on: { 'xstate.done.actor.*': { actions: 'same' } },
          },
        },
      }).provide({ actors: { work: inert } });
      const run = new DryRun(machine);
      run.take();
      expect(run.send(done('call')).types()).toEqual(['own']);
      expect(run.send(done('another')).types()).toEqual(['same']);
    });

    it('falls back to the ancestor when every guard of the own onDone fails', () => {
      const machine = createMachine({
        initial: 'calling',
        on: { 'xstate.done.actor.*': { actions: 'ancestor' } },
        states: {
          calling: {
            invoke: { id: 'call', src: 'work', onDone: { guard: () => false, actions: 'own' } },
          },
        },
      }).provide({ actors: { work: inert } });
      const run = new DryRun(machine);
      run.take();
      expect(run.send(done('call')).types()).toEqual(['ancestor']);
    });

    it('treats a forged done event as a real one', () => {
      const machine = createMachine({
        initial: 'calling',
        states: { calling: { invoke: { id: 'call', src: 'work', onDone: 'over' } }, over: {} },
      }).provide({ actors: { work: inert } });
      expect(new DryRun(machine).send(done('call')).snapshot.value).toBe('over');
    });

    it('returns the identical snapshot for an unhandled event', () => {
      const machine = createMachine({
        initial: 'idle',
        states: {
          idle: {
            on: { guarded: { guard: () => false, target: 'over' }, act: { actions: 'act' } },
          },
          over: {},
        },
      });
      const run = new DryRun(machine);
      const before = run.snapshot;
      expect(run.send({ type: 'unknown' }).snapshot).toBe(before);
      expect(run.send({ type: 'guarded' }).snapshot).toBe(before);
      expect(run.types()).toEqual([]);
      // So does an event that only runs actions: the snapshot alone does not distinguish handled from ignored.
      expect(run.send({ type: 'act' }).snapshot).toBe(before);
      expect(run.types()).toEqual(['act']);
      expect([before.can({ type: 'act' }), before.can({ type: 'guarded' })]).toEqual([true, false]);
    });
  },
);

describe.each(builds)('the functions that the kernel calls (%s build)', (_build, xstate) => {
  const { createMachine } = xstate;

  it('compute the context once, with the input', () => {
    const context = vi.fn(({ input }: { input: unknown }) => ({ input }));
    const machine = createMachine({ context, on: { go: {} } } as never) as AnyStateMachine;
    const run = new DryRun(machine, { goal: 'tea' }).send({ type: 'go' }).send({ type: 'go' });
    expect(context).toHaveBeenCalledTimes(1);
    expect(run.snapshot.context).toEqual({ input: { goal: 'tea' } });
  });

  it('leave an old snapshot unchanged', () => {
    const machine = createMachine({
      context: { count: 0 },
      initial: 'idle',
      states: { idle: { on: { go: 'busy' } }, busy: { invoke: { id: 'call', src: 'work' } } },
    }).provide({ actors: { work: inert } });
    const run = new DryRun(machine);
    const before = run.snapshot;
    run.send({ type: 'go' });
    expect(before).toMatchObject({ value: 'idle', children: {}, context: { count: 0 } });
    expect(run.snapshot).toMatchObject({ value: 'busy' });
  });

  it('put their own executor into the scope temporarily, so the scope must not be frozen', () => {
    const machine = createMachine({ on: { go: { actions: 'act' } } });
    const run = new DryRun(machine);
    const executor = run.scope.actionExecutor;
    run.send({ type: 'go' });
    expect(run.scope.actionExecutor).toBe(executor);
    Object.freeze(run.scope);
    expect(() => run.send({ type: 'go' })).toThrow(TypeError);
  });

  it('throw out of a transition whose guard or assign throws, and give an error snapshot at the start', () => {
    const boom = (): never => {
      throw new Error('boom');
    };
    const machine = createMachine({
      context: {},
      on: {
        guarded: { guard: boom, actions: 'act' },
        assigned: { actions: xstate.assign(boom) },
      },
    });
    expect(() => new DryRun(machine).send({ type: 'guarded' })).toThrow('Unable to evaluate guard');
    expect(() => new DryRun(machine).send({ type: 'assigned' })).toThrow('boom');
    const failing = createMachine({ context: boom });
    expect(new DryRun(failing).snapshot).toMatchObject({
      status: 'error',
      error: new Error('boom'),
    });
  });

  it('stop an always cycle after maxIterations', () => {
    const machine = createMachine({
      options: { maxIterations: 100 },
      initial: 'rest',
      states: { rest: { on: { go: 'one' } }, one: { always: 'two' }, two: { always: 'one' } },
    });
    expect(machine.options.maxIterations).toBe(100);
    expect(() => new DryRun(machine).send({ type: 'go' })).toThrow('Infinite loop detected');
    expect(createMachine({}).options.maxIterations).toBe(Infinity);
  });

  it('keep maxIterations through provide', () => {
    const machine = createMachine({ options: { maxIterations: 7 } }).provide({});
    expect(machine.options.maxIterations).toBe(7);
  });
});

describe.each(builds)('live actors (%s build)', (_build, xstate) => {
  const {
    createActor,
    createMachine,
    emit,
    fromPromise,
    raise,
    sendTo,
    setup,
    spawnChild,
    stopChild,
  } = xstate;

  it('finish their event and start all children before they take the next event', () => {
    const order: string[] = [];
    const note = (text: string) => (): void => void order.push(text);
    const quick = createMachine({
      initial: 'over',
      states: { over: { type: 'final', entry: note('quick starts') } },
    });
    const listener = createMachine({
      entry: note('listener starts'),
      on: { ping: { actions: note('listener is pinged') } },
    });
    const machine = setup({ actors: { quick, listener } }).createMachine({
      on: {
        go: {
          actions: [
            note('action 1'),
            spawnChild('quick', { id: 'quick' }),
            sendTo(({ self }) => self, { type: 'note to self' }),
            spawnChild('listener', { id: 'listener' }),
            sendTo('listener', { type: 'ping' }),
            raise({ type: 'raised' }),
            note('action 2'),
          ],
        },
        raised: { actions: note('raised') },
        'note to self': { actions: note('note to self') },
        'xstate.done.actor.quick': { actions: note('quick is done') },
      },
    });
    const actor = createActor(machine).start();
    const subscription = actor.subscribe(note('seen'));
    actor.send({ type: 'go' });
    subscription.unsubscribe();
    expect(order).toEqual([
      'action 1',
      'action 2',
      'raised',
      'quick starts',
      'listener starts',
      'listener is pinged',
      'seen',
      'quick is done',
      'seen',
      'note to self',
      'seen',
    ]);
    actor.stop();
  });

  it('receive the messages of a child before its done event', () => {
    const order: string[] = [];
    const child = createMachine({
      initial: 'talking',
      states: {
        talking: {
          on: {
            go: {
              target: 'over',
              actions: sendTo(({ self }) => self._parent ?? self, { type: 'one' }),
            },
          },
        },
        over: { type: 'final', entry: sendTo(({ self }) => self._parent ?? self, { type: 'two' }) },
      },
    });
    const machine = setup({ actors: { child } }).createMachine({
      invoke: { id: 'child', src: 'child' },
      on: {
        go: { actions: [sendTo('child', { type: 'go' }), () => order.push('own action')] },
        '*': { actions: ({ event }) => order.push(event.type) },
      },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'go' });
    expect(order).toEqual(['own action', 'one', 'two', 'xstate.done.actor.child']);
    actor.stop();
  });

  it('never start a child that is stopped in the transition that spawned it', () => {
    const starts = vi.fn();
    const child = createMachine({ entry: starts });
    const machine = setup({ actors: { child } }).createMachine({
      on: { go: { actions: [spawnChild('child', { id: 'slot' }), stopChild('slot')] } },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'go' });
    expect(starts).not.toHaveBeenCalled();
    actor.stop();
  });

  it('stop a child after it has received the messages of the same transition', () => {
    const heard = vi.fn();
    const child = createMachine({ on: { ping: { actions: heard } } });
    const machine = setup({ actors: { child } }).createMachine({
      invoke: { id: 'child', src: 'child' },
      on: { go: { actions: [sendTo('child', { type: 'ping' }), stopChild('child')] } },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'go' });
    expect(heard).toHaveBeenCalledTimes(1);
    actor.stop();
  });

  it('still receive the done event of a child which they stopped while that was in the mailbox', () => {
    const heard: string[] = [];
    const quick = createMachine({ initial: 'over', states: { over: { type: 'final' } } });
    const machine = setup({ actors: { quick } }).createMachine({
      on: {
        go: { actions: [spawnChild('quick', { id: 'one' }), spawnChild('quick', { id: 'two' })] },
        'xstate.done.actor.one': { actions: [() => heard.push('one'), stopChild('two')] },
        'xstate.done.actor.two': { actions: () => heard.push('two') },
      },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'go' });
    expect(heard).toEqual(['one', 'two']);
    expect(Object.keys(actor.getSnapshot().children)).toEqual(['one']);
    actor.stop();
  });

  it('drop the events in their mailbox when they are done', () => {
    const heard: string[] = [];
    const quick = createMachine({ initial: 'over', states: { over: { type: 'final' } } });
    const machine = setup({ actors: { quick } }).createMachine({
      initial: 'working',
      states: {
        working: {
          on: {
            go: {
              actions: [spawnChild('quick', { id: 'one' }), spawnChild('quick', { id: 'two' })],
            },
            'xstate.done.actor.*': 'over',
          },
        },
        over: { type: 'final' },
      },
      on: { '*': { actions: ({ event }) => heard.push(event.type) } },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'go' });
    expect(actor.getSnapshot().status).toBe('done');
    expect(heard).toEqual([]);
  });

  it('report what they emit to inspectors, in order and with the event as params', () => {
    const machine = createMachine({
      entry: emit({ type: 'first' }),
      on: {
        go: { actions: [emit({ type: 'second', number: 2 }), 'custom', emit({ type: 'third' })] },
      },
    });
    const inspected: unknown[] = [];
    const emitted: string[] = [];
    const inspect = (event: InspectionEvent): void => {
      if (event.type === '@xstate.action') inspected.push([event.action.type, event.action.params]);
    };
    const actor = createActor(machine, { inspect });
    actor.on('*', (event) => emitted.push(event.type));
    expect(inspected).toEqual([]);
    actor.start();
    actor.send({ type: 'go' });
    expect(inspected).toEqual([
      ['xstate.emit', { event: { type: 'first' } }],
      ['xstate.emit', { event: { type: 'second', number: 2 } }],
      ['custom', undefined],
      ['xstate.emit', { event: { type: 'third' } }],
    ]);
    expect(emitted).toEqual(['first', 'second', 'third']);
    actor.stop();
  });

  it('drop the late result of a stopped child, whose signal is aborted', async () => {
    const clock = virtualClock();
    const answers: ((answer: string) => void)[] = [];
    const signals: AbortSignal[] = [];
    const work = fromPromise<string>(({ signal }) => {
      signals.push(signal);
      return new Promise((resolve) => answers.push(resolve));
    });
    const settled: unknown[] = [];
    const machine = setup({ actors: { work } }).createMachine({
      on: {
        start: { actions: spawnChild('work', { id: 'slot' }) },
        stop: { actions: stopChild('slot') },
        'xstate.done.actor.*': { actions: ({ event }) => settled.push(event) },
      },
    });
    const actor = createActor(machine).start();
    for (const type of ['start', 'stop', 'start']) actor.send({ type });
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    answers[0]?.('late');
    await clock.settle();
    expect(settled).toEqual([]);
    answers[1]?.('in time');
    await clock.settle();
    expect(settled).toEqual([
      { type: 'xstate.done.actor.slot', output: 'in time', actorId: 'slot' },
    ]);
    actor.stop();
  });

  it('turn every failure of an agent into an error event, and a plain value into a result', async () => {
    const clock = virtualClock();
    const agents: Record<string, () => unknown> = {
      'throws at once': () => {
        throw new Error('sync');
      },
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- agents reject with anything
      'rejects with nothing': () => Promise.reject(),
      'returns a plain value': () => 7,
      'returns nothing': () => undefined,
    };
    for (const [name, agent] of Object.entries(agents)) {
      const events: unknown[] = [];
      const work = fromPromise(agent as () => PromiseLike<unknown>);
      const machine = setup({ actors: { work } }).createMachine({
        invoke: { id: 'call', src: 'work' },
        on: { '*': { actions: ({ event }) => events.push(event) } },
      });
      const actor = createActor(machine).start();
      await clock.settle();
      const expected = name.startsWith('returns')
        ? 'xstate.done.actor.call'
        : 'xstate.error.actor.call';
      expect([name, ...events]).toMatchObject([name, { type: expected }]);
      actor.stop();
    }
  });

  it('swallow the late rejection of a stopped child: Vitest would report it as unhandled', async () => {
    const clock = virtualClock();
    let reject: (reason: Error) => void = () => {};
    const work = fromPromise(() => new Promise((_resolve, fail) => (reject = fail)));
    const machine = setup({ actors: { work } }).createMachine({
      invoke: { id: 'call', src: 'work', onError: { actions: () => expect.fail('heard of it') } },
    });
    createActor(machine).start().stop();
    reject(new Error('late'));
    await clock.settle();
  });

  it('accept no events once they are stopped, without a warning', () => {
    const machine = createMachine({
      initial: 'idle',
      states: { idle: { on: { go: 'busy' } }, busy: {} },
    });
    const actor = createActor(machine).start();
    actor.stop();
    actor.send({ type: 'go' });
    expect(actor.getSnapshot()).toMatchObject({ status: 'stopped', value: 'idle' });
  });

  it('pass their delays to the clock unchanged, so that ours can hold them', () => {
    const delays: number[] = [];
    const clock = {
      setTimeout: (_callback: () => void, delayMs: number) => delays.push(delayMs),
      clearTimeout: () => {},
    };
    for (const delayMs of [2 ** 31, Infinity, -5, Number.NaN]) {
      const machine = createMachine({
        initial: 'waiting',
        states: { waiting: { after: { limit: 'over' } }, over: {} },
      }).provide({ delays: { limit: delayMs } });
      createActor(machine, { clock }).start().stop();
    }
    expect(delays).toEqual([2 ** 31, Infinity, -5, Number.NaN]);
  });
});

describe.each(builds)('a persisted XState snapshot (%s build)', (_build, xstate) => {
  const { createActor, createMachine, fromPromise, setup } = xstate;

  it('loses its timers', () => {
    const clock = virtualClock();
    const machine = createMachine({
      initial: 'waiting',
      states: { waiting: { after: { 100: 'over' } }, over: {} },
    });
    const actor = createActor(machine, { clock }).start();
    clock.advance(50);
    const persisted = actor.getPersistedSnapshot();
    actor.stop();
    const restored = createActor(machine, { clock, snapshot: persisted }).start();
    clock.advance(1_000);
    expect(restored.getSnapshot()).toMatchObject({ status: 'active', value: 'waiting' });
    restored.stop();
  });

  it('drops a child whose actor was renamed, and waits for ever', () => {
    const work = fromPromise(() => new Promise(() => {}));
    const config = (src: string): object => ({ invoke: { id: 'call', src } });
    const before = createActor(setup({ actors: { work } }).createMachine(config('work'))).start();
    const persisted = before.getPersistedSnapshot();
    before.stop();
    const renamed = setup({ actors: { renamed: work } }).createMachine(config('renamed'));
    const after = createActor(renamed, { snapshot: persisted }).start();
    expect(after.getSnapshot()).toMatchObject({ status: 'active', children: {} });
    after.stop();
  });

  it('keeps neither the events in the mailbox nor a version', () => {
    const machine = createMachine({
      version: '1',
      initial: 'idle',
      states: { idle: { on: { go: 'busy' } }, busy: {} },
    });
    const actor = createActor(machine);
    actor.send({ type: 'go' });
    const persisted = actor.getPersistedSnapshot();
    expect(Object.keys(persisted).sort()).toEqual([
      'children',
      'context',
      'error',
      'historyValue',
      'output',
      'status',
      'value',
    ]);
    expect(persisted).toMatchObject({ value: 'idle' });
    expect(actor.start().getSnapshot().value).toBe('busy');
    actor.stop();
  });
});
