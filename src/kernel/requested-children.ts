import type { AnyActorRef } from 'xstate';

import type { RequestedAction } from './inert.js';
import type { Children } from './xstate-shapes.js';

/* Which children a chart asks to be started and stopped in one step. */

export interface SpawnParams {
  readonly id: string;
  readonly src: string;
  readonly input: unknown;
  readonly actorRef: AnyActorRef;
}

const NO_CHILDREN: readonly unknown[] = [];

const isSpawn = (
  action: RequestedAction,
): action is RequestedAction & { readonly params: SpawnParams } =>
  action.type === 'xstate.spawnChild';

/** A child that is stopped before it started never starts. */
export const stoppedAtOnce = (actions: readonly RequestedAction[]): readonly unknown[] => {
  let children: unknown[] | undefined;
  actions.forEach(({ type, params }, position) => {
    if (type !== 'xstate.stopChild' || !isSpawnedBefore(actions, position, params)) return;
    children ??= [];
    children.push(params);
  });
  return children ?? NO_CHILDREN;
};

const isSpawnedBefore = (
  actions: readonly RequestedAction[],
  position: number,
  child: unknown,
): boolean => {
  for (let index = 0; index < position; index += 1) {
    const action = actions[index];
    if (action !== undefined && isSpawn(action) && action.params.actorRef === child) return true;
  }
  return false;
};

export const isBornWith = (
  born: Children,
  action: RequestedAction,
): action is RequestedAction & { readonly params: SpawnParams } =>
  isSpawn(action) && born[action.params.id] === action.params.actorRef;

/** The child that an action starts or stops. */
export const childIn = (action: RequestedAction): unknown =>
  isSpawn(action) ? action.params.actorRef : action.params;
