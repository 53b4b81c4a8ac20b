import type { ReactNode } from 'react';
import { useCallback, useSyncExternalStore } from 'react';

import type { Run, RunRecord } from '../../src/index.js';

/** The record of a run, updated after every fact. `record()` is the same object until the next fact. */
const useRun = (run: Run): RunRecord => {
  const subscribe = useCallback((onFact: () => void) => run.subscribe(onFact), [run]);
  const record = useCallback(() => run.record(), [run]);
  return useSyncExternalStore(subscribe, record, record);
};

export const RunView = ({ run }: { readonly run: Run }): ReactNode => {
  const { goal, status, reason, steps, openApprovals } = useRun(run);
  return (
    <section>
      <h2>{goal}</h2>
      <p role="status">{reason === null ? status : `${status}: ${reason}`}</p>
      <ol>
        {steps.map((step) => (
          <li key={step.id}>{`${step.id}: ${step.status}`}</li>
        ))}
      </ol>
      {openApprovals.map(({ requestId, question }) => (
        <p key={requestId}>
          {question}
          <button onClick={() => void run.approve(requestId)}>Approve</button>
          <button onClick={() => void run.reject(requestId, 'Not now')}>Reject</button>
        </p>
      ))}
      <button disabled={status !== 'running'} onClick={() => void run.abort()}>
        Stop
      </button>
    </section>
  );
};
