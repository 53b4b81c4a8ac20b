import fc from 'fast-check';

import type { ProposedPlan, ProposedStep } from '../../src/model/plan.js';
import { planSchema } from '../../src/model/plan.js';
import { steps } from '../scenarios/team.js';

/** A plan in short: `plan('a', 'b<a')`. */
export const plan = (...texts: readonly string[]): ProposedPlan =>
  planSchema.parse({ steps: steps(...texts) });

/** Ids that collide often, with each other and with the names that a replan gives. */
const anyId = fc.constantFrom('a', 'b', 'c', 'd', 'a_rp1', 'a_rp1-2', 'b_rp2', 'x'.repeat(64));

const anyTask = fc.constantFrom('Write the code', 'Review the code', 'Fix what is broken');
const anyAgent = fc.constantFrom('worker', 'reviewer');

/**
 * Valid plans: ids are unique, and steps depend on earlier ones or on existing ones. The list is then shuffled, so
 * that a step may come before its dependencies.
 */
export const anyPlan = ({
  maxSteps = 5,
  existing = [],
}: {
  readonly maxSteps?: number;
  readonly existing?: readonly string[];
} = {}): fc.Arbitrary<ProposedPlan> =>
  fc
    .uniqueArray(fc.oneof(anyId, fc.stringMatching(/^[a-e][0-9]?$/)), { maxLength: maxSteps })
    .chain((ids) =>
      fc.tuple(...ids.map((id, index) => anyStep(id, ids.slice(0, index), ids, existing))),
    )
    .chain((made) => fc.shuffledSubarray(made, { minLength: made.length }))
    .map((made) => ({ analysis: '', steps: made }));

const anyStep = (
  id: string,
  earlier: readonly string[],
  own: readonly string[],
  existing: readonly string[],
): fc.Arbitrary<ProposedStep> => {
  // An id refers to the plan's own step first; an existing step of the same name is out of reach.
  const reachable = [...new Set([...earlier, ...existing.filter((other) => !own.includes(other))])];
  return fc
    .record({ agent: anyAgent, task: anyTask, dependsOn: fc.subarray(reachable) })
    .map((parts) => ({ id, complexity: 'medium', requiresApproval: false, ...parts }));
};
