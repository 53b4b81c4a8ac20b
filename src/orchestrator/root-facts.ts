import type { AnyActorRef, AnyActorScope, EventObject, Snapshot } from 'xstate';

/*
 * Every chart emits its own facts. Under XState's own interpreter the actor of the goal emits the facts of all charts,
 * in the order of a journal, and once the charts have settled: a listener can answer a question at once. XState by
 * itself would emit them between the messages of the charts.
 */

interface Outbox {
  /** Emits at the root. */
  readonly emit: (fact: EventObject) => void;
  readonly waiting: EventObject[];
}

const outboxByRoot = new WeakMap<AnyActorRef, Outbox>();

/** The scope of a chart whose facts the root of its family emits. */
export const emittingAtRoot = <Scope extends AnyActorScope>(
  scope: Scope,
  root: AnyActorRef,
): Scope => {
  const outbox = outboxByRoot.get(root) ?? { emit: scope.emit, waiting: [] };
  outboxByRoot.set(root, outbox);
  const changes: Pick<AnyActorScope, 'emit' | 'actionExecutor'> = {
    emit: (fact: EventObject) => {
      if (scope.self !== root) scope.emit(fact);
      // XState removes the listeners of an actor that has ended, right after this.
      else if ((root.getSnapshot() as Snapshot<unknown>).status !== 'active') emitAll(outbox);
    },
    actionExecutor: (action) => {
      scope.actionExecutor(action.type === 'xstate.emit' ? noting(action, outbox) : action);
    },
  };
  return { ...scope, ...changes };
};

type Action = Parameters<AnyActorScope['actionExecutor']>[0];

const noting = (action: Action, outbox: Outbox): Action => ({
  ...action,
  exec: (info, params) => {
    action.exec?.(info, params);
    const length = outbox.waiting.push((action.params as { readonly event: EventObject }).event);
    if (length === 1) void Promise.resolve(outbox).then(emitAll);
  },
});

const emitAll = ({ waiting, emit }: Outbox): void => {
  for (const fact of waiting.splice(0)) emit(fact);
};
