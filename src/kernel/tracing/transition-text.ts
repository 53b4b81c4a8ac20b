import type { AnyMachineSnapshot } from 'xstate';

import type { Transitioned } from '../chart-runner.js';
import { nodesOf } from '../xstate-shapes.js';

/** A transition as text, without object identities: two runners agree when their texts are equal. */
export const transitionText = ({ snapshot, actions }: Transitioned): string =>
  JSON.stringify({
    ...plainSnapshot(snapshot),
    actions: actions.map(({ type, params }) => ({ type, params: plainParams(type, params) })),
  });

const plainSnapshot = (snapshot: AnyMachineSnapshot): object => ({
  value: snapshot.value as unknown,
  nodes: nodesOf(snapshot).map(({ id }) => id),
  status: snapshot.status,
  tags: [...snapshot.tags],
  context: snapshot.context as unknown,
  output: snapshot.output as unknown,
  children: snapshot.status === 'active' ? Object.keys(snapshot.children as object) : [],
});

/** Params without actor references, which are different objects in each runner. */
const plainParams = (type: string, params: unknown): unknown => {
  switch (type) {
    case 'xstate.spawnChild': {
      const { id, src, input } = params as { id: string; src: string; input: unknown };
      return { id, src, input };
    }
    case 'xstate.stopChild':
      return (params as { id: string } | undefined)?.id;
    case 'xstate.sendTo': {
      const { to, event } = params as { to: { id: string }; event: unknown };
      return { to: to.id, event };
    }
    case 'xstate.raise': {
      const { event, id, delay } = params as { event: unknown; id: unknown; delay: unknown };
      return { event, id, delay };
    }
    default:
      return params;
  }
};
