import type { CallOutcome, CallResult } from '../model/calls.js';
import type { RunOutcome } from './orchestrator/context.js';
import type { Proposal } from '../model/proposal.js';

/*
 * What a child ended with, read from the event that says so. Guards and actions are written for that event; on any
 * other these give a failure, so that they stay total.
 */

const outputOf = (event: { readonly type: string }): unknown =>
  event.type.startsWith('xstate.done.actor.') && 'output' in event ? event.output : undefined;

const NO_RESULT: CallResult = {
  kind: 'failed',
  key: '',
  code: 'threw',
  reason: 'There is no result',
};
const NO_OUTCOME: RunOutcome = {
  status: 'failed',
  reason: 'There is no outcome',
  rejected: null,
  outputKeys: [],
};

/** The result of an agentCall chart. */
export const resultOf = (event: { readonly type: string }): CallResult =>
  (outputOf(event) as CallResult | undefined) ?? NO_RESULT;

/** The outcome of a sub-plan. */
export const outcomeOf = (event: { readonly type: string }): RunOutcome =>
  (outputOf(event) as RunOutcome | undefined) ?? NO_OUTCOME;

/** The outcome of one performed try. */
export const tryOf = (event: { readonly type: string }): CallOutcome =>
  (outputOf(event) as CallOutcome | undefined) ?? {
    kind: 'failed',
    code: 'threw',
    reason: 'The call could not be made',
  };

/** The plan that came with the goal, checked; null when none came. */
export const checkedPlan = (event: { readonly type: string }): Proposal | null =>
  (outputOf(event) as Proposal | null | undefined) ?? null;
