// The definition of a chart for a person who steps through it: every outcome of a guard, an actor and a delay is an
// event. Nothing happens by itself.
import type { AnyStateMachine, AnyStateNode } from 'xstate';

import type { Transition } from './transitions.js';
import { transitionsOf } from './transitions.js';

export type Json = Readonly<Record<string, unknown>>;

/** The guard of the last eventless transition of a list, which has none in the chart: the state waits for a choice. */
export const OTHERWISE = 'otherwise';

/** The names that a clickable chart has in addition. */
export const CHOICE_ACTIONS: Readonly<Record<string, string>> = {
  choose: "assign({ chosen: ({ event }) => event.type.replace('choose.', '') })",
  forget: 'assign({ chosen: null })',
  happen: "raise(({ event }) => ({ type: event.type.replace('choose.', 'xstate.') }))",
};

export const clickable = (machine: AnyStateMachine): Json =>
  inOrder({ ...clickableNode(machine.root), context: { chosen: null } });

const isParametrized = (
  guard: unknown,
): guard is { readonly type: string; readonly params: Json } =>
  typeof guard === 'object' && guard !== null && 'params' in guard;

const clickableNode = (node: AnyStateNode): Json => {
  // Functions in a chart are selectors of input, params, output and context. They do not change the picture.
  const config = JSON.parse(JSON.stringify(node.config)) as Json;
  const { on, invoke, always, after, onDone, states } = config;
  const events = { ...mapped(on, used), ...choicesOf(node) };
  const changed: Json = {
    invoke: invoke && mapInvokes(invoke),
    on: Object.keys(events).length === 0 ? undefined : events,
    always: always && answered(always),
    after: after && mapped(after, used),
    onDone: onDone && used(onDone),
    states: states && mapped(states, (_config, name) => clickableNode(childOf(node, name))),
  };
  return inOrder({ ...config, ...changed });
};

/** The order of keys in our charts. */
const KEYS = [
  ...['id', 'description', 'options', 'context', 'tags', 'meta', 'type', 'initial', 'entry'],
  ...['invoke', 'on', 'always', 'after', 'exit', 'states', 'onDone', 'output'],
];

const inOrder = (node: Json): Json =>
  Object.fromEntries(
    Object.entries(node)
      .filter(([, value]) => value !== undefined)
      .sort(([left], [right]) => KEYS.indexOf(left) - KEYS.indexOf(right)),
  );

const childOf = ({ states }: AnyStateNode, name: string): AnyStateNode => {
  const child = states[name];
  if (child === undefined) throw new Error(`There is no state '${name}'`);
  return child;
};

const mapped = (given: unknown, change: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(
    Object.entries(given ?? {}).map(([name, value]) => [name, change(value, name)]),
  );

const mapInvokes = (given: unknown): unknown => {
  const invokes = listOf(given).map((invoke) =>
    mapped(invoke, (value, name) =>
      name === 'onDone' || name === 'onError' ? used(value) : value,
    ),
  );
  return Array.isArray(given) ? invokes : invokes[0];
};

const listOf = (given: unknown): readonly unknown[] => {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
};

const isGuarded = (transition: unknown): boolean =>
  typeof transition === 'object' && transition !== null && 'guard' in transition;

/** A choice is used up by the transition that it decides. */
const used = (given: unknown): unknown => {
  const list = listOf(given);
  if (!list.some(isGuarded)) return given;
  const changed = list.map((each) => {
    const transition: Json = typeof each === 'string' ? { target: each } : (each as Json);
    return { ...transition, actions: [...listOf(transition['actions']), 'forget'] };
  });
  return Array.isArray(given) ? changed : changed[0];
};

/** Without the guard, an eventless list would be decided before a person could choose. */
const answered = (given: unknown): unknown => {
  const changed = used(given);
  if (!Array.isArray(changed)) return changed;
  return changed.map((transition: Json) =>
    isGuarded(transition) || !listOf(given).some(isGuarded)
      ? transition
      : { guard: OTHERWISE, ...transition },
  );
};

/** The events of a state by which a person chooses. */
const choicesOf = (node: AnyStateNode): Json => {
  const transitions = transitionsOf(node);
  const happenings = transitions.flatMap(({ eventType }) =>
    /^xstate\.(?:after|done\.actor|error\.actor)\./.test(eventType)
      ? [eventType.replace('xstate.', '').replace('*', 'child')]
      : [],
  );
  const outcomes = transitions.flatMap(({ guard }) =>
    guard === undefined ? [] : [outcomeOf(guard)],
  );
  const hasFallback = node.always?.some(({ guard }) => guard === undefined) === true;
  const isDecision = node.always?.some(({ guard }) => guard !== undefined) === true;
  const rest = hasFallback && isDecision ? [OTHERWISE] : [];
  return Object.fromEntries([
    ...happenings.map((name) => [`choose.${name}`, { actions: 'happen' }]),
    ...[...outcomes, ...rest].map((name) => [`choose.${name}`, { actions: 'choose' }]),
  ]) as Json;
};

/** The name of a guard, and its parameters where it has some. */
const outcomeOf = (guard: Transition['guard']): string => {
  if (isParametrized(guard)) return [guard.type, ...Object.values(guard.params)].join('.');
  return typeof guard === 'string' ? guard : (guard as { readonly type: string }).type;
};
