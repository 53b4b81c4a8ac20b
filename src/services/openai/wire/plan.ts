import * as z from 'zod/mini';

import type { PlanRequest } from '../../../agents/roles.js';
import type { ProposedPlan } from '../../../model/plan.js';
import { chooseSchema, complexitySchema, planSchema, scopeSchema } from '../../../model/plan.js';
import type { AnswerFormat } from '../answer-format.js';
import { jsonFormat } from '../answer-format.js';
import { described } from '../described.js';
import { readAs } from './own-shape.js';

/**
 * A plan as a model writes it. The schema lists the agents, so that a server that enforces schemas accepts no other;
 * the orchestrator validates the plan anyway, and reports every issue to the planner.
 */
export const planFormat = (
  { agents, limits }: Pick<PlanRequest, 'agents' | 'limits'>,
  mode: 'schema' | 'json',
): AnswerFormat<ProposedPlan> => {
  const names = agents.map(({ name }) => name);
  const step = z.object({
    id: described(z.string(), 'New and unique: a letter, then letters, digits, _ or -'),
    agent: z.enum(names),
    task: described(z.string(), 'One atomic task in 15 to 200 characters'),
    dependsOn: described(z.array(z.string()), 'Ids of the steps whose output this step needs'),
    complexity: complexitySchema,
    reason: described(z.nullish(z.string()), 'Why this agent, at this place'),
    requiresApproval: described(z.boolean(), 'True when a person should approve the step first'),
    ...(limits.maxVotes > 1 ? { votes: votes(limits.maxVotes) } : {}),
  });
  const schema = z.object({
    analysis: described(z.string(), 'What the goal takes, in a few sentences'),
    scope: scopeSchema,
    successCriteria: described(z.nullish(z.string()), 'How to tell that the goal is reached'),
    steps: z.array(step),
  });
  return jsonFormat({ name: 'plan', schema, read: readAs(planSchema) }, mode);
};

const votes = (maxVotes: number) =>
  described(
    z.nullish(z.object({ count: described(z.number(), `2 to ${maxVotes}`), choose: chooseSchema })),
    'Only for a step whose answer may well be wrong: the agent is called several times',
  );
