import { cutMessage, toFailure } from '../failure.js';
import { callAgent } from './call-agent.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import { deepFrozen } from '../deep-frozen.js';
import { failed, usageIn } from './outcome.js';
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

/** A reason is for people and for the journal: what was thrown may be of any length. */
export const cutOutcome = (outcome: CallOutcome): CallOutcome =>
  outcome.kind === 'failed' ? { ...outcome, reason: cutMessage(outcome.reason) } : outcome;

/**
 * One try whose reason for failing is as long as it was given: for those who redact it before it is cut. What is asked is
 * the charts' own data, so it is frozen: a supervisor that could change the plan it reviews could approve another one.
 */
export const performUncut = async (
  team: Callable,
  input: CallInput,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => {
  try {
    // An agent is handed copies, and is called too often to freeze what it never sees.
    const asked = input.request.role === 'worker' ? input : deepFrozen(input);
    const confirmed = surroundings.confirm?.();
    if (confirmed !== undefined) {
      await confirmed;
      if (surroundings.signal.aborted) return failed('interrupted', 'Another process has the run');
    }
    return await dispatch(team, asked, surroundings);
  } catch (thrown) {
    const { name, message } = toFailure(thrown, Infinity);
    // A model that gave no answer one can use has cost something all the same, and its error says how much.
    return failed('threw', `${name}: ${message}`, usageIn(thrown));
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
