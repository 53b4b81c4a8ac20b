// A statechart as Mermaid text and as a table, read from the machine itself.
import type { AnyStateMachine, AnyStateNode } from 'xstate';

import type { Transition } from './transitions.js';
import {
  childrenOf,
  conditionName,
  eventName,
  internalEvents,
  isInside,
  statesOf,
  transitionsOf,
} from './transitions.js';

/** Longer descriptions make notes that hide the picture; the table has them all. */
const NOTE_CHARACTERS_MAX = 60;

interface Edge {
  readonly from: AnyStateNode;
  readonly to: AnyStateNode;
  readonly label: string;
}

/** The whole chart: every state, nested and parallel ones included, and every transition that leads somewhere. */
export const stateDiagram = (machine: AnyStateMachine): string => {
  const { root } = machine;
  const edges = mergeLabels(statesOf(root).flatMap(edgesFrom));
  const local = edges.filter(isLocal);
  const crossing = edges.filter((edge) => !isLocal(edge));
  return document([
    ...block(root, local),
    ...crossing.map(edgeLine),
    ...childrenOf(root).filter(hasNote).flatMap(noteLines),
  ]);
};

/** The table beside the diagram: the meaning of each state, and the events it handles without leaving. */
export const stateTable = (machine: AnyStateMachine): string => {
  const rows = statesOf(machine.root).map((node) => {
    const name = node === machine.root ? 'anywhere' : pathOf(node);
    const stays = internalEvents(node).map((event) => `\`${event}\``);
    return `| \`${name}\` | ${node.description ?? ''} | ${stays.join(', ')} |`;
  });
  return ['| state | meaning | handled without leaving |', '| --- | --- | --- |', ...rows].join(
    '\n',
  );
};

// ---- States -----------------------------------------------------------------------------------

const pathOf = (node: AnyStateNode): string => node.path.join('.');

const isFinal = (node: AnyStateNode): boolean => node.type === 'final';

/** Mermaid's names are global: a key that occurs twice is written with its path. */
const nameOf = (node: AnyStateNode): string => {
  const namesakes = statesOf(node.machine.root).filter(({ key }) => key === node.key);
  return namesakes.length === 1 ? node.key : node.path.join('_');
};

const initialOf = (node: AnyStateNode): string => node.initial.target.map(nameOf).join('');

const block = (node: AnyStateNode, edges: readonly Edge[]): string[] => [
  ...(node.type === 'parallel' ? [] : [`[*] --> ${initialOf(node)}`]),
  ...childrenOf(node).flatMap((child, index) => {
    const separator = node.type === 'parallel' && index > 0 ? ['--'] : [];
    return [...separator, ...declaration(child, edges)];
  }),
  ...anywhere(node, edges),
  ...edges.filter(({ from, to }) => from.parent === node && !isInside(to, from)).map(edgeLine),
  ...childrenOf(node).filter(isFinal).map(endLine),
];

const declaration = (node: AnyStateNode, edges: readonly Edge[]): string[] => {
  if (childrenOf(node).length === 0) return [nameOf(node)];
  return [`state ${nameOf(node)} {`, ...indented(block(node, edges)), '}'];
};

/** A state that leads to its own inside: Mermaid cannot draw that from the border, so it gets an extra node. */
const anywhere = (node: AnyStateNode, edges: readonly Edge[]): string[] => {
  const own = edges.filter(({ from, to }) => from === node && isInside(to, node));
  if (own.length === 0) return [];
  const name = `${nameOf(node)}_anywhere`;
  return [
    `state "any state" as ${name}`,
    ...own.map(({ to, label }) => `${name} --> ${nameOf(to)} : ${label}`),
  ];
};

const endLine = (node: AnyStateNode): string => `${nameOf(node)} --> [*]`;

/** A box with states inside explains itself. */
const hasNote = (node: AnyStateNode): boolean =>
  childrenOf(node).length === 0 &&
  node.description !== undefined &&
  node.description.length <= NOTE_CHARACTERS_MAX;

const noteLines = (node: AnyStateNode): string[] => [
  `note right of ${nameOf(node)}`,
  `  ${node.description ?? ''}`,
  'end note',
];

// ---- Transitions ------------------------------------------------------------------------------

const edgesFrom = (node: AnyStateNode): Edge[] => {
  const transitions = transitionsOf(node);
  return transitions.flatMap((transition) =>
    (transition.target ?? []).map((to) => ({
      from: node,
      to,
      label: labelOf(transition, transitions),
    })),
  );
};

const labelOf = (transition: Transition, siblings: readonly Transition[]): string => {
  const condition = conditionName(transition, siblings);
  return `${eventName(transition)} ${condition === undefined ? '' : `[${condition}]`}`.trim();
};

/** Several transitions between the same two states are one arrow. */
const mergeLabels = (edges: readonly Edge[]): Edge[] => {
  const merged = new Map<string, Edge>();
  for (const edge of edges) {
    const key = `${edge.from.id} ${edge.to.id}`;
    const known = merged.get(key)?.label.split('<br/>') ?? [];
    const label = [...new Set([...known, edge.label])].filter((text) => text !== '').join('<br/>');
    merged.set(key, { ...edge, label });
  }
  return [...merged.values()];
};

/** Both ends in the same box, or an end inside of the other: such an arrow belongs into that box. */
const isLocal = ({ from, to }: Edge): boolean => from.parent === to.parent || isInside(to, from);

const edgeLine = ({ from, to, label }: Edge): string =>
  `${nameOf(from)} --> ${nameOf(to)}${label === '' ? '' : ` : ${label}`}`;

// ---- Text -------------------------------------------------------------------------------------

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const document = (lines: readonly string[]): string =>
  ['stateDiagram-v2', ...indented(lines), ''].join('\n');
