import type { CallOutcome, CallResult } from '../model/calls.js';
import type { ApprovalOutcome } from './approval/context.js';
import type { RunOutcome } from './orchestrator/context.js';

/*
 * The output of a child, read from its done event. A chart that reads it from any other event is wired wrongly: that is
 * an error, not a failure of an agent.
 */

const outputOf = (event: { readonly type: string }): unknown => {
  if (event.type.startsWith('xstate.done.actor.') && 'output' in event) return event.output;
  throw new Error(`The event ${event.type} carries no output of a child`);
};

/** The result of an agentCall chart. */
export const resultOf = (event: { readonly type: string }): CallResult =>
  outputOf(event) as CallResult;

/** The outcome of a sub-plan. */
export const outcomeOf = (event: { readonly type: string }): RunOutcome =>
  outputOf(event) as RunOutcome;

/** The outcome of an approval chart. */
export const approvalOf = (event: { readonly type: string }): ApprovalOutcome =>
  outputOf(event) as ApprovalOutcome;

/** The outcome of one performed try. */
export const tryOf = (event: { readonly type: string }): CallOutcome =>
  outputOf(event) as CallOutcome;
