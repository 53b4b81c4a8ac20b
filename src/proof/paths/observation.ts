import type { AnyMachineSnapshot } from 'xstate';

import type { ModelState } from './model.js';

/* The observable state of a tree of charts after one event, in any runner. */

export interface Observation {
  readonly status: string;
  /** The output of the root. */
  readonly output: string;
  /** The facts, in order. */
  readonly facts: string;
  /** State value and context of every chart, by its address. */
  readonly charts: Readonly<Record<string, string>>;
  /** The request of every open call, by its address. */
  readonly calls: Readonly<Record<string, string>>;
  readonly timers: number;
}

const contextTexts = new WeakMap<object, string>();

/** Contexts are never mutated, so one text per object is enough. Settings are the same everywhere. */
const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = contextTexts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify({ ...value, settings: undefined });
  contextTexts.set(value, text);
  return text;
};

export const chartText = ({ value, context }: AnyMachineSnapshot): string =>
  `${JSON.stringify(value)} ${textOf(context)}`;

export const outputText = (output: unknown): string => JSON.stringify(output);

export const callText = (input: unknown): string => textOf(input);

const expectations = new WeakMap<ModelState, Observation>();

/** The observation that the model expects. */
export const expectationOf = (state: ModelState): Observation => {
  const known = expectations.get(state);
  if (known !== undefined) return known;
  const { kernel, step, calls, timers } = state;
  const expectation: Observation = {
    status: step.status,
    output: outputText(step.output),
    facts: JSON.stringify(step.emitted),
    charts:
      step.status === 'active'
        ? Object.fromEntries(
            [...kernel.nodes].map(([address, node]) => [address, chartText(node.snapshot)]),
          )
        : {},
    calls: Object.fromEntries(calls.map(({ address, input }) => [address, callText(input)])),
    timers: timers.length,
  };
  expectations.set(state, expectation);
  return expectation;
};

/** The difference, in words; undefined when there is none. */
export const difference = (expected: Observation, actual: Observation): string | undefined => {
  const parts: [string, string, string][] = [
    ['status', expected.status, actual.status],
    ['output', expected.output, actual.output],
    ['facts', expected.facts, actual.facts],
    ...entriesOf('chart', expected.charts, actual.charts),
    ...entriesOf('call', expected.calls, actual.calls),
    ['timers', String(expected.timers), String(actual.timers)],
  ];
  const found = parts.find(([, left, right]) => left !== right);
  return found && `${found[0]}: expected ${found[1]}, got ${found[2]}`;
};

const NOTHING = 'nothing';

const entriesOf = (
  kind: string,
  expected: Readonly<Record<string, string>>,
  actual: Readonly<Record<string, string>>,
): [string, string, string][] =>
  [...new Set([...Object.keys(expected), ...Object.keys(actual)])].map((address) => [
    `${kind} ${address || 'root'}`,
    expected[address] ?? NOTHING,
    actual[address] ?? NOTHING,
  ]);
