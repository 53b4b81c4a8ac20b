import type { AnyStateMachine, AnyStateNode } from 'xstate';

/* The states and transitions of a chart, counted from the chart itself. */

/** The part of XState's transition definition that is read. */
export interface TransitionShape {
  readonly eventType: string;
  readonly guard?: unknown;
  readonly target: readonly AnyStateNode[] | undefined;
  readonly source: AnyStateNode;
}

export interface ChartElements {
  /** Ids of all states, compound and final ones included. */
  readonly states: readonly string[];
  /** One entry per candidate: every alternative of a list counts. */
  readonly transitions: readonly string[];
}

const nodesBelow = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(nodesBelow),
];

const candidatesOf = (node: AnyStateNode): readonly TransitionShape[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** Names by identity; machines are few and live as long as their tests. */
const namesByMachine = new WeakMap<AnyStateMachine, ReadonlyMap<object, string>>();

const namesOf = (machine: AnyStateMachine): ReadonlyMap<object, string> => {
  const known = namesByMachine.get(machine);
  if (known !== undefined) return known;
  const names = new Map<object, string>();
  for (const node of nodesBelow(machine.root)) {
    const taken = new Map<string, number>();
    for (const transition of candidatesOf(node)) {
      const name = describe(transition);
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      names.set(transition, count === 1 ? name : `${name} (${count})`);
    }
  }
  namesByMachine.set(machine, names);
  return names;
};

export const chartElementsOf = (machine: AnyStateMachine): ChartElements => ({
  states: nodesBelow(machine.root).map(({ id }) => id),
  transitions: [...namesOf(machine).values()],
});

/** The name of a taken transition; undefined for the initial transition, which is not a candidate. */
export const nameOfTransition = (
  machine: AnyStateMachine,
  transition: object,
): string | undefined => namesOf(machine).get(transition);

/** `step.admitting: always [needsApproval] -> step.awaitingApproval` */
const describe = ({ eventType, guard, source, target }: TransitionShape): string => {
  const event = eventType === '' ? 'always' : eventType.replace(`.${source.id}`, '');
  const condition = guard === undefined ? '' : ` [${guardText(guard)}]`;
  const goal = target === undefined ? 'stays' : target.map(({ id }) => id).join(', ');
  return `${source.id}: ${event}${condition} -> ${goal}`;
};

const guardText = (guard: unknown): string => {
  if (typeof guard !== 'object' || guard === null) return String(guard);
  const { type, params = {} } = guard as {
    readonly type: string;
    readonly params?: Readonly<Record<string, string>>;
  };
  return [type, ...Object.values(params)].join(' ');
};

/** The initial states of a chart: passed through at once, so no snapshot shows them. */
export const firstStatesOf = (node: AnyStateNode): string[] => {
  if (node.type === 'parallel') {
    return [node.id, ...Object.values(node.states).flatMap(firstStatesOf)];
  }
  const [first] = node.type === 'compound' ? node.initial.target : [];
  return first === undefined ? [node.id] : [node.id, ...firstStatesOf(first)];
};
