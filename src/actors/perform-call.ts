import { cutLines, cutMessage, stackHead, toFailure } from '../failure.js';
import { callAgent } from './call-agent.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import { deepFrozen } from '../deep-frozen.js';
import { failed, mappedError, usageIn } from './outcome.js';
import { lostRun } from './lost-run.js';
import { proposePlan } from './propose-plan.js';
import { review } from './review.js';
import { summarize } from './summarize.js';
import type { Callable, CallSurroundings } from './team.types.js';
import { testStep } from './test-step.js';

/** Makes one try of one call. Never rejects: whatever a callback does, the outcome says so. */
export const performCall = async (
  team: Callable,
  input: CallInput,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => cutOutcome(await performUncut(team, input, surroundings));

/** Cuts the texts of a failure: a thrown value may be of any length, and they go into the journal. */
export const cutOutcome = (outcome: CallOutcome): CallOutcome => {
  if (outcome.kind !== 'failed') return outcome;
  const { reason, error } = outcome;
  const cut = { ...outcome, reason: cutMessage(reason) };
  return error === undefined ? cut : { ...cut, error: mappedError(error, cutLines) };
};

/**
 * One try whose failure reason is not cut, so that a caller can redact it first. The request is the charts' own data,
 * so it is frozen: a supervisor that could change the plan under review could approve a different one.
 */
export const performUncut = async (
  team: Callable,
  input: CallInput,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => {
  try {
    // An agent receives copies, and is called too often to freeze data it never sees.
    const asked = input.request.role === 'worker' ? input : deepFrozen(input);
    // An agent's call may be large, so it is prepared first: nothing comes between this check and the user's code.
    const lost = input.request.role === 'worker' ? undefined : await lostRun(surroundings);
    return lost ?? (await dispatch(team, asked, surroundings));
  } catch (thrown) {
    surroundings.threw?.(thrown);
    const { name, message, code } = toFailure(thrown, Infinity);
    const stack = stackHead(thrown);
    return {
      // A model call without a usable answer still costs tokens; its error says how many.
      ...failed('threw', `${name}: ${message}`, usageIn(thrown)),
      error: {
        name,
        ...(code === undefined ? {} : { code }),
        ...(stack === undefined ? {} : { stack }),
      },
    };
  }
};

const dispatch = (
  team: Callable,
  { request, key, isFallback }: CallInput,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => {
  switch (request.role) {
    case 'worker':
      return callAgent(team, request, key, isFallback, surroundings);
    case 'planner':
      return proposePlan(team, request, key, surroundings);
    case 'supervisor':
      return review(team, request, key, surroundings);
    case 'tester':
      return testStep(team, request, key, surroundings);
    case 'summarizer':
      return summarize(team, request, key, surroundings);
  }
};
