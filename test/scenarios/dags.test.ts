import { describe, expect, it } from 'vitest';

import type { Fact } from '../../src/journal/facts.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/policy/types.js';
import { virtualClock } from '../../src/services/virtual-clock.js';
import { checkInvariants } from './checker.js';
import { agentNamed, steps } from './team.js';

/*
 * Seed 003 waits for ever behind a failed dependency. Here every plan there can be, up to four steps, meets every
 * failure there can be.
 */

/** For each step the numbers of those before it that it depends on. */
type Dag = readonly (readonly number[])[];

const subsetsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>(
    (subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])],
    [[]],
  );

const dagsOf = (size: number): Dag[] =>
  Array.from({ length: size }, (_, index) => index).reduce<Dag[]>(
    (dags, index) =>
      dags.flatMap((dag) =>
        subsetsOf(Array.from({ length: index }, (_, earlier) => earlier)).map((dependsOn) => [
          ...dag,
          dependsOn,
        ]),
      ),
    [[]],
  );

const allDags = [0, 1, 2, 3, 4].flatMap(dagsOf);
const worlds = allDags.flatMap((dag) =>
  subsetsOf(dag.map((_, index) => index)).map((failing) => ({ dag, failing })),
);

const planOf = (dag: Dag): ReturnType<typeof steps> =>
  steps(...dag.map((dependsOn, index) => `s${index}<${dependsOn.map((on) => `s${on}`).join()}`));

type Outcome = 'completed' | 'failed' | 'skipped';

/** What must become of every step, told without looking at how it is done. */
const expectedOutcomes = (
  dag: Dag,
  failing: readonly number[],
  onDependencyFailure: 'skip' | 'run',
): Outcome[] =>
  dag.reduce<Outcome[]>((outcomes, dependsOn, index) => {
    const isBehindFailure = dependsOn.some((dependency) => outcomes[dependency] !== 'completed');
    if (isBehindFailure && onDependencyFailure === 'skip') return [...outcomes, 'skipped'];
    return [...outcomes, failing.includes(index) ? 'failed' : 'completed'];
  }, []);

interface World {
  readonly dag: Dag;
  readonly failing: readonly number[];
}

interface Ran extends World {
  readonly report: RunReport;
  readonly facts: readonly Fact[];
}

/** Runs every world under one policy. Everything is instant, so no clock has to move. */
const runAll = async (
  overrides: PolicyOverrides,
  replan: (dag: Dag) => ReturnType<typeof steps>,
  check: (ran: Ran) => void,
): Promise<number> => {
  const clock = virtualClock();
  let world: World = { dag: [], failing: [] };
  const worker = agentNamed('worker', ({ step }) => {
    if (world.failing.some((index) => step.id.startsWith(`s${index}`))) throw new Error('Broken');
    return step.id;
  });
  const orchestrator = composeOrchestrator(
    {
      agents: [worker],
      planner: ({ requests }) => ({
        steps: requests.length === 0 ? planOf(world.dag) : replan(world.dag),
      }),
      policy: definePolicy({
        ...overrides,
        limits: { maxFailures: 4, maxParallel: 2, ...overrides.limits },
        retry: { attempts: 1 },
      }),
      clock,
    },
    undefined,
  );
  for (const next of worlds) {
    world = next;
    const facts: Fact[] = [];
    const run = orchestrator.start({ goal: 'A goal', runId: 'run' });
    run.subscribe((fact) => facts.push(fact));
    const report = await run.done;
    expect(checkInvariants(facts, orchestrator.policy, orchestrator.bounds())).toEqual([]);
    expect(clock.pending()).toBe(0);
    check({ ...world, report, facts });
  }
  return worlds.length;
};

const outcomesOf = ({ report }: Ran): (string | undefined)[] =>
  report.steps.map(({ status }) => status);

const TIMEOUT_MS = 60_000;

describe(
  `all ${allDags.length} plans of up to 4 steps, with every subset of failing steps`,
  { timeout: TIMEOUT_MS },
  () => {
    for (const onDependencyFailure of ['skip', 'run'] as const) {
      it(`end as the policy says in all ${worlds.length} worlds: continue, ${onDependencyFailure}`, async () => {
        const failure = { onStepFailure: 'continue', onDependencyFailure } as const;
        const count = await runAll({ failure }, planOf, (ran) => {
          const expected = expectedOutcomes(ran.dag, ran.failing, onDependencyFailure);
          expect(outcomesOf(ran)).toEqual(expected);
          const isCompleted = expected.every((outcome) => outcome === 'completed');
          expect(ran.report.status).toBe(isCompleted ? 'completed' : 'failed');
        });
        expect(count).toBe(1 + 2 + 8 + 64 + 1024);
      });
    }

    it(`end as the policy says in all ${worlds.length} worlds: replan, by a planner that repeats itself`, async () => {
      const failure = { onStepFailure: 'replan', onDependencyFailure: 'skip' } as const;
      const count = await runAll({ failure }, planOf, (ran) => {
        const expected = expectedOutcomes(ran.dag, ran.failing, 'skip');
        expect(outcomesOf(ran)).toEqual(expected);
        const failed = expected.filter((outcome) => outcome === 'failed').length;
        expect(ran.report.status).toBe(failed === 0 ? 'completed' : 'failed');
        expect(ran.report.replans).toBeLessThanOrEqual(Math.min(3, failed));
        expect(ran.report.plans.filter(({ status }) => status === 'adopted')).toHaveLength(1);
      });
      expect(count).toBe(1099);
    });

    it(`end as the policy says in all ${worlds.length} worlds: replan, by a planner that gives up`, async () => {
      const failure = { onStepFailure: 'replan', onDependencyFailure: 'skip' } as const;
      const nothing = (): ReturnType<typeof steps> => [];
      const count = await runAll({ failure }, nothing, (ran) => {
        // What waits when the planner gives up is replaced by nothing; what ran is as it would have been.
        const expected = expectedOutcomes(ran.dag, ran.failing, 'skip');
        for (const [index, step] of ran.report.steps.entries()) {
          if (step.reason === 'replaced') expect(step.status).toBe('skipped');
          else expect(step.status).toBe(expected[index]);
        }
        expect(ran.report.status).toBe('completed');
      });
      expect(count).toBe(1099);
    });

    it(`end as the policy says in all ${worlds.length} worlds: stop`, async () => {
      const failure = { onStepFailure: 'stop' } as const;
      const limits = { maxParallel: 1 };
      const count = await runAll({ failure, limits }, planOf, (ran) => {
        const { failedSteps, status, reason } = ran.report;
        const isFailing = ran.failing.length > 0;
        expect(failedSteps).toHaveLength(isFailing ? 1 : 0);
        expect(status).toBe(isFailing ? 'failed' : 'completed');
        if (isFailing) expect(reason).toBe('step-failed');
      });
      expect(count).toBe(1099);
    });
  },
);
