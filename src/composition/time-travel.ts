import { performCall } from '../actors/perform-call.js';
import type { CallInput, CallOutcome } from '../actors/call.types.js';
import type { Callable, CallSurroundings } from '../actors/team.types.js';
import type { Agent } from '../agents/agent.js';
import type { Issue } from '../errors.js';
import { PolicyError } from '../errors.js';
import type { Settings } from '../machines/settings.types.js';
import type { OrchestratorOptions } from '../orchestrator.js';
import { validatePlan } from '../plan/validate.js';
import type { Policy } from '../policy/policy.js';
import { definePolicy } from '../policy/policy.js';
import type { RunRegistry } from '../run/run-registry.js';
import type { Run } from '../run/run.types.js';
import type { Clock } from '../services/clock.js';
import { randomId } from '../services/random-id.js';
import type { Explanation } from '../time-travel/explain.types.js';
import { explainStep } from '../time-travel/explain.js';
import { forkedRun } from '../time-travel/fork.js';
import type { ForkRequest } from '../time-travel/fork-options.js';
import { checkFork, parseFork } from '../time-travel/fork-options.js';
import type { ChangedAnswer, Engine, ForkEngine } from '../time-travel/fork.types.js';
import { recordedRun } from '../time-travel/recorded-run.js';
import { createReplay } from '../time-travel/replay.js';
import type { RunReplay } from '../time-travel/replay.types.js';
import { configurationIssues, inputIssues } from './configuration.js';

export interface TimeTravelParts {
  readonly runs: RunRegistry;
  readonly options: OrchestratorOptions<readonly Agent[]>;
  readonly settings: Settings;
  readonly engine: Engine;
  readonly engineFor: (policy: Policy) => Engine;
  readonly clock: Clock;
}

/*
 * Going back in a stored run: looking at it, asking why, and starting again from there. Most programs never do, so
 * the orchestrator loads this when it is asked for.
 */

export const replay = async (
  { runs, engine }: TimeTravelParts,
  runId: string,
): Promise<RunReplay> => {
  const { header, entries } = await runs.read(runId);
  return createReplay({ runId, goal: header.goal }, entries, engine.kernel);
};

export const explain = async (
  { runs }: TimeTravelParts,
  runId: string,
  stepId: string,
): Promise<Explanation> => {
  const { entries } = await runs.read(runId);
  const facts = entries.flatMap((entry) => entry.facts);
  return explainStep(runId, facts, stepId);
};

export const fork = async (
  parts: TimeTravelParts,
  runId: string,
  candidate: unknown,
): Promise<Run> => {
  const request = parseFork(candidate);
  const { header, entries } = await parts.runs.read(runId);
  const parent = recordedRun(parts.engine.kernel, runId, entries);
  const forkId = request.runId ?? randomId('run');
  const issues: Issue[] = [];
  const policy = changedPolicy(parts, request, issues);
  issues.push(...startIssues(parts, request, forkId, policy, header.goal, header.plan));
  const checked = checkFork(parent, request, forkId, issues);
  const engine = policy === undefined ? parts.engine : parts.engineFor(policy);
  const answering: ForkEngine = {
    ...engine,
    answerAs: (answer, input, surroundings) => answerAs(engine.team, answer, input, surroundings),
  };
  return parts.runs.adopt(await forkedRun(parent, header, checked, answering, parts.clock.now()));
};

const changedPolicy = (
  { options }: TimeTravelParts,
  { changes }: ForkRequest,
  issues: Issue[],
): Policy | undefined => {
  if (changes?.policy === undefined) return undefined;
  try {
    const policy = definePolicy(changes.policy as Policy);
    issues.push(...configurationIssues(options, policy));
    return policy;
  } catch (error) {
    if (!PolicyError.isInstance(error)) throw error;
    issues.push(...error.issues.map((issue) => inside('changes.policy', issue)));
    return undefined;
  }
};

/** The new run is held to what `start` holds runs to. */
const startIssues = (
  { settings }: TimeTravelParts,
  { changes }: ForkRequest,
  runId: string,
  policy: Policy = settings.policy,
  parentGoal: string,
  parentPlan: unknown,
): Issue[] => {
  const { goal = parentGoal, plan = parentPlan } = changes ?? {};
  const input = { goal, runId, ...(plan === undefined ? {} : { plan: plan as never }) };
  const issues = inputIssues(input, settings.team.hasPlanner).map((issue) =>
    issue.path === 'runId' ? issue : inside('changes', issue),
  );
  if (changes?.plan === undefined) return issues;
  const { maxSteps, maxVotes } = policy.limits;
  const { agents } = settings.team;
  const validation = validatePlan(changes.plan, { agents, maxSteps, maxVotes });
  if (validation.ok) return issues;
  return [...issues, ...validation.issues.map((issue) => inside('changes.plan', issue))];
};

const inside = (place: string, issue: Issue): Issue => ({
  ...issue,
  path: issue.path === '' ? place : `${place}.${issue.path}`,
});

/** One try of a call that is answered with this instead; held to the same bounds as a real one. */
const answerAs = (
  team: Callable,
  answer: ChangedAnswer,
  input: CallInput,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => {
  const say = (): never => {
    if ('throws' in answer) throw new Error(answer.throws);
    return answer.returns as never;
  };
  const substitute: Callable = {
    ...team,
    dispatcher: say,
    planner: say,
    supervisor: say,
    tester: say,
    summarizer: say,
  };
  return performCall(substitute, { ...input, isFallback: false }, surroundings);
};
