import fc from 'fast-check';

import type { Fact } from '../../src/model/facts.js';
import type { FactParts } from './fact-factory.js';
import { adopted, everyFact, factsOf, proposed } from './fact-factory.js';

/* Journals that no chart would write: every fact, in any order, about a handful of ids that often do not exist. */

const stepId = fc.constantFrom('s1', 's2', 's3', 's1/a', 's1/b', 's1/a/x', 'unknown');
const nullableStepId = fc.option(stepId, { nil: null });
const key = fc.constantFrom('k1', 'k2', 'k3');
const agent = fc.constantFrom('coder', 'planner', '__proto__');
const requestId = fc.constantFrom('q1', 'q2');
const revision = fc.constantFrom(0, 1);
const attempts = fc.integer({ min: 1, max: 3 });

const adoption: fc.Arbitrary<FactParts> = fc
  .record({
    parent: fc.constantFrom(null, 's1', 's1/a', 'unknown'),
    names: fc.uniqueArray(fc.constantFrom('s1', 's2', 's3', 'a', 'b', 'x'), { maxLength: 4 }),
    replaced: fc.array(stepId, { maxLength: 2 }),
    revision,
  })
  .map(({ parent, names, ...rest }) =>
    adopted(
      names.map((name) => (parent === null ? name : `${parent}/${name}`)),
      { parentStepId: parent, ...rest },
    ),
  );

const aboutSteps: fc.Arbitrary<FactParts> = fc.oneof(
  fc.record({ type: fc.constant('step.started' as const), stepId }),
  fc.record({
    type: fc.constant('step.completed' as const),
    stepId,
    attempts,
    outputKeys: fc.array(key, { maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('step.retried' as const), stepId, attempt: attempts }),
  fc.record({
    type: fc.constantFrom(
      'step.failed' as const,
      'step.skipped' as const,
      'step.cancelled' as const,
      'subplan.started' as const,
      'subplan.ended' as const,
    ),
    stepId,
  }),
);

const aboutVotes: fc.Arbitrary<FactParts> = fc.oneof(
  fc.record({
    type: fc.constant('vote.cast' as const),
    stepId,
    number: fc.integer({ min: 1, max: 3 }),
    key,
    digest: fc.constantFrom('d1', 'd2'),
    confidence: fc.constantFrom(null, 0.5),
  }),
  fc.record({
    type: fc.constant('vote.decided' as const),
    stepId,
    winner: fc.constantFrom(null, 1, 2),
  }),
);

const aboutPlans: fc.Arbitrary<FactParts> = fc.oneof(
  adoption,
  fc
    .record({
      parentStepId: nullableStepId,
      revision,
      origin: fc.constantFrom('planner' as const, 'handOff' as const),
    })
    .map((rest) => proposed(['s1'], rest)),
  fc.record({
    type: fc.constant('plan.rejected' as const),
    parentStepId: nullableStepId,
    revision,
    by: fc.constantFrom('planner' as const, 'human' as const),
  }),
  fc.record({ type: fc.constant('replan.started' as const), parentStepId: nullableStepId }),
  fc.record({ type: fc.constant('request.refused' as const), parentStepId: nullableStepId }),
  fc.record({ type: fc.constant('replan.requested' as const), stepId: nullableStepId, agent }),
  fc.record({
    type: fc.constant('replan.started' as const),
    stepIds: fc.array(stepId, { maxLength: 3 }),
  }),
);

const aboutPeople: fc.Arbitrary<FactParts> = fc.oneof(
  fc.record({
    type: fc.constant('approval.requested' as const),
    requestId,
    stepId: nullableStepId,
  }),
  fc.record({
    type: fc.constantFrom(
      'approval.granted' as const,
      'approval.rejected' as const,
      'approval.expired' as const,
    ),
    requestId,
  }),
  fc.record({
    type: fc.constant('phase.entered' as const),
    parentStepId: nullableStepId,
    phase: fc.constantFrom('executing' as const, 'windingDown' as const),
  }),
);

const aboutCalls: fc.Arbitrary<FactParts> = fc.oneof(
  fc.record({
    type: fc.constantFrom('agent.called' as const, 'agent.failed' as const),
    key,
    agent,
  }),
  fc.record({
    type: fc.constant('agent.answered' as const),
    key,
    agent,
    output: fc.constantFrom(null, 'text', 1, [1, 2], { deep: { er: true } }),
    usage: fc.constantFrom(null, {}, { inputTokens: 2, outputTokens: 3, costUsd: 0.1 }),
  }),
);

const anythingElse = fc.constantFrom(...everyFact.filter(({ type }) => type !== 'run.ended'));

const beforeTheEnd = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: aboutSteps },
    { weight: 2, arbitrary: aboutPlans },
    { weight: 2, arbitrary: aboutPeople },
    aboutCalls,
    aboutVotes,
    anythingElse,
  ),
  { maxLength: 60 },
);

/** Any facts of a run in progress. */
export const anyOpenFacts: fc.Arbitrary<Fact[]> = beforeTheEnd.map((parts) => factsOf(...parts));

/** Any facts of a run that ended, with more facts after the end. */
export const anyEndedFacts: fc.Arbitrary<Fact[]> = fc
  .tuple(
    beforeTheEnd,
    fc.record({
      type: fc.constant('run.ended' as const),
      summaryKey: fc.option(key, { nil: null }),
      status: fc.constantFrom('completed' as const, 'failed' as const, 'aborted' as const),
    }),
    beforeTheEnd,
  )
  .map(([before, end, after]) => factsOf(...before, end, ...after));

/** Any facts at all. */
export const anyFacts: fc.Arbitrary<Fact[]> = fc.oneof(anyOpenFacts, anyEndedFacts);
