import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { Settings } from '../../src/model/settings.js';
import type { Explored } from '../../src/proof/paths/explore.js';
import { explore } from '../../src/proof/paths/explore.js';
import type { Explorer } from '../../src/proof/paths/graph.js';
import type { Happening, ModelState, OpenCall } from '../../src/proof/paths/model.js';
import { createModel } from '../../src/proof/paths/model.js';
import { chartsAround, SUBJECT } from './parent.js';

/** One small world in which a chart is explored: its input, and the events that may happen. */
export interface Configuration {
  readonly name: string;
  readonly input: unknown;
  /** Creates the chart from its settings. */
  readonly settings?: Settings;
  /** The events that the chart may receive in a state. */
  readonly told: (subject: AnyMachineSnapshot, state: ModelState) => readonly Told[];
  /** The possible outcomes of a call. */
  readonly outcomes: (call: OpenCall, subject: AnyMachineSnapshot) => readonly Outcome[];
  /** The part of the context that distinguishes states, besides the state value. */
  readonly project: (subject: AnyMachineSnapshot) => unknown;
}

export interface Told {
  readonly says: string;
  readonly event: EventObject;
}

export type Outcome =
  | { readonly says: string; readonly output: unknown }
  | { readonly says: string; readonly error: unknown };

/** Crashes are the same for every call. */
export const CRASH: Outcome = { says: 'crashes', error: { name: 'Error', message: 'Crashed' } };

export const exploreConfiguration = (
  subject: AnyStateMachine,
  configuration: Configuration,
  explorer: Explorer,
): Explored =>
  explore(
    createModel({ charts: chartsAround(subject), input: { input: configuration.input } }),
    {
      happenings: (state) => happeningsIn(state, configuration),
      keyOf: (state) => keyOf(state, configuration),
    },
    explorer,
  );

const subjectOf = ({ kernel }: ModelState): AnyMachineSnapshot | undefined =>
  kernel.nodes.get(SUBJECT)?.snapshot;

const happeningsIn = (state: ModelState, configuration: Configuration): Happening[] => {
  const subject = subjectOf(state);
  if (subject === undefined) return [];
  return [
    ...state.calls.flatMap((call) =>
      configuration.outcomes(call, subject).map((outcome) => settled(call, outcome)),
    ),
    ...lateAnswer(state),
    ...timePasses(state),
    ...configuration.told(subject, state).map(({ says, event }): Happening => ({
      type: 'told',
      says,
      event: { type: 'tell', event } as EventObject,
    })),
  ];
};

const settled = ({ address }: OpenCall, outcome: Outcome): Happening => {
  const name = address.slice(SUBJECT.length + 1);
  const says = `${name} ${outcome.says}`;
  return 'output' in outcome
    ? { type: 'answered', says, address, output: outcome.output }
    : { type: 'broken', says, address, error: outcome.error };
};

const lateAnswer = ({ abandoned }: ModelState): Happening[] => {
  if (abandoned === null) return [];
  const { address, generation } = abandoned;
  const says = `${address.slice(SUBJECT.length + 1)} answers too late`;
  return [{ type: 'late', says, address, generation }];
};

const timePasses = ({ timers }: ModelState): Happening[] => {
  const [next] = timers;
  if (next === undefined) return [];
  const [, name = ''] = next.timer.split('#');
  return [{ type: 'elapsed', says: `${name.replace(/^xstate\.after\./, '')} passes` }];
};

const keyOf = (state: ModelState, { project }: Configuration): string => {
  const subject = subjectOf(state);
  if (subject === undefined) return `ended ${JSON.stringify(lastHeard(state))}`;
  return JSON.stringify([
    subject.value,
    project(subject),
    state.calls.map(({ address }) => address),
    state.timers.map(({ timer }) => timer),
  ]);
};

/** The output of the chart is the last message to its parent. */
const lastHeard = ({ step }: ModelState): unknown => (step.output as readonly unknown[]).at(-1);
