import type { Planner, PlanRequest } from '../../src/agents/roles.js';
import type { FactBody, FactType } from '../../src/model/facts.js';
import type { Plan } from '../../src/model/plan.js';
import { steps } from './team.js';

/**
 * A planner's answer to one request: steps in short form, an error to throw, a function to call, or any other value,
 * which is returned unchanged.
 */
export type PlannerAnswer = unknown;

/**
 * A planner that gives one answer after the other and repeats the last one. In short answers its analysis is what it
 * was told, so that the facts of the run show it.
 */
export const plannerInTurn = (...answers: readonly PlannerAnswer[]): Planner => {
  let calls = 0;
  return (request) => {
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    return answerTo(request, answer) as Plan;
  };
};

const answerTo = (request: PlanRequest, answer: PlannerAnswer): unknown => {
  if (answer instanceof Error) throw answer;
  if (typeof answer === 'function') return (answer as (request: PlanRequest) => unknown)(request);
  if (!isShort(answer)) return answer;
  return { analysis: JSON.stringify(toldIn(request)), steps: steps(...answer) };
};

const isShort = (answer: unknown): answer is readonly string[] =>
  Array.isArray(answer) && answer.every((item) => typeof item === 'string');

/** A request in a few words. */
export interface Told {
  readonly revision: number;
  /** `a = "its output"` */
  readonly completed: readonly string[];
  /** `b: threw: Why` */
  readonly failed: readonly string[];
  readonly pending: readonly string[];
  /** `needsContext of a: Why`, with `(agent)` behind it for every agent the asker would like. */
  readonly requests: readonly string[];
  /** `unknown-agent at steps[0].agent` */
  readonly issues: readonly string[];
}

const toldIn = (request: PlanRequest): Told => ({
  revision: request.revision,
  completed: request.completed.map(({ stepId, output }) => `${stepId} = ${JSON.stringify(output)}`),
  failed: request.failed.map(({ stepId, reason }) => `${stepId}: ${reason}`),
  pending: request.pending.map(({ stepId }) => stepId),
  requests: request.requests.map(({ kind, stepId, reason, agents }) =>
    [`${kind} of ${stepId ?? 'the plan'}: ${reason}`, ...agents.map((agent) => `(${agent})`)].join(
      ' ',
    ),
  ),
  issues: request.issues.map(({ code, path }) => `${code} at ${path}`),
});

/** What the planner was told, call by call; null where its answer was not a plan. */
export const toldBy = (
  factsOf: <Type extends FactType>(...types: Type[]) => FactBody<Type>[],
): (Told | null)[] =>
  factsOf('plan.proposed').map(({ plan }) =>
    plan?.analysis ? (JSON.parse(plan.analysis) as Told) : null,
  );
