import { assign, createActor, sendTo, setup, toPromise, waitFor } from 'xstate';
import type { Snapshot } from 'xstate';

import type { RunReport } from '../src/index.js';
import { publishing } from './publishing.js';

/** A machine of your own. It invokes a run as it invokes a promise. */
const article = setup({
  types: {
    context: {} as { readonly topic: string; readonly report: RunReport | null },
    events: {} as { readonly type: 'editor.agreed'; readonly requestId: string },
    children: {} as { run: 'publish' },
  },
  actors: { publish: publishing.logic },
}).createMachine({
  id: 'article',
  context: { topic: 'statecharts', report: null },
  initial: 'publishing',
  states: {
    publishing: {
      invoke: {
        id: 'run',
        src: 'publish',
        input: ({ context }) => ({ goal: context.topic }),
        onDone: [
          {
            guard: ({ event }) => event.output.allSucceeded,
            target: 'published',
            actions: assign({ report: ({ event }) => event.output }),
          },
          { target: 'rejected' },
        ],
        onError: 'rejected',
      },
      on: {
        'editor.agreed': {
          actions: sendTo('run', ({ event: { requestId } }) => ({
            type: 'approval.grant',
            requestId,
            answer: 'Approved by the editor',
          })),
        },
      },
    },
    published: { type: 'final' },
    rejected: { type: 'final' },
  },
});

const actor = createActor(article).start();
const { run } = actor.getSnapshot().children;
if (run === undefined) throw new Error('The machine invokes no run');

// The snapshot of the run is its record.
const { context } = await waitFor(
  run,
  ({ context: { openApprovals } }) => openApprovals.length > 0,
);
console.log(context.steps.map(({ id, status }) => `${id} ${status}`).join(', ')); // write completed, publish awaitingApproval
const [open] = context.openApprovals;
console.log(open?.question); // The policy asks for approval before publisher starts

// Persisted in the middle: the id of the run, and without a store also its journal.
const saved = JSON.stringify(actor.getPersistedSnapshot());
actor.stop();

// Later: the machine and its run continue. No answered call is made again.
const snapshot = JSON.parse(saved) as Snapshot<unknown>;
const restored = createActor(article, { snapshot }).start();
restored.getSnapshot().children.run?.on('step.completed', ({ stepId }) => {
  console.log(`${stepId} is done`); // publish is done
});
restored.send({ type: 'editor.agreed', requestId: open?.requestId ?? '' });
await toPromise(restored);
const { value, context: last } = restored.getSnapshot();
console.log(value, JSON.stringify(last.report?.steps.at(-1)?.output)); // published {"published":"All about statecharts"}
