import type { AnyMachineSnapshot } from 'xstate';

import type { Transitioned } from '../chart-runner.js';
import { nodesOf } from '../xstate-shapes.js';

/** What a transition says, without the objects that say it: two runners agree when their texts are the same. */
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

/** Parameters without the references to actors, which are other objects in each runner. */
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
