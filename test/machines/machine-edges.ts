import type { AnyStateMachine } from 'xstate';

import { statesOf, transitionsOf } from '../../scripts/visualize/transitions.js';

/** Every transition as `source, event, target, guard`, those without a target included; sorted, to be compared. */
export const edgesOf = (machine: AnyStateMachine): string[] =>
  statesOf(machine.root)
    .flatMap((node) =>
      transitionsOf(node).map(({ eventType, target, guard }) =>
        [
          node.id,
          eventType === '' ? '(always)' : eventType,
          target === undefined ? '(stays)' : target.map(({ id }) => id).join(' '),
          guardText(guard),
        ].join(', '),
      ),
    )
    .sort();

/** The edges of a chart to paste, without the events by which a person chooses outcomes. */
export const edgesWithoutChoices = (machine: AnyStateMachine): string[] =>
  edgesOf(machine)
    .filter((edge) => !edge.includes(', choose.'))
    .map((edge) => edge.replace(/, otherwise$/, ', (no guard)'))
    .sort();

/** A guard without parameters may be written as its name or as an object. */
const guardText = (guard: unknown): string => {
  if (guard === undefined) return '(no guard)';
  if (typeof guard === 'string') return guard;
  const { type, params = {} } = guard as {
    readonly type: string;
    readonly params?: Readonly<Record<string, string>>;
  };
  return [type, ...Object.entries(params).flat()].join(' ');
};
