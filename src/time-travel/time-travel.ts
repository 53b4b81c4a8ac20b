import { performCall } from '../actors/perform-call.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import type { Callable, CallSurroundings } from '../actors/team.types.js';
import type { Issue } from '../errors.js';
import { PolicyError } from '../errors.js';
import type { Settings } from '../model/settings.js';
import { validatePlan } from '../plan/validate.js';
import type { Policy } from '../policy/policy.js';
import { definePolicy } from '../policy/policy.js';
import type { RunRegistry } from '../run/run-registry.js';
import type { Run } from '../run/run.types.js';
import type { Clock } from '../services/clock.js';
import { randomId } from '../services/random-id.js';
import { explainRun } from './explain-run.js';
import type { Explanation, RunExplanation } from './explain.types.js';
import { explainStep } from './explain.js';
import { forkedRun } from './fork.js';
import type { ForkRequest } from './fork-options.js';
import { checkFork, parseFork } from './fork-options.js';
import type { ChangedAnswer, ForkEngine } from './fork.types.js';
import type { Engine } from '../run/engine.js';
import { recordedRun } from './recorded-run.js';
import { createReplay } from './replay.js';
import type { RunReplay } from './replay.types.js';

/** The input of a fork. */
interface ForkInput {
  readonly goal: string;
  readonly runId: string;
  readonly plan?: unknown;
}

export interface TimeTravelParts {
  readonly runs: RunRegistry;
  readonly settings: Settings;
  /** Issues of the orchestrator's options under another policy. */
  readonly configurationIssues: (policy: Policy) => readonly Issue[];
  /** Issues of the start input of a run. */
  readonly inputIssues: (input: ForkInput) => readonly Issue[];
  readonly engine: Engine;
  readonly engineFor: (policy: Policy) => Engine;
  readonly clock: Clock;
}

/*
 * Time travel in a stored run: replay, explain and fork. Most programs never use it, so the orchestrator loads it on
 * demand.
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
  stepId: string | undefined,
): Promise<Explanation | RunExplanation> => {
  const { entries } = await runs.read(runId);
  const facts = entries.flatMap((entry) => entry.facts);
  return stepId === undefined ? explainRun(runId, facts) : explainStep(runId, facts, stepId);
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
  parts: TimeTravelParts,
  { changes }: ForkRequest,
  issues: Issue[],
): Policy | undefined => {
  if (changes?.policy === undefined) return undefined;
  try {
    const policy = definePolicy(changes.policy as Policy);
    issues.push(...parts.configurationIssues(policy));
    return policy;
  } catch (error) {
    if (!PolicyError.isInstance(error)) throw error;
    issues.push(...error.issues.map((issue) => inside('changes.policy', issue)));
    return undefined;
  }
};

/** Checks the new run as `start` does. */
const startIssues = (
  { settings, inputIssues }: TimeTravelParts,
  { changes }: ForkRequest,
  runId: string,
  policy: Policy = settings.policy,
  parentGoal: string,
  parentPlan: unknown,
): Issue[] => {
  const { goal = parentGoal, plan = parentPlan } = changes ?? {};
  const input = { goal, runId, ...(plan === undefined ? {} : { plan }) };
  const issues = inputIssues(input).map((issue) =>
    issue.path === 'runId' ? issue : inside('changes', issue),
  );
  if (changes?.plan === undefined) return issues;
  const { maxSteps, maxVotes } = policy.limits;
  const { agents } = settings.team;
  const validation = validatePlan(changes.plan, {
    agents,
    maxSteps,
    maxVotes,
    isGiven: true,
  });
  if (validation.ok) return issues;
  return [...issues, ...validation.issues.map((issue) => inside('changes.plan', issue))];
};

const inside = (place: string, issue: Issue): Issue => ({
  ...issue,
  path: issue.path === '' ? place : `${place}.${issue.path}`,
});

/** Answers one try of a call with this result, within the same bounds as a real one. */
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
