import type { AnyStateMachine } from 'xstate';

import {
  childrenOf,
  conditionName,
  eventName,
  transitionsOf,
} from '../../scripts/visualize/transitions.js';
import type { Witness } from './explore.js';
import { eventText } from './witness-text.js';

/* The chart of an exhibit as a Mermaid flowchart, with the witness drawn into it. */

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** Taken by the chart itself: the label is its guard. */
  readonly isAlways: boolean;
}

/** Longer lists of step numbers are cut: the text beside the picture has them all. */
const NUMBERS_MAX = 4;

/** Every state and arrow of the chart; those of the witness are thick, red and numbered. */
export const pictureOf = (machine: AnyStateMachine, witness: Witness): string => {
  const arrows = arrowsOf(machine);
  const walked = walkedArrows(witness, arrows);
  const walkedKeys = new Set(walked.map(keyOf));
  const isWalked = (arrow: Arrow): boolean => walkedKeys.has(keyOf(arrow));
  const thick = merged(walked.map((arrow) => ({ ...arrow, label: arrow.numberedLabel })));
  const thin = merged(arrows.filter((arrow) => !isWalked(arrow)));
  const [start = ''] = witness.start;
  const found = lastState(witness);
  return [
    'flowchart LR',
    ...childrenOf(machine.root).map(({ key, type }) =>
      type === 'final' ? `  ${nodeName(key)}([${key}])` : `  ${nodeName(key)}[${key}]`,
    ),
    `  begin(( )) ==> ${nodeName(start)}`,
    ...thick.map(({ from, to, label }) => arrowLine(from, '==>', label, to)),
    ...thin.map(({ from, to, label }) => arrowLine(from, '-->', label, to)),
    '  classDef found fill:#fde2e2,stroke:#c62828,stroke-width:3px,color:#7f1d1d',
    `  class ${nodeName(found)} found`,
    `  linkStyle ${[0, ...thick.map((_, index) => index + 1)].join(',')} stroke:#c62828,stroke-width:3px`,
  ].join('\n');
};

const keyOf = ({ from, to, label }: Arrow): string => [from, to, label].join(' ');

const lastState = ({ start, steps }: Witness): string =>
  (steps.at(-1)?.through ?? start).at(-1) ?? '';

/** `end` and `default` are Mermaid keywords: a state with such a name is renamed. */
const nodeName = (state: string): string => `s_${state}`;

const arrowLine = (from: string, line: string, label: string, to: string): string =>
  `  ${nodeName(from)} ${line}${label === '' ? '' : `|"${label}"|`} ${nodeName(to)}`;

// ---- The chart --------------------------------------------------------------------------------

const arrowsOf = (machine: AnyStateMachine): Arrow[] =>
  childrenOf(machine.root).flatMap((node) => {
    const transitions = transitionsOf(node);
    return transitions.flatMap((transition) => {
      const isAlways = transition.eventType === '';
      const label = isAlways
        ? (conditionName(transition, transitions) ?? '')
        : eventName(transition);
      const targets = transition.target?.map(({ key }) => key) ?? [node.key];
      return targets.map((to) => ({ from: node.key, to, label, isAlways }));
    });
  });

// ---- The witness ------------------------------------------------------------------------------

interface WalkedArrow extends Arrow {
  readonly numberedLabel: string;
}

/** An event takes the chart to the next state; from there it may continue by itself. */
const walkedArrows = ({ start, steps }: Witness, arrows: readonly Arrow[]): WalkedArrow[] => {
  const walked = new Map<Arrow, number[]>();
  const walk = (from: string, to: string, label: string | null, number: number): void => {
    const arrow = arrows.find(
      (each) =>
        each.from === from &&
        each.to === to &&
        (label === null ? each.isAlways : !each.isAlways && each.label === label),
    );
    if (arrow === undefined) throw new Error(`The chart has no way from ${from} to ${to}`);
    walked.set(arrow, [...(walked.get(arrow) ?? []), number]);
  };
  const walkOn = (states: readonly string[], number: number): void => {
    for (const [index, to] of states.slice(1).entries()) {
      walk(states[index] ?? '', to, null, number);
    }
  };
  walkOn(start, 0);
  for (const [index, { event, from, through }] of steps.entries()) {
    walk(from, through[0] ?? from, eventText(event), index + 1);
    walkOn(through, index + 1);
  }
  return [...walked].map(([arrow, numbers]) => ({
    ...arrow,
    numberedLabel: `${numbersText(numbers)} ${arrow.label}`.trim(),
  }));
};

const numbersText = (numbers: readonly number[]): string => {
  const shown = numbers.filter((number) => number > 0);
  if (shown.length <= NUMBERS_MAX) return shown.join(', ');
  return `${shown.slice(0, 2).join(', ')} … ${shown.at(-1) ?? ''}`;
};

/** Several arrows between the same two states become one, with a line for each. */
const merged = (arrows: readonly Arrow[]): Arrow[] => {
  const byEnds = new Map<string, Arrow>();
  for (const arrow of arrows) {
    const key = `${arrow.from} ${arrow.to}`;
    const known = byEnds.get(key);
    const labels = [known?.label ?? '', arrow.label].filter((label) => label !== '');
    byEnds.set(key, { ...arrow, label: [...new Set(labels)].join('<br/>') });
  }
  return [...byEnds.values()];
};
