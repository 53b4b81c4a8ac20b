import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import {
  assign,
  cancel,
  createActor,
  emit,
  enqueueActions,
  fromPromise,
  initialTransition,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';

import type { BuiltinAction } from '../../src/kernel/xstate-shapes.js';
import { isBuiltinAction, nodesOf } from '../../src/kernel/xstate-shapes.js';

/* What the tracing runner reads of XState's own objects. These tests detect a version that changes one of them. */

const asBuiltin = (action: unknown): BuiltinAction => {
  expect(isBuiltinAction(action)).toBe(true);
  return action as BuiltinAction;
};

const machine = setup({
  actors: { work: fromPromise(async () => 'done') },
  actions: { announce: emit({ type: 'announced' }) },
}).createMachine({
  id: 'shapes',
  initial: 'working',
  states: {
    working: {
      entry: 'announce',
      invoke: { id: 'work', src: 'work', input: () => 'input', onDone: 'done' },
    },
    done: { type: 'final', output: () => 'output' },
  },
});

describe('built-in actions of XState', () => {
  it('have their type and their arguments', () => {
    const assignment = { count: 1 };
    expect({ ...asBuiltin(assign(assignment)) }).toMatchObject({
      type: 'xstate.assign',
      assignment,
    });
    expect({ ...asBuiltin(spawnChild('work', { id: 'a', input: 1 })) }).toMatchObject({
      type: 'xstate.spawnChild',
      src: 'work',
      id: 'a',
      input: 1,
    });
    expect({ ...asBuiltin(stopChild('a')) }).toMatchObject({
      type: 'xstate.stopChild',
      actorRef: 'a',
    });
    expect(asBuiltin(emit({ type: 'x' })).type).toBe('xstate.emit');
    expect(asBuiltin(sendTo('a', { type: 'x' })).type).toBe('xstate.sendTo');
    expect(asBuiltin(raise({ type: 'x' })).type).toBe('xstate.raise');
    expect(asBuiltin(cancel('x')).type).toBe('xstate.cancel');
    expect(asBuiltin(enqueueActions(() => undefined)).type).toBe('xstate.enqueueActions');
  });

  it('are reported when, and only when, they have something to execute', () => {
    const executed = [
      emit({ type: 'x' }),
      sendTo('a', { type: 'x' }),
      raise({ type: 'x' }),
      cancel('x'),
      spawnChild('work'),
      stopChild('a'),
    ];
    expect(executed.map((action) => asBuiltin(action).execute !== undefined)).toEqual(
      executed.map(() => true),
    );
    expect(asBuiltin(assign({})).execute).toBeUndefined();
    expect(asBuiltin(enqueueActions(() => undefined)).execute).toBeUndefined();
  });

  it('resolve without changing a snapshot, except those that exist to change one', () => {
    const args = { context: { a: 1 }, event: { type: 'e' }, self: {} as never, system: undefined };
    const snapshot = { context: { a: 1 }, children: { a: { id: 'a' } }, machine };
    const resolve = (action: unknown): readonly unknown[] => {
      const builtin = asBuiltin(action);
      const extra = { internalQueue: [], deferredActorIds: undefined };
      return builtin.resolve({ self: {} }, snapshot, args, undefined, builtin, extra);
    };
    expect(resolve(emit(({ context }) => ({ type: 'x', ...(context as object) })))).toEqual([
      snapshot,
      { event: { type: 'x', a: 1 } },
      undefined,
    ]);
    expect(resolve(sendTo('a', { type: 'x' }))[1]).toMatchObject({
      to: { id: 'a' },
      event: { type: 'x' },
    });
    expect(resolve(cancel('timer'))[1]).toEqual({ sendId: 'timer' });
    expect(resolve(raise({ type: 'x' }, { id: 'r', delay: 5 }))[1]).toEqual({
      event: { type: 'x' },
      id: 'r',
      delay: 5,
    });
    const [, , inner] = resolve(
      enqueueActions(({ enqueue }) => {
        enqueue.assign({});
        enqueue.emit({ type: 'y' });
      }),
    );
    expect((inner as unknown[]).map((action) => asBuiltin(action).type)).toEqual([
      'xstate.assign',
      'xstate.emit',
    ]);
  });

  it('put an immediate raise into the internal queue, where it can be read', () => {
    const builtin = asBuiltin(raise({ type: 'x' }));
    const internalQueue: { type: string }[] = [];
    const args = { context: {}, event: { type: 'e' }, self: {} as never, system: undefined };
    builtin.resolve({}, { machine }, args, undefined, builtin, {
      internalQueue,
      deferredActorIds: undefined,
    });
    expect(internalQueue).toEqual([{ type: 'x' }]);
  });
});

describe('state nodes of XState', () => {
  it('have what they invoke, with the input as it is in the chart', () => {
    const [snapshot] = initialTransition(machine);
    const nodes = nodesOf(snapshot as AnyMachineSnapshot);
    expect(nodes.map(({ id }) => id)).toEqual(['shapes', 'shapes.working']);
    expect(nodes[1]!.invoke).toMatchObject([{ id: 'work', src: 'work' }]);
    expect(typeof nodes[1]!.invoke[0]!.input).toBe('function');
  });

  it('of final states have their output', async () => {
    const actor = createActor(machine).start();
    await new Promise<void>((resolve) => {
      actor.subscribe({ complete: resolve });
    });
    const final = nodesOf(actor.getSnapshot() as AnyMachineSnapshot).find(
      ({ type }) => type === 'final',
    );
    expect(final).toMatchObject({ id: 'shapes.done', parent: { id: 'shapes' } });
    expect(typeof final!.output).toBe('function');
  });
});

describe('the start of an actor', () => {
  it('starts its initial children before the actions of its first states', () => {
    const order: string[] = [];
    const child = setup({ actions: { tell: () => order.push('child') } }).createMachine({
      id: 'child',
      entry: 'tell',
    });
    const parent = setup({
      actors: { child },
      actions: { tell: () => order.push('parent') },
    }).createMachine({
      id: 'parent',
      entry: 'tell',
      invoke: { id: 'child', src: 'child', onDone: {}, onError: {} },
    });
    createActor(parent).start();
    expect(order).toEqual(['child', 'parent']);
  });
});
