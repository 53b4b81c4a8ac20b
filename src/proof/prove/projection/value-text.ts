import type { AnyMachineSnapshot } from 'xstate';

import type { NodeShape } from '../../../kernel/xstate-shapes.js';
import { nodesOf } from '../../../kernel/xstate-shapes.js';

/** Only agents see the level of the ladder: no guard of another region does. */
const UNSEEN = 'orchestrator.active.oversight.';

const known = new WeakMap<readonly NodeShape[], string>();

/** Which states are active. */
export const valueText = (snapshot: AnyMachineSnapshot): string => {
  const nodes = nodesOf(snapshot);
  const before = known.get(nodes);
  if (before !== undefined) return before;
  const text = nodes
    .filter(({ id, type }) => (type === 'atomic' || type === 'final') && !id.startsWith(UNSEEN))
    .map(({ id }) => id.slice(id.indexOf('.') + 1))
    .sort()
    .join('+');
  known.set(nodes, text);
  return text;
};

export const flag = (value: boolean): string => (value ? '1' : '0');

export const votesText = ({
  votes,
}: {
  readonly votes?: { readonly count: number; readonly choose: string } | null | undefined;
}): string => (votes == null ? '' : `${votes.count}${votes.choose}`);
