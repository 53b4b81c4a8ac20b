import type { ReactNode } from 'react';

import { useActorRef, useSelector } from '@xstate/react';

import { publishing } from '../publishing.js';

/** A run as an actor of the component. The run is stored, so it goes on when the component is gone. */
export const RunActor = ({ goal }: { readonly goal: string }): ReactNode => {
  const actor = useActorRef(publishing.logic, { input: { goal } });
  const { status, steps, openApprovals } = useSelector(actor, ({ context }) => context);
  return (
    <section>
      <p role="status">{status}</p>
      <p>{steps.map(({ id, status: of }) => `${id}: ${of}`).join(', ')}</p>
      {openApprovals.map(({ requestId, question }) => (
        <p key={requestId}>
          {question}
          <button
            onClick={() => actor.send({ type: 'approval.grant', requestId, answer: 'Approved' })}
          >
            Approve
          </button>
        </p>
      ))}
    </section>
  );
};
