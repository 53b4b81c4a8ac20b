import type { Fact } from '../../model/facts.js';
import type { Check } from './evidence.js';
import { Findings, follow } from './evidence.js';

/** A call or question that waits for an answer, and its deadline. */
interface Waiting {
  readonly what: string;
  readonly stepId: string | null;
  readonly sinceMs: number;
  readonly mostMs: number;
}

/**
 * Invariant 22: everything that waits has its own deadline. A call ends by the timeout of a try, a question by the
 * timeout of approvals, not by the limit of the run.
 */
export const checkDeadlines: Check = ({ facts, policy, downtimeMs }) => {
  const findings = new Findings();
  const open = new Map<string, Waiting>();
  const callMs = policy.time.stepTimeoutMs ?? policy.time.limitMs;
  const wait = (key: string, { at, stepId }: Asking, mostMs: number, what: string): void => {
    open.set(key, { what, stepId, sinceMs: at, mostMs: mostMs + downtimeMs });
  };
  const close = (key: string, at: number): void => {
    const waiting = open.get(key);
    open.delete(key);
    if (waiting !== undefined) checkWait(waiting, at, findings);
  };
  const closeStep = ({ stepId, at }: { readonly stepId: string; readonly at: number }): void => {
    for (const [key, waiting] of open) if (isOf(waiting, stepId)) close(key, at);
  };
  follow(facts, findings, {
    'agent.called': (fact) => wait(fact.key, fact, callMs, `the call ${fact.key}`),
    'agent.answered': ({ key, at }) => close(key, at),
    'agent.failed': ({ key, at }) => close(key, at),
    'approval.requested': (fact) =>
      wait(fact.requestId, fact, policy.approval.timeoutMs, `the question ${fact.requestId}`),
    'approval.granted': ({ requestId, at }) => close(requestId, at),
    'approval.rejected': ({ requestId, at }) => close(requestId, at),
    'approval.expired': ({ requestId, at }) => close(requestId, at),
    'step.completed': closeStep,
    'step.failed': closeStep,
    'step.skipped': closeStep,
    'step.cancelled': closeStep,
    // The end of a phase ends its call.
    'phase.entered': ({ parentStepId, at }) => {
      for (const [key, { stepId }] of open) if (stepId === parentStepId) close(key, at);
    },
  });
  return findings.violations;
};

type Asking = Pick<Fact<'agent.called'>, 'at' | 'stepId'>;

/** A step that settles ends its own calls, and those of its sub-plans. */
const isOf = ({ stepId }: Waiting, settled: string): boolean =>
  stepId === settled || stepId?.startsWith(`${settled}/`) === true;

const checkWait = ({ what, sinceMs, mostMs }: Waiting, at: number, findings: Findings): void => {
  const waitedMs = at - sinceMs;
  const isInTime = waitedMs <= mostMs;
  findings.expect(isInTime, 'waits-in-time', `${what} waits ${waitedMs} ms, at most ${mostMs}`);
};
