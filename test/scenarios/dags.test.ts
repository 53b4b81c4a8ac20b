import { describe, expect, it } from 'vitest';

import type { PlanRequest } from '../../src/agents/roles.js';
import type { Fact } from '../../src/model/facts.js';
import type { RunReport } from '../../src/journal/report.js';
import { defineAgent } from '../../src/agents/agent.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import type { Expected, Outcome } from './dag-outcomes.js';
import { expectedOf } from './dag-outcomes.js';
import type { World } from './dag-worlds.js';
import { asCalled, dagsOf, distinctIn, planOf, shapesIn, TEAM, worldsUpTo } from './dag-worlds.js';

/*
 * Seed 003 waits for ever behind a failed dependency. Here every possible plan of up to five steps meets every
 * possible subset of failures, under every preset. Two runs are equivalent when their plans are equal up to step
 * names and the same called steps fail. So one run per shape represents all of them.
 */

const allWorlds = worldsUpTo(5);
const calledWorlds = distinctIn(allWorlds.map(asCalled));
const shapes = shapesIn(calledWorlds);
const smallWorlds = worldsUpTo(4);
const calledSmallWorlds = distinctIn(smallWorlds.map(asCalled));
const fiveStepShapes = shapes.filter(({ dag }) => dag.length === 5);

interface Ran {
  readonly world: World;
  readonly report: RunReport;
  readonly facts: readonly Fact[];
}

type Replan = (world: World, request: PlanRequest) => ReturnType<typeof planOf>;

const repeatingItself: Replan = ({ dag }) => planOf(dag);
const givingUp: Replan = () => [];

/** Plans the work that is not done again, under another name and in other words. */
const tryingAgain: Replan = ({ dag }, { completed, revision }) => {
  const done = new Set(completed.map(({ stepId }) => stepId.split('_')[0]));
  return planOf(dag)
    .filter(({ id }) => !done.has(id))
    .map((step) => ({
      ...step,
      task: `${step.task}, time ${revision}`,
      // Completed work keeps the name it was done under.
      dependsOn: step.dependsOn.map(
        (id) => completed.find(({ stepId }) => stepId.split('_')[0] === id)?.stepId ?? id,
      ),
    }));
};

interface Play {
  readonly policy: Policy;
  readonly replan?: Replan;
  /** Whether a failing step also fails in a later plan. */
  readonly isHealing?: boolean;
}

/** One shared error: creating an error is slower than a step. */
const BROKEN = new Error('Broken');

/** Runs one world after the other with one orchestrator, checks every run, and counts them. */
const playAll = async (
  worlds: readonly World[],
  { policy, replan = repeatingItself, isHealing = false }: Play,
  check: (ran: Ran) => void,
): Promise<number> => {
  const clock = virtualClock();
  let world: World = { dag: [], failing: [] };
  const isBroken = (stepId: string): boolean =>
    world.failing.some(
      (index) => stepId === `s${index}` || (!isHealing && stepId.startsWith(`s${index}_`)),
    );
  const team = TEAM.map((name) =>
    // Not a test agent: that keeps every call, and with it every run.
    defineAgent({
      name,
      description: 'Returns its step',
      // A rejection, because a thrown exception arrives sooner than an answer.
      run: ({ step }) => (isBroken(step.id) ? Promise.reject(BROKEN) : Promise.resolve(step.id)),
    }),
  );
  const planner = (request: PlanRequest) => ({
    steps: request.requests.length === 0 ? planOf(world.dag) : replan(world, request),
  });
  const supervisor = () => ({ score: 100 });
  const orchestrator = composeOrchestrator(
    { agents: team, planner, supervisor, policy, clock },
    undefined,
  );
  const bounds = orchestrator.bounds();
  let count = 0;
  for (const next of worlds) {
    world = next;
    const facts: Fact[] = [];
    const run = orchestrator.start({ goal: 'A goal', runId: 'run' });
    run.subscribe((fact) => facts.push(fact));
    // Without retries everything is instant, and no clock has to move.
    if (policy.retry.attempts > 1) await clock.runUntil(run.done);
    const report = await run.done;
    // One comparison for all steps, here and below: an assertion takes as long as a step.
    expect({
      violations: checkInvariants(facts, { policy, bounds }),
      timers: clock.pending(),
      settled: settledIn(facts),
    }).toEqual({ violations: [], timers: 0, settled: adoptedIn(facts) });
    check({ world, report, facts });
    count += 1;
  }
  return count;
};

const SETTLED = new Set(['step.completed', 'step.failed', 'step.skipped', 'step.cancelled']);

/**
 * Checked here without the invariant checker, because these tests are about it: every adopted step is settled exactly
 * once.
 */
const settledIn = (facts: readonly Fact[]): string[] =>
  facts
    .flatMap((fact) =>
      SETTLED.has(fact.type) && 'stepId' in fact && fact.stepId !== null ? [fact.stepId] : [],
    )
    .sort();

const adoptedIn = (facts: readonly Fact[]): string[] =>
  facts
    .flatMap((fact) => (fact.type === 'plan.adopted' ? fact.steps.map(({ id }) => id) : []))
    .sort();

const outcomesOf = ({ report }: Ran): Outcome[] =>
  report.steps.map(({ status, reason }) =>
    reason === 'replaced' ? 'replaced' : (status as Outcome),
  );

const PRESET_NAMES = Object.keys(presets) as (keyof typeof presets)[];

/** Parallelism and tolerated failures are all that changes the outcome of a step under a preset. */
const rulesOf = ({ limits }: Policy, givesUp = false) => ({
  maxParallel: limits.maxParallel,
  maxFailures: limits.maxFailures ?? 2,
  onDependencyFailure: 'skip' as const,
  givesUp,
});

interface End {
  readonly status: string;
  /** The reasons of a run that failed. */
  readonly reason: string | null;
}

const endOf = ({ status, reason }: RunReport): End => ({
  status,
  // Whether a bound was reached as well is checked by the invariants.
  reason: status === 'failed' ? (reason.split(':')[0] ?? '') : null,
});

const expectedEnd = ({ failures }: Expected, name: string): End => {
  const isTooMany = name !== 'planAndExecute' && failures > 2;
  const isContent = name === 'supervised' && !isTooMany;
  if (failures === 0 || isContent) return { status: 'completed', reason: null };
  return { status: 'failed', reason: isTooMany ? 'too-many-failures' : 'steps-failed' };
};

const TIMEOUT_MS = 300_000;

describe(
  'every plan of up to five steps, with every subset of failing steps',
  { timeout: TIMEOUT_MS },
  () => {
    it('covers 33,867 worlds, which have 2,586 shapes', () => {
      expect([0, 1, 2, 3, 4, 5].map((size) => dagsOf(size).length)).toEqual([
        1, 1, 2, 8, 64, 1_024,
      ]);
      expect(allWorlds).toHaveLength(1 + 2 + 8 + 64 + 1_024 + 32_768);
      expect(calledWorlds).toHaveLength(1 + 2 + 7 + 44 + 508 + 10_976);
      expect(shapes).toHaveLength(1 + 2 + 6 + 26 + 185 + 2_366);
    });

    for (const name of PRESET_NAMES) {
      // For the seed that never ended, also plans of up to four steps in every order of their steps.
      const worlds = name === 'planAndExecute' ? [...calledSmallWorlds, ...fiveStepShapes] : shapes;
      it(`ends, with every step settled once as the policy says: ${name}`, async () => {
        const policy = presets[name]({ retry: { attempts: 1 } });
        const count = await playAll(worlds, { policy }, (ran) => {
          const expected = expectedOf(ran.world, rulesOf(policy));
          // A planner that repeats itself costs a replan for every failure, except for the one that ends the run.
          const replans = name === 'dynamic' ? Math.min(expected.failures, 2) : 0;
          const { outcomes } = expected;
          expect({
            outcomes: outcomesOf(ran),
            replans: ran.report.replans,
            ...endOf(ran.report),
          }).toEqual({ outcomes, replans, ...expectedEnd(expected, name) });
        });
        expect(count).toBe(name === 'planAndExecute' ? 562 + 2_366 : 2_586);
      });
    }

    it('ends when the planner proposes no steps after a failure, and waiting steps are replaced: dynamic', async () => {
      const policy = presets.dynamic({ retry: { attempts: 1 } });
      const count = await playAll(shapes, { policy, replan: givingUp }, (ran) => {
        const expected = expectedOf(ran.world, rulesOf(policy, true));
        expect(outcomesOf(ran)).toEqual(expected.outcomes);
        // Nothing answers the failure, so the run has failed.
        expect(ran.report.status).toBe(expected.failures === 0 ? 'completed' : 'failed');
        expect(ran.report.replans).toBe(Math.min(expected.failures, 1));
      });
      expect(count).toBe(2_586);
    });
  },
);

describe(
  'every plan of up to three steps, with every subset of failing steps',
  { timeout: TIMEOUT_MS },
  () => {
    const few = shapes.filter(({ dag }) => dag.length <= 3);

    it('ends the same under every unchanged preset, with its retries, backoff and breakers', async () => {
      let count = 0;
      for (const name of PRESET_NAMES) {
        const policy = presets[name]();
        count += await playAll(few, { policy }, (ran) => {
          const expected = expectedOf(ran.world, rulesOf(policy));
          expect(outcomesOf(ran)).toEqual(expected.outcomes);
          expect(endOf(ran.report)).toEqual(expectedEnd(expected, name));
        });
      }
      expect(count).toBe(6 * (1 + 2 + 6 + 26));
    });
  },
);

describe(
  'every plan of up to four steps, with every subset of failing steps',
  { timeout: TIMEOUT_MS },
  () => {
    const COUNT = 1 + 2 + 8 + 64 + 1_024;
    /** While nothing behind a failure is called, whether it would fail makes no difference. */
    const CALLED_COUNT = 1 + 2 + 7 + 44 + 508;

    const policyWith = (overrides: PolicyOverrides): Policy =>
      definePolicy({
        ...overrides,
        limits: { maxFailures: 4, maxParallel: 2, ...overrides.limits },
        retry: { attempts: 1 },
      });

    for (const onDependencyFailure of ['skip', 'run'] as const) {
      it(`ends as the policy says, two steps at a time: continue, ${onDependencyFailure}`, async () => {
        const policy = policyWith({ failure: { onStepFailure: 'continue', onDependencyFailure } });
        const rules = { ...rulesOf(policy), maxFailures: 4, onDependencyFailure };
        const worlds = onDependencyFailure === 'run' ? smallWorlds : calledSmallWorlds;
        const count = await playAll(worlds, { policy }, (ran) => {
          const { outcomes, failures } = expectedOf(ran.world, rules);
          expect(outcomesOf(ran)).toEqual(outcomes);
          expect(ran.report.status).toBe(failures === 0 ? 'completed' : 'failed');
        });
        expect(count).toBe(onDependencyFailure === 'run' ? COUNT : CALLED_COUNT);
      });
    }

    it('ends as the policy says: stop at the first failure', async () => {
      const policy = policyWith({ failure: { onStepFailure: 'stop' }, limits: { maxParallel: 1 } });
      const rules = { ...rulesOf(policy), maxFailures: 0 };
      const count = await playAll(calledSmallWorlds, { policy }, (ran) => {
        const { outcomes, failures } = expectedOf(ran.world, rules);
        expect(outcomesOf(ran)).toEqual(outcomes);
        expect(ran.report.status).toBe(failures === 0 ? 'completed' : 'failed');
        if (failures > 0) expect(ran.report.reason).toBe('step-failed');
      });
      expect(count).toBe(CALLED_COUNT);
    });

    it('ends as the policy says: stop at the first failure that something depends on', async () => {
      const policy = policyWith({
        failure: { onStepFailure: 'continue', onDependencyFailure: 'stop' },
        limits: { maxParallel: 1 },
      });
      const rules = { ...rulesOf(policy), maxFailures: 4, onDependencyFailure: 'stop' as const };
      const count = await playAll(calledSmallWorlds, { policy }, (ran) => {
        const { outcomes, failures } = expectedOf(ran.world, rules);
        expect(outcomesOf(ran)).toEqual(outcomes);
        const isStopped = outcomes.includes('skipped');
        expect(ran.report.status).toBe(failures === 0 ? 'completed' : 'failed');
        expect(ran.report.reason === 'step-failed').toBe(isStopped);
      });
      expect(count).toBe(CALLED_COUNT);
    });

    it('ends at the replan bound when the planner repeats work that always fails', async () => {
      const policy = policyWith({ limits: { maxFailures: 50 } });
      const count = await playAll(calledSmallWorlds, { policy, replan: tryingAgain }, (ran) => {
        const isFailing = asCalled(ran.world).failing.length > 0;
        expect(ran.report.status).toBe(isFailing ? 'failed' : 'completed');
        expect(ran.report.replans).toBe(isFailing ? policy.limits.maxReplans : 0);
      });
      expect(count).toBe(CALLED_COUNT);
    });

    it('completes, with all work done once, when the planner repeats work that succeeds the second time', async () => {
      const policy = policyWith({});
      const count = await playAll(
        calledSmallWorlds,
        { policy, replan: tryingAgain, isHealing: true },
        (ran) => {
          expect(ran.report.status).toBe('completed');
          const done = ran.report.successfulSteps.map((stepId) => stepId.split('_')[0]);
          expect(done.sort()).toEqual(planOf(ran.world.dag).map(({ id }) => id));
        },
      );
      expect(count).toBe(CALLED_COUNT);
    });
  },
);
