// A statechart as Mermaid text and as a table, read from the machine itself so that the picture cannot lie.
import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** Longer descriptions make notes that hide the picture; the table has them all. */
const NOTE_CHARACTERS_MAX = 60;

/** As much of XState's transition definition as a picture shows. */
interface Transition {
  readonly eventType: string;
  readonly guard?: unknown;
  readonly target: readonly AnyStateNode[] | undefined;
  readonly source: AnyStateNode;
}

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

/** The top of the chart, with the regions of a parallel state: what leaves a state from inside leaves it here. */
export const overviewDiagram = (machine: AnyStateMachine): string => {
  const { root } = machine;
  const raised = statesOf(root)
    .flatMap(edgesFrom)
    .map(({ from, to, label }): Edge => {
      const [source, target] = [topOf(from), topOf(to)];
      return { from: source, to: target, label: source === from ? label : 'from inside' };
    })
    .filter(({ from, to }) => from !== to);
  const edges = mergeLabels(raised);
  const states = childrenOf(root).flatMap((node) => {
    if (node.type !== 'parallel') return [];
    const regions = childrenOf(node).flatMap((region) => ['--', region.key]);
    return [`state ${node.key} {`, ...indented(regions.slice(1)), '}'];
  });
  return document([
    `[*] --> ${initialOf(root)}`,
    ...states,
    ...anywhere(root, edges),
    ...edges.filter(({ from }) => from !== root).map(edgeLine),
    ...childrenOf(root).filter(isFinal).map(endLine),
  ]);
};

/** What the diagram has no room for: the meaning of each state, and the events it handles without leaving. */
export const stateTable = (machine: AnyStateMachine): string => {
  const rows = statesOf(machine.root).map((node) => {
    const name = node === machine.root ? 'anywhere' : pathOf(node);
    const stays = [...new Set(transitionsOf(node).filter(isInternal).map(eventName))];
    return `| \`${name}\` | ${node.description ?? ''} | ${stays.map((event) => `\`${event}\``).join(', ')} |`;
  });
  return ['| state | meaning | handled without leaving |', '| --- | --- | --- |', ...rows].join(
    '\n',
  );
};

// ---- States -----------------------------------------------------------------------------------

const childrenOf = (node: AnyStateNode): AnyStateNode[] => Object.values(node.states);

/** The node and everything inside, in the order in which it is written. */
export const statesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...childrenOf(node).flatMap(statesOf),
];

const pathOf = (node: AnyStateNode): string => node.path.join('.');

const isFinal = (node: AnyStateNode): boolean => node.type === 'final';

const isInside = (node: AnyStateNode, outer: AnyStateNode): boolean =>
  node.parent !== undefined && (node.parent === outer || isInside(node.parent, outer));

/** The ancestor that is a direct child of the machine; the machine itself for the machine. */
const topOf = (node: AnyStateNode): AnyStateNode =>
  node.parent?.parent === undefined ? node : topOf(node.parent);

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

/** A state that leads to its own inside: Mermaid cannot draw that from the border, so a stand-in does. */
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

const transitionsOf = (node: AnyStateNode): Transition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

const isInternal = ({ target }: Transition): boolean => target === undefined;

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
  const { eventType, guard } = transition;
  const first = siblings.find((sibling) => sibling.eventType === eventType);
  const otherwise = first === transition ? '' : '[else]';
  const condition = guard === undefined ? otherwise : `[${guardName(guard)}]`;
  return `${eventName(transition)} ${condition}`.trim();
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

/** What XState calls an event, as the chart says it. */
const eventName = ({ eventType, source }: Transition): string => {
  const name = eventType.replace(`.${source.id}`, '');
  if (name.startsWith('xstate.after.')) return `after ${name.slice('xstate.after.'.length)}`;
  const actor = /^xstate\.(done|error)\.actor\.(.+)$/.exec(name);
  if (actor === null) return name;
  return `${actor[2] === '*' ? 'any actor' : (actor[2] ?? '')} ${actor[1] ?? ''}`;
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
