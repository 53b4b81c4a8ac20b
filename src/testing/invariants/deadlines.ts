import type { Fact } from '../../model/facts.js';
import type { Check } from './evidence.js';
import { Findings, follow } from './evidence.js';

/** Something that waits for an answer, and until when it may. */
interface Waiting {
  readonly what: string;
  readonly stepId: string | null;
  readonly sinceMs: number;
  readonly mostMs: number;
}

/**
 * Invariant 22 as a run shows it: whoever waits has a deadline of their own. A call is over by the timeout of a try, a
 * question by the timeout of approvals; the limit of the run is not what ends them.
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
    // A phase takes its call along: the next one begins when the last is over.
    'phase.entered': ({ parentStepId, at }) => {
      for (const [key, { stepId }] of open) if (stepId === parentStepId) close(key, at);
    },
  });
  return findings.violations;
};

type Asking = Pick<Fact<'agent.called'>, 'at' | 'stepId'>;

/** A step that settles takes its own calls along, and those of its sub-plans. */
const isOf = ({ stepId }: Waiting, settled: string): boolean =>
  stepId === settled || stepId?.startsWith(`${settled}/`) === true;

const checkWait = ({ what, sinceMs, mostMs }: Waiting, at: number, findings: Findings): void => {
  const waitedMs = at - sinceMs;
  const isInTime = waitedMs <= mostMs;
  findings.expect(isInTime, 'waits-in-time', `${what} waits ${waitedMs} ms, at most ${mostMs}`);
};
