// A machine as the picture shows it: nested boxes with their texts and transitions.
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
  /** A region of a parallel state. */
  readonly isRegion: boolean;
  readonly description: string;
  readonly tags: readonly string[];
  readonly invokes: readonly string[];
  /** Events that are handled without leaving. */
  readonly handles: readonly string[];
  readonly initialId: string | undefined;
  /** Transitions out of the state, in the order in which they are tried. */
  readonly choices: readonly Choice[];
  /** Transitions of every state inside to a state inside. */
  readonly innerChoices: readonly Choice[];
  readonly children: readonly ChartState[];
  /** Drawn with its name and its wires only. */
  readonly isBrief: boolean;
  /** The picture of its inner states, where they are not drawn here. */
  readonly href: string | undefined;
}

export interface Choice {
  readonly event: string;
  readonly condition: string | undefined;
  readonly targetId: string;
  readonly targetName: string;
  /** The target is not in the picture. */
  readonly isElsewhere?: boolean;
}

export const chartOf = (machine: AnyStateMachine): ChartState => stateOf(machine.root);

/** The same chart at a glance: states by their names and wires, with descriptions only for compound states. */
export const overviewOf = (state: ChartState): ChartState => ({
  ...state,
  isBrief: true,
  description: isWhole(state) ? state.description : '',
  tags: [],
  invokes: [],
  handles: [],
  children: state.children.map(overviewOf),
});

const isWhole = ({ kind, isRegion, href }: ChartState): boolean =>
  kind === 'machine' || isRegion || href !== undefined;

/**
 * The chart with its phases closed: a phase, or a region without phases, is one box that links to its own picture. The
 * ways out of a closed box are those of the states inside.
 */
export const withPhasesClosed = (
  chart: ChartState,
  hrefOf: (phase: string) => string,
): ChartState => {
  const phases = phasesOf(chart);
  const boxOf = new Map(
    phases.flatMap((phase) => allStates(phase).map(({ id }) => [id, phase] as const)),
  );
  const outwards = (choices: readonly Choice[], from: string): Choice[] => {
    const ways = choices.map((choice) => {
      const box = boxOf.get(choice.targetId);
      return box === undefined ? choice : { ...choice, targetId: box.id, targetName: box.name };
    });
    const others = ways.filter(({ targetId }) => targetId !== from);
    return others.filter(
      ({ targetId }, index) => others.findIndex((way) => way.targetId === targetId) === index,
    );
  };
  const closed = (state: ChartState): ChartState => {
    const isPhase = phases.includes(state);
    const choices = isPhase ? allStates(state).flatMap((inner) => inner.choices) : state.choices;
    return {
      ...state,
      choices: outwards(choices, state.id),
      innerChoices: isPhase ? [] : outwards(state.innerChoices, state.id),
      initialId: isPhase ? undefined : boxIdOf(state.initialId),
      kind: isPhase ? 'state' : state.kind,
      isRegion: !isPhase && state.isRegion,
      children: isPhase ? [] : state.children.map(closed),
      href: isPhase ? hrefOf(state.name) : undefined,
    };
  };
  const boxIdOf = (id: string | undefined): string | undefined =>
    id === undefined ? undefined : (boxOf.get(id)?.id ?? id);
  return closed(chart);
};

/** The compound states inside the regions of a chart, and the regions without compound states. */
export const phasesOf = (chart: ChartState): ChartState[] =>
  allStates(chart)
    .filter(({ isRegion }) => isRegion)
    .flatMap((region) => {
      const compounds = region.children.filter(({ children }) => children.length > 0);
      return compounds.length > 0 ? compounds : [region];
    });

/** A phase as a separate chart. Its boxes name the transitions out of it; no wire is drawn for them. */
export const phaseChart = (phase: ChartState): ChartState => {
  const inside = new Set(allStates(phase).map(({ id }) => id));
  const kept = (state: ChartState): ChartState => ({
    ...state,
    choices: state.choices.map((choice) =>
      inside.has(choice.targetId) ? choice : { ...choice, isElsewhere: true },
    ),
    children: state.children.map(kept),
  });
  return { ...kept(phase), kind: 'machine', isRegion: false };
};

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
    href: undefined,
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
