import type { AnyMachineSnapshot, EventObject } from 'xstate';

import type { Effect } from '../../src/kernel/kernel.types.js';
import type { ModelState } from '../../src/proof/paths/model.js';
import { timerName } from '../../src/proof/prove/timer-name.js';
import type { ChartPaths } from './chart-paths.js';
import { SUBJECT } from './parent.js';

/*
 * What a chart does, as a list that can be read and compared: one line for every state and every thing that can happen
 * there. A change of a chart shows as a change of this list. `npx vitest run test/generated -u` writes the list anew.
 */

/** `working | agentCall answers done | completed | tells vote.cast(a 1) | starts agentCall` */
export const behaviourOf = (explorations: readonly ChartPaths[]): string => {
  const lines = new Set<string>();
  for (const { explored } of explorations) {
    for (const edge of explored.edges) {
      if (edge.via !== null) lines.add(`${lineOf(edge, edge.via.from, edge.via.happening.says)}\n`);
    }
  }
  return [...lines].sort().join('');
};

const lineOf = (after: ModelState, before: ModelState, says: string): string =>
  [
    placeOf(before),
    says,
    placeOf(before) === placeOf(after) ? 'stays' : placeOf(after),
    listed('tells', after.step.emitted.map(factText)),
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

/** How it ended. */
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

/** What of a fact says most about it. */
const TELLING = ['phase', 'scope', 'by', 'to', 'status', 'code', 'reason', 'stepId', 'outcome'];

const factText = (fact: EventObject): string => {
  const told = TELLING.flatMap((key) => {
    const value = (fact as unknown as Readonly<Record<string, unknown>>)[key];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return told.length === 0 ? fact.type : `${fact.type}(${told.join(', ')})`;
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
  names.length === 0 ? '' : `${verb} ${names.join(', ')}`;

const effectsOf = (effects: readonly Effect[]): string[] => [
  listed('starts', callsIn(effects, 'startCall')),
  listed('stops', callsIn(effects, 'stopCall')),
  listed('arms', armedTimers(effects)),
];

const armedTimers = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) =>
    effect.kind === 'armTimer' ? [timerName(effect.timer, effect.timer.split('#')[0] ?? '')] : [],
  );

const callsIn = (effects: readonly Effect[], kind: 'startCall' | 'stopCall'): string[] =>
  effects.flatMap((effect) =>
    effect.kind === kind ? [effect.address.slice(SUBJECT.length + 1)] : [],
  );
