import type { ReactNode } from 'react';

import { useActorRef, useSelector } from '@xstate/react';

import { systemClock } from '../../src/index.js';
import { publishing } from '../publishing.js';

const clock = systemClock();

/** The chart as a plain actor, for the lifetime of the component: no journal, no report, no resuming. */
export const GoalActor = ({ goal }: { readonly goal: string }): ReactNode => {
  const actor = useActorRef(publishing.machine, { input: { goal }, clock });
  const outcome = useSelector(actor, ({ output }) => output);
  const counts = useSelector(actor, ({ context }) => context.progress.counts);
  const questions = useSelector(actor, ({ context }) => context.questions);
  const approve = (requestId: string): void => {
    actor.send({ type: 'approval.grant', requestId, answer: 'Approved' });
  };
  return (
    <section>
      <p role="status">{outcome === undefined ? 'running' : outcome.status}</p>
      <p>{`${counts.completed} done, ${counts.running} running, ${counts.pending} to do`}</p>
      {questions.map(({ requestId, stepId, question }) => (
        <p key={requestId}>
          {question}
          <button onClick={() => approve(requestId)}>{`Approve ${stepId ?? 'the plan'}`}</button>
        </p>
      ))}
    </section>
  );
};
