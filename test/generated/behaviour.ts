import type { AnyMachineSnapshot, EventObject } from 'xstate';

import { fingerprint } from '../../src/canonical-json.js';
import type { Effect } from '../../src/kernel/kernel.types.js';
import type { ModelState } from '../../src/proof/paths/model.js';
import { expectationOf } from '../../src/proof/paths/observation.js';
import type { ChartPaths } from './chart-paths.js';
import { SUBJECT } from './parent.js';

/*
 * What a chart does, as a list that can be read and compared: one line for every state and every thing that can happen
 * there. A change of a chart shows as a change of this list; the mark at the end of a line stands for all that was seen
 * there, down to every fact and every call. `npx vitest run test/generated -u` writes the list anew.
 */

/** `working | agentCall answers done | completed | tells vote.cast | starts agentCall | 1a2b3c4d` */
export const behaviourOf = (explorations: readonly ChartPaths[]): string => {
  const lines = new Map<string, string[]>();
  for (const { explored } of explorations) {
    for (const edge of explored.edges) {
      if (edge.via === null) continue;
      const line = lineOf(edge, edge.via.from, edge.via.happening.says);
      const details = lines.get(line) ?? [];
      details.push(detailOf(edge));
      lines.set(line, details);
    }
  }
  return [...lines]
    .map(([line, details]) => `${line} | ${fingerprint(details.sort().join('\n')).slice(0, 8)}\n`)
    .sort()
    .join('');
};

/** Contexts are left out: what they are good for shows in what follows, and how they are built is nobody's business. */
const detailOf = (edge: ModelState): string => {
  const { facts, calls, output } = expectationOf(edge);
  return JSON.stringify([facts, calls, output, edge.timers, edge.transitions]);
};

const lineOf = (after: ModelState, before: ModelState, says: string): string =>
  [
    placeOf(before),
    says,
    placeOf(before) === placeOf(after) ? 'stays' : placeOf(after),
    listed('tells', typesOf(after.step.emitted)),
    listed('reports', reportsIn(after).slice(reportsIn(before).length)),
    ...effectsOf(after.step.effects),
  ]
    .filter((part) => part !== '')
    .join(' | ');

const subjectOf = ({ kernel }: ModelState): AnyMachineSnapshot | undefined =>
  kernel.nodes.get(SUBJECT)?.snapshot;

const placeOf = (state: ModelState): string => {
  const subject = subjectOf(state);
  return subject === undefined ? `ends ${JSON.stringify(endOf(state))}` : leaves(subject.value);
};

/** How it ended; what exactly with is in the mark. */
const endOf = ({ step }: ModelState): unknown => {
  const last = (
    step.output as readonly { readonly output?: { status?: string; kind?: string } }[]
  ).at(-1);
  return last?.output?.status ?? last?.output?.kind;
};

/** Said by its leaves; regions that rest in their first state are left out. */
const leaves = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return Object.entries(value as Readonly<Record<string, unknown>>)
    .map(([, inner]) => leaves(inner))
    .filter((leaf) => leaf !== 'none' && leaf !== 'open')
    .join(' ');
};

const typesOf = (events: readonly EventObject[]): string[] => events.map(({ type }) => type);

const reportsIn = ({ kernel, step }: ModelState): string[] => {
  const heard =
    step.status === 'active'
      ? (kernel.nodes.get('')?.snapshot.context as { heard: EventObject[] }).heard
      : (step.output as EventObject[]);
  return typesOf(heard);
};

const listed = (verb: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${verb} ${names.join(' ')}`;

const effectsOf = (effects: readonly Effect[]): string[] => [
  listed('starts', callsIn(effects, 'startCall')),
  listed('stops', callsIn(effects, 'stopCall')),
];

const callsIn = (effects: readonly Effect[], kind: 'startCall' | 'stopCall'): string[] =>
  effects.flatMap((effect) =>
    effect.kind === kind ? [effect.address.slice(SUBJECT.length + 1)] : [],
  );
