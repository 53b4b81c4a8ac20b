import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Planner } from '../../src/agents/roles.js';
import { needsContext } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { ReplanPolicy } from '../../src/model/policy.js';
import { expectNoLeaks, watchedClock } from '../faults/no-leaks.js';
import { workerBy } from '../scenarios/by-step.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { play, scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';

expectNoLeaks();

const MERGES: readonly ReplanPolicy['merge'][] = [
  'replacePending',
  'append',
  'appendNext',
  'replaceAll',
];

/** A plan of two steps in every round; the second needs more context until the last round. */
const rounds = (replans: number, merge: ReplanPolicy['merge']): ScenarioSetup => ({
  options: {
    agents: [
      agentNamed('worker', ({ step }) => `did ${step.id}`),
      agentNamed('asker', ({ step }) =>
        step.id.endsWith(`_rp${replans}`) ? 'content' : needsContext(`More than ${step.id}`),
      ),
    ],
    // Each plan differs from the one before; otherwise it would be refused as a repetition.
    planner: ({ revision }) => ({
      analysis: '',
      steps: steps('a', `asker:b<a`).map((step) => ({
        ...step,
        task: `${step.task}, ${revision}`,
      })),
    }),
    policy: definePolicy({ limits: { maxReplans: replans }, replan: { merge } }),
  },
});

/** How often each step was worked on. */
const callsPerStep = (facts: readonly Fact[]): Map<string | null, number> => {
  const calls = new Map<string | null, number>();
  for (const fact of facts) {
    if (fact.type !== 'agent.called' || fact.role !== 'worker') continue;
    calls.set(fact.stepId, (calls.get(fact.stepId) ?? 0) + 1);
  }
  return calls;
};

describe('seed 001, as it was written', { timeout: 60_000 }, () => {
  it('a completed step is called exactly once across any number of replans', async () => {
    for (const merge of MERGES) {
      for (let replans = 1; replans <= 6; replans += 1) {
        const { facts, report } = await play('straight', () => rounds(replans, merge));
        const calls = callsPerStep(facts);
        expect(report.replans).toBe(replans);
        expect(report.successfulSteps).toHaveLength(2 * (replans + 1));
        for (const stepId of report.successfulSteps) expect(calls.get(stepId)).toBe(1);
        expect(calls.size).toBe(report.successfulSteps.length);
      }
    }
  });

  /** Names that the seed makes, and names that look like generated ones. */
  const names = ['step_1', 'step_2', 'step_1_rp', 'step_1_rp1', 'step_2_rp1'] as const;
  /** Steps that depend on earlier ones of their plan, and some on a name of an earlier plan, which may not exist. */
  const anyPlan = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }).chain((ids) =>
    fc.tuple(
      ...ids.map((id, index) =>
        fc.record({
          id: fc.constant(id),
          dependsOn: fc
            .tuple(
              fc.subarray(ids.slice(0, index)),
              fc.oneof(
                { weight: 6, arbitrary: fc.constant(null) },
                { weight: 1, arbitrary: fc.constantFrom(...names, 'step_1_rp2') },
              ),
            )
            .map(([own, other]) => (other === null || other === id ? own : [...own, other])),
        }),
      ),
    ),
  );

  /** Runs with a planner that proposes the plans in turn, and agents that always request another one. */
  const factsWith = async (
    plans: readonly (readonly { readonly id: string; readonly dependsOn: readonly string[] }[])[],
    merge: ReplanPolicy['merge'],
  ): Promise<readonly Fact[]> => {
    const clock = watchedClock();
    const planner: Planner = plannerInTurn(
      ...plans.map((plan, round) => ({
        steps: plan.map((step) => ({ ...step, agent: 'worker', task: `Round ${round}` })),
      })),
    );
    const orchestrator = composeOrchestrator(
      {
        agents: [agentNamed('worker', ({ step }) => needsContext(`More than ${step.id}`))],
        planner,
        policy: definePolicy({ limits: { maxReplans: plans.length }, replan: { merge } }),
        clock,
      },
      undefined,
    );
    const facts: Fact[] = [];
    const run = orchestrator.start({ goal: 'A goal', runId: 'run' });
    run.subscribe((fact) => facts.push(fact));
    await clock.runUntil(run.done);
    expect(
      checkInvariants(facts, { policy: orchestrator.policy, bounds: orchestrator.bounds() }),
    ).toEqual([]);
    return facts;
  };

  it('ids are unique and every dependency can be resolved after any number of merges', async () => {
    let adoptions = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPlan, { minLength: 2, maxLength: 8 }),
        fc.constantFrom(...MERGES),
        async (plans, merge) => {
          const known = new Set<string>();
          for (const fact of await factsWith(plans, merge)) {
            if (fact.type !== 'plan.adopted') continue;
            adoptions += 1;
            for (const { id } of fact.steps) {
              expect(known.has(id)).toBe(false);
              known.add(id);
            }
            for (const { dependsOn } of fact.steps) {
              for (const dependency of dependsOn) expect(known.has(dependency)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 100, seed: 5 },
    );
    expect(adoptions).toBeGreaterThan(300);
  });

  scenario(
    'a new step that depends on a new step waits for that one, not for an old one of the same name',
    () => ({
      options: {
        agents: [
          workerBy({ step_1: needsContext('More'), step_1_rp1: needsContext('Still more') }),
        ],
        planner: plannerInTurn(
          ['step_1', 'step_2<step_1'],
          ['step_1', 'step_2<step_1'],
          ['step_1', 'step_2<step_1', 'step_3<step_1_rp1'],
        ),
        policy: presets.boundedReplan({ replan: { stopOnRepeatedPlan: false } }),
      },
    }),
    ({ report, factsOf }) => {
      const adopted = factsOf('plan.adopted').map((fact) =>
        fact.steps.map(({ id, dependsOn }) => [id, ...dependsOn]),
      );
      expect(adopted).toEqual([
        [['step_1'], ['step_2', 'step_1']],
        [['step_1_rp1'], ['step_2_rp1', 'step_1_rp1']],
        [['step_1_rp2'], ['step_2_rp2', 'step_1_rp2'], ['step_3_rp2', 'step_1_rp1']],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'pending steps that a new plan replaces are reported as skipped, by name and reason',
    () => ({
      options: {
        agents: [workerBy({ a: needsContext('More') })],
        planner: plannerInTurn(['a', 'b<a', 'c<b'], ['x']),
        policy: presets.boundedReplan(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.adopted')[1]?.replaced).toEqual(['b', 'c']);
      expect(factsOf('step.skipped').map(({ stepId, reason }) => [stepId, reason])).toEqual([
        ['b', 'replaced'],
        ['c', 'replaced'],
      ]);
      expect(report.skippedSteps).toEqual(['b', 'c']);
      expect(report.originalPlan?.steps.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'requests of several workers at one level all reach the planner, in one call',
    () => ({
      options: {
        agents: [
          workerBy({
            a: needsContext('The schema of the database'),
            b: needsContext('The version of the API'),
            c: needsContext('The name of the owner'),
          }),
        ],
        planner: plannerInTurn(['a', 'b', 'c'], ['d']),
        policy: presets.boundedReplan(),
      },
    }),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual([
        'needsContext of a: The schema of the database',
        'needsContext of b: The version of the API',
        'needsContext of c: The name of the owner',
      ]);
      expect(report.replans).toBe(1);
    },
  );
});
