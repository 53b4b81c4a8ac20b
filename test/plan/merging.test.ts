import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { defineAgent, definePolicy, done, needsContext, requestReplan } from '../../src/index.js';
import type { Fact, Plan, PolicyOverrides } from '../../src/index.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { checkInvariants, virtualClock } from '../../src/testing.js';

/* Plans merged with plans, on the real orchestrator: any plans, any answers, any number of replans. */

const NAMES = ['a', 'b', 'c', 'a_rp1'] as const;
const MERGES = ['replacePending', 'append', 'appendNext', 'replaceAll'] as const;
const REPLANS = 4;

interface Round {
  readonly steps: readonly { readonly id: string; readonly dependsOn: readonly string[] }[];
  /** What the steps of the round do, in turn. */
  readonly acts: readonly ('done' | 'ask' | 'replan' | 'fail')[];
}

const anyRound: fc.Arbitrary<Round> = fc
  .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 })
  .chain((ids) =>
    fc.record({
      steps: fc.tuple(
        ...ids.map((id, index) =>
          fc.record({ id: fc.constant(id), dependsOn: fc.subarray(ids.slice(0, index)) }),
        ),
      ),
      acts: fc.array(fc.constantFrom('done', 'ask', 'replan', 'fail'), {
        minLength: ids.length,
        maxLength: ids.length,
      }),
    }),
  );

interface Played {
  readonly facts: readonly Fact[];
  readonly outputs: ReadonlyMap<string, unknown>;
  /** The output of every agent by the key of its call, and how often it was called under that key. */
  readonly given: ReadonlyMap<string, string>;
  readonly callsOf: ReadonlyMap<string, number>;
  readonly violations: readonly unknown[];
}

const playRounds = async (
  rounds: readonly Round[],
  merge: (typeof MERGES)[number],
): Promise<Played> => {
  const clock = virtualClock();
  const given = new Map<string, string>();
  const callsOf = new Map<string, number>();
  const worker = defineAgent({
    name: 'worker',
    description: 'Does what the round says',
    run: async ({ task, step, key }) => {
      callsOf.set(step.id, (callsOf.get(step.id) ?? 0) + 1);
      await clock.sleep(task.length);
      const act = task.split(' ')[1];
      if (act === 'fail') throw new Error('Told to');
      const output = { of: step.id, key, text: '\u00e9\u{1f600}'.repeat(3) };
      given.set(key, JSON.stringify(output));
      if (act === 'ask') return needsContext('More', output);
      return act === 'replan' ? requestReplan({ reason: 'Anew' }, output) : done(output);
    },
  });
  const planner = ({ revision }: { readonly revision: number }): Plan => {
    const { steps, acts } = rounds[revision % rounds.length] ?? { steps: [], acts: [] };
    return {
      steps: steps.map((step, index) => ({
        ...step,
        agent: 'worker',
        task: `${revision} ${acts[index] ?? 'done'}`,
      })),
    };
  };
  const overrides: PolicyOverrides = {
    limits: { maxReplans: REPLANS, maxAttempts: 1, maxDepth: 0, maxFailures: 100 },
    replan: { merge, stopOnRepeatedPlan: false },
    retry: { attempts: 1 },
  };
  const policy = definePolicy(overrides);
  const orchestrator = composeOrchestrator({ agents: [worker], planner, policy, clock }, undefined);
  const run = orchestrator.start({ goal: 'Merge', runId: 'run' });
  await clock.runUntil(run.done);
  const report = await run.done;
  const journal = run.journal();
  return {
    facts: journal.flatMap((entry) => entry.facts),
    outputs: new Map(
      report.steps.flatMap((step) => (step.status === 'completed' ? [[step.id, step.output]] : [])),
    ),
    given,
    callsOf,
    violations: checkInvariants(journal, { policy, bounds: orchestrator.bounds() }),
  };
};

const anyHistory = fc.tuple(
  fc.array(anyRound, { minLength: 1, maxLength: REPLANS + 1 }),
  fc.constantFrom(...MERGES),
);

describe('after any sequence of replans', () => {
  it('ids are unique, dependencies can be resolved, and completed work is called once and kept byte for byte', async () => {
    let replans = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async ([rounds, merge]) => {
        const { facts, outputs, given, callsOf, violations } = await playRounds(rounds, merge);
        expect(violations).toEqual([]);
        const known = new Set<string>();
        for (const fact of facts) {
          if (fact.type === 'replan.started') replans += 1;
          if (fact.type !== 'plan.adopted') continue;
          for (const { id } of fact.steps) {
            expect(known.has(id), `${id} is new`).toBe(false);
            known.add(id);
          }
          for (const { dependsOn } of fact.steps) {
            for (const dependency of dependsOn) expect(known).toContain(dependency);
          }
        }
        for (const fact of facts) {
          if (fact.type !== 'step.completed') continue;
          const [key = ''] = fact.outputKeys;
          expect(callsOf.get(fact.stepId)).toBe(1);
          expect(JSON.stringify(outputs.get(fact.stepId))).toBe(given.get(key));
        }
      }),
      { numRuns: 120, seed: 20_261_116 },
    );
    expect(replans).toBeGreaterThan(100);
  });
});
