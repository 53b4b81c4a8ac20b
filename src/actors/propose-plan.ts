import type { Issue } from '../errors.js';
import { validatePlan } from '../plan/validate.js';
import type { CallFailure, CallOutcome, PlannerRequest } from '../model/calls.js';
import { answered, bounded, failed, usageIn } from './outcome.js';
import { dependenciesOf } from './references.js';
import type { Callable, CallSurroundings } from './team.types.js';

/** Asks the planner and checks its proposal. An invalid plan is an answer too: its issues go back to the planner. */
export const proposePlan = async (
  team: Callable,
  request: PlannerRequest,
  key: string,
  { run, signal, outputs }: CallSurroundings,
): Promise<CallOutcome> => {
  if (team.planner === undefined) return failed('unknown-agent', 'There is no planner');
  const proposed = await team.planner({
    ...run,
    goal: request.goal,
    depth: request.depth,
    revision: request.revision,
    agents: [...team.agents.values()].map(({ name, description }) => ({ name, description })),
    limits: { maxSteps: team.maxSteps, maxReplans: request.maxReplans, maxVotes: team.maxVotes },
    merge: request.merge,
    analysis: request.analysis,
    completed: dependenciesOf(request.completed, outputs),
    failed: request.failed,
    pending: request.pending,
    requests: request.requests,
    conversation: request.conversation,
    issues: request.issues,
    key,
    signal,
  });
  const usage = usageIn(proposed);
  const maxBytes = Math.max(team.maxOutputBytes, team.maxSteps * STEP_BYTES);
  const plain = bounded(proposed, maxBytes, usage);
  if (!plain.ok) return notPlain(plain.failure);
  const validation = validatePlan(plain.value, {
    agents: [...team.agents.keys()],
    maxSteps: team.maxSteps,
    maxVotes: team.maxVotes,
    existingStepIds: request.existingStepIds,
    redactText: team.redactText,
  });
  return validation.ok
    ? answered({ role: 'planner', plan: validation.plan, issues: [] }, null, usage)
    : answered({ role: 'planner', plan: null, issues: validation.issues }, null, usage);
};

/** A plan that is too long is reported as an issue, so that the planner can propose a shorter one. */
const notPlain = (failure: CallFailure): CallOutcome => {
  if (failure.code !== 'output-too-large') return failure;
  const issue: Issue = { code: 'plan-too-large', path: '', message: failure.reason };
  return answered({ role: 'planner', plan: null, issues: [issue] }, null, failure.usage);
};

/** A plan of `maxSteps` ordinary steps always fits, whatever the bound on other outputs. */
const STEP_BYTES = 1_000;
