import { checked } from '../../model/check.js';
import type {
  CallInput,
  CallOutcome,
  PlannerRequest,
  SupervisorRequest,
  WorkerRequest,
} from '../../model/calls.js';
import { answered, failed, schemaMessage } from '../../actors/outcome.js';
import { verdictSchema } from '../../agents/verdict.js';
import * as reports from '../../agents/report.js';
import type { Settings } from '../../model/settings.js';
import type { Plan } from '../../model/plan.js';
import { validatePlan } from '../../plan/validate.js';

/* The acts of called agents and roles. Each act is a value to return or an error to throw, with its outcome. */

/** One thing that a called agent or role does. */
export interface Act {
  /** The key of the try. */
  readonly key: string;
  /** 'coder answers done' */
  readonly says: string;
  readonly isFault: boolean;
  readonly does: { readonly returns: unknown } | { readonly throws: string };
  /** The outcome that the charts receive. */
  readonly outcome: CallOutcome;
}

/** All acts of the callee of a call; the planned one comes first. */
export const actsOf = ({ request, key, isFallback }: CallInput, settings: Settings): Act[] => {
  const who = isFallback ? `the fallback of ${request.agent}` : request.agent;
  const acts = partsOf(request, settings).map(([says, returns, outcome], index) => ({
    key,
    says: `${who} ${says}`,
    isFault: index > 0,
    does: { returns },
    outcome,
  }));
  return [...acts, thrown(key, who)];
};

type Part = readonly [says: string, returns: unknown, outcome: CallOutcome];

const partsOf = (request: CallInput['request'], settings: Settings): Part[] => {
  switch (request.role) {
    case 'worker':
      return workerParts(request, settings);
    case 'planner':
      return plannerParts(request, settings);
    case 'supervisor':
      return supervisorParts(request);
    case 'tester':
      return testerParts;
    case 'summarizer':
      return [['sums up', 'Summed up', answered({ role: 'summarizer' }, 'Summed up', null)]];
  }
};

const thrown = (key: string, who: string): Act => ({
  key,
  says: `${who} throws`,
  isFault: true,
  does: { throws: 'Out of order' },
  outcome: { ...failed('threw', 'Error: Out of order'), error: { name: 'Error' } },
});

/* Agents. */

export const workDone = (task: string): string => `Done: ${task}`;

const workerParts = ({ agent, step }: WorkerRequest, settings: Settings): Part[] => {
  const work = workDone(step.task);
  const other = settings.team.agents.find((name) => name !== agent) ?? agent;
  const doneWith = (confidence: number | null): CallOutcome =>
    answered({ role: 'worker', report: 'done', confidence }, work, null);
  const unsure: Part[] =
    settings.policy.approval.confidenceBelow === null
      ? []
      : [['answers done, but is not sure', reports.done(work, { confidence: 0 }), doneWith(0)]];
  return [['answers done', work, doneWith(null)], ...unsure, ...wishes(other), ...troubles];
};

const wishes = (other: string): Part[] => [
  [
    'needs context',
    reports.needsContext('Look there'),
    answered(
      { role: 'worker', report: 'needsContext', suggestion: 'Look there', confidence: null },
      null,
      null,
    ),
  ],
  [
    `hands off to ${other}`,
    reports.handOff({ agent: other, task: 'Go on' }),
    answered(
      { role: 'worker', report: 'handOff', agent: other, task: 'Go on', confidence: null },
      null,
      null,
    ),
  ],
  [
    'asks for another plan',
    reports.requestReplan({ reason: 'Too big' }),
    answered(
      { role: 'worker', report: 'requestReplan', reason: 'Too big', agents: [], confidence: null },
      null,
      null,
    ),
  ],
];

const troubles: Part[] = [
  [
    'is blocked',
    reports.blocked('No way'),
    answered({ role: 'worker', report: 'blocked', reason: 'No way' }, null, null),
  ],
  [
    'asks a person',
    reports.askHuman({ question: 'Which one?' }),
    answered(
      { role: 'worker', report: 'askHuman', question: 'Which one?', payload: null },
      null,
      null,
    ),
  ],
  [
    'answers with garbage',
    reports.done('A result', { confidence: 2 }),
    failed('invalid-output', 'confidence: Too big: expected number to be <=1'),
  ],
];

/* The planner. */

const GOAL_STEPS_MAX = 3;

/** The goal's plan has one step per agent, in a row; every later plan and every sub-plan has one step. */
export const planFor = (
  { agents, maxSteps }: { readonly agents: readonly string[]; readonly maxSteps: number },
  { revision, depth }: { readonly revision: number; readonly depth: number },
): Plan => {
  const [first = ''] = agents;
  if (depth > 0) return { steps: [{ id: 'part', agent: first, task: 'Do a part of it' }] };
  if (revision > 0) return { steps: [{ id: 'again', agent: first, task: 'Do it another way' }] };
  const team = agents.slice(0, Math.min(GOAL_STEPS_MAX, maxSteps));
  return {
    steps: team.map((agent, index) => ({
      id: `step-${index + 1}`,
      agent,
      task: `Do part ${index + 1}`,
      dependsOn: index === 0 ? [] : [`step-${index}`],
    })),
  };
};

const STRANGE_PLAN: Plan = { steps: [{ id: 'odd', agent: 'nobody', task: 'Do it' }] };

const plannerParts = (request: PlannerRequest, { policy, team }: Settings): Part[] => {
  const { agents } = team;
  const { maxSteps, maxVotes } = policy.limits;
  const rules = { agents, maxSteps, maxVotes, existingStepIds: request.existingStepIds };
  const proposal = (plan: Plan): CallOutcome => {
    const validation = validatePlan(plan, rules);
    return validation.ok
      ? answered({ role: 'planner', plan: validation.plan, issues: [] }, null, null)
      : answered({ role: 'planner', plan: null, issues: validation.issues }, null, null);
  };
  const plan = planFor({ agents, maxSteps }, request);
  return [
    ['proposes a plan', plan, proposal(plan)],
    ['proposes a plan with an agent outside the team', STRANGE_PLAN, proposal(STRANGE_PLAN)],
  ];
};

/* Supervisor and tester. */

const SCORES = [100, 65, 45, 20];

const supervisorParts = ({ subject, step }: SupervisorRequest): Part[] => {
  const about = step === null ? `the ${subject}` : `the ${subject} of ${step.id}`;
  const scores = SCORES.map((score): Part => {
    const verdict = { score, issues: score < 50 ? ['Wrong'] : [], feedback: '' };
    const outcome = answered({ role: 'supervisor', ...verdict }, null, null);
    return [`scores ${about} ${score}`, verdict, outcome];
  });
  const garbage = { score: 'high' };
  const { error } = checked(verdictSchema, garbage);
  const reason = error === undefined ? '' : schemaMessage(error);
  return [
    ...scores,
    [`answers about ${about} with garbage`, garbage, failed('invalid-output', reason)],
  ];
};

const PASSED = { passed: true, failures: [] };
const FAILED = { passed: false, failures: ['It does not add up'] };

const testerParts: Part[] = [
  [
    'passes the work',
    PASSED,
    answered({ role: 'tester', passed: true, failures: 0 }, PASSED, null),
  ],
  [
    'finds a failure',
    FAILED,
    answered({ role: 'tester', passed: false, failures: 1 }, FAILED, null),
  ],
];
