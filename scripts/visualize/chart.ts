// A machine as the picture shows it: boxes in boxes, and for each what it says and where it leads.
import type { AnyStateMachine, AnyStateNode } from 'xstate';

import {
  childrenOf,
  conditionName,
  eventName,
  internalEvents,
  isInside,
  transitionsOf,
} from './transitions.js';

export interface ChartState {
  readonly id: string;
  readonly name: string;
  readonly kind: 'machine' | 'state' | 'final' | 'compound' | 'parallel';
  /** One of several that are active side by side. */
  readonly isRegion: boolean;
  readonly description: string;
  readonly tags: readonly string[];
  readonly invokes: readonly string[];
  /** Events that are handled without leaving. */
  readonly handles: readonly string[];
  readonly initialId: string | undefined;
  /** Transitions out of the state, in the order in which they are tried. */
  readonly choices: readonly Choice[];
  /** Transitions that it has in every state inside, and that lead to one of those. */
  readonly innerChoices: readonly Choice[];
  readonly children: readonly ChartState[];
  /** Drawn with its name and its wires only. */
  readonly isBrief: boolean;
}

export interface Choice {
  readonly event: string;
  readonly condition: string | undefined;
  readonly targetId: string;
  readonly targetName: string;
}

export const chartOf = (machine: AnyStateMachine): ChartState => stateOf(machine.root);

/** The same chart to be taken in at a glance: every state and every way, but of what they say only where it explains a whole. */
export const overviewOf = (state: ChartState): ChartState => ({
  ...state,
  isBrief: true,
  description: state.kind === 'machine' || state.isRegion ? state.description : '',
  tags: [],
  invokes: [],
  handles: [],
  children: state.children.map(overviewOf),
});

/** The state and everything inside, in the order in which it is written. */
export const allStates = (state: ChartState): ChartState[] => [
  state,
  ...state.children.flatMap(allStates),
];

const stateOf = (node: AnyStateNode): ChartState => {
  const choices = choicesOf(node);
  return {
    id: node.id,
    name: node.key,
    kind: kindOf(node),
    isRegion: node.parent?.type === 'parallel',
    description: node.description ?? '',
    tags: node.tags,
    invokes: node.invoke.map(({ id, src }) => invokeName(id, src)),
    handles: internalEvents(node),
    initialId: node.type === 'compound' ? node.initial.target[0]?.id : undefined,
    choices: choices.filter(({ isInner }) => !isInner).map(({ choice }) => choice),
    innerChoices: choices.filter(({ isInner }) => isInner).map(({ choice }) => choice),
    children: childrenOf(node).map(stateOf),
    isBrief: false,
  };
};

const kindOf = (node: AnyStateNode): ChartState['kind'] => {
  if (node.parent === undefined) return 'machine';
  if (node.type === 'final' || node.type === 'parallel' || node.type === 'compound')
    return node.type;
  return 'state';
};

const invokeName = (id: string, src: unknown): string =>
  typeof src === 'string' && src !== id ? `${id}: ${src}` : id;

const choicesOf = (node: AnyStateNode): { choice: Choice; isInner: boolean }[] => {
  const transitions = transitionsOf(node);
  return transitions.flatMap((transition) =>
    (transition.target ?? []).map((target) => ({
      choice: {
        event: eventName(transition),
        condition: conditionName(transition, transitions),
        targetId: target.id,
        targetName: target.key,
      },
      isInner: isInside(target, node),
    })),
  );
};
