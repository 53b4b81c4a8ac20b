// The states and transitions of a machine, for the pictures, the table and the tests.
import type { AnyStateNode } from 'xstate';

/** The parts of XState's transition definition that a picture shows. */
export interface Transition {
  readonly eventType: string;
  readonly guard?: unknown;
  readonly target: readonly AnyStateNode[] | undefined;
  readonly source: AnyStateNode;
}

export const childrenOf = (node: AnyStateNode): AnyStateNode[] => Object.values(node.states);

/** The node and everything inside, in the order in which it is written. */
export const statesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...childrenOf(node).flatMap(statesOf),
];

export const isInside = (node: AnyStateNode, outer: AnyStateNode): boolean =>
  node.parent !== undefined && (node.parent === outer || isInside(node.parent, outer));

export const transitionsOf = (node: AnyStateNode): Transition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** The event is handled and no state is left. */
const isInternal = ({ target }: Transition): boolean => target === undefined;

/** The events that a state handles without leaving, each once. */
export const internalEvents = (node: AnyStateNode): string[] => [
  ...new Set(transitionsOf(node).filter(isInternal).map(eventName)),
];

/** The name of an event for readers. */
export const eventName = ({ eventType, source }: Transition): string => {
  const name = eventType.replace(`.${source.id}`, '');
  if (name.startsWith('xstate.after.')) return `after ${name.slice('xstate.after.'.length)}`;
  const actor = /^xstate\.(done|error)\.actor\.(.+)$/.exec(name);
  if (actor === null) return name;
  return `${actor[2] === '*' ? 'any actor' : (actor[2] ?? '')} ${actor[1] ?? ''}`;
};

/** The guard, `else` after other transitions of the same event, or an empty text. */
export const conditionName = (
  transition: Transition,
  siblings: readonly Transition[],
): string | undefined => {
  const { eventType, guard } = transition;
  if (guard !== undefined) return guardName(guard);
  const first = siblings.find((sibling) => sibling.eventType === eventType);
  return first === transition ? undefined : 'else';
};

/** Guards have names in our charts, some with a fixed parameter. */
const guardName = (guard: unknown): string => {
  if (typeof guard === 'string') return guard;
  const { type, params = {} } = guard as {
    readonly type: string;
    readonly params?: Record<string, string>;
  };
  return [type, ...Object.values(params)].join(' ');
};
