import { describe, expect, it } from 'vitest';

import type { Fact, FactType } from '../../src/model/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Run } from '../../src/run/run.types.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { factsOf, storeWith } from '../run/runs.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import type { Recorded, ReferenceRun } from './reference-runs.js';
import { recorded, REFERENCE_RUNS, traveller, withoutIdsAndTimes } from './reference-runs.js';

expectNothingUnhandled();

const reportOf = async (run: Run, clock: VirtualClock) => {
  await clock.runUntil(run.done);
  return run.done;
};

const sequenceOf = (
  { journal }: Pick<Recorded, 'journal'>,
  type: FactType,
  fits: (fact: Fact) => boolean = () => true,
): number => {
  const fact = journal
    .flatMap(({ facts }) => facts)
    .find((each) => each.type === type && fits(each));
  if (fact === undefined) throw new Error(`There is no fact ${type}`);
  return fact.sequence;
};

describe.each(REFERENCE_RUNS)('a fork of $name without a change', (reference) => {
  // Facts of one entry are shared together: one of each entry represents all of them.
  it('ends as its parent did, from every entry on, and makes no call', async () => {
    const { store, journal, report } = await recorded(reference);
    const { orchestrator, calls, clock } = traveller(reference, store);
    const before = JSON.stringify(await store.read('run'));
    const starts = journal.flatMap(({ facts }) => facts[0]?.sequence ?? []);
    for (const atSequence of [0, ...starts]) {
      const run = await orchestrator.fork('run', { atSequence, runId: `fork-${atSequence}` });
      const forked = await reportOf(run, clock);
      expect(withoutIdsAndTimes(forked), `at ${atSequence}`).toEqual(withoutIdsAndTimes(report));
      expect(forked.runId).toBe(`fork-${atSequence}`);
      expect(forked.durationMs).toBe(report.durationMs);
      const stored = await store.read(run.runId);
      expect(stored?.ended).toBe(true);
      expect(stored?.header.parent?.runId).toBe('run');
      expect(stored?.header.parent?.sequence).toBeGreaterThanOrEqual(atSequence);
    }
    expect(calls).toEqual([]);
    expect(JSON.stringify(await store.read('run')), 'the parent is as it was').toBe(before);
  }, 60_000);
});

/** Four steps, of which the last needs the first two. */
const diamond: ReferenceRun = {
  name: 'a small plan',
  team: (clock, calls) => ({
    clock,
    agents: [
      agentNamed('worker', async ({ key, step, dependencies, signal }) => {
        calls.push(key);
        await clock.sleep(10, signal);
        return `${step.id}(${dependencies.map(({ output }) => (typeof output === 'string' ? output : '')).join()})`;
      }),
    ],
    planner: () => ({ steps: steps('a', 'b', 'c<b', 'd<a,c') }),
    policy: definePolicy({ limits: { maxParallel: 2 } }),
  }),
};

const answerKey = (stepId: string): string => `run/${stepId}/1/worker`;

describe('a fork with another answer', () => {
  it('repeats only calls whose input has changed by it', async () => {
    const original = await recorded(diamond);
    expect(original.calls).toContain(answerKey('b'));
    const { orchestrator, calls, clock } = traveller(diamond, original.store);
    const run = await orchestrator.fork('run', {
      atSequence: sequenceOf(
        original,
        'agent.called',
        (fact) => 'key' in fact && fact.key === answerKey('b'),
      ),
      runId: 'what-if',
      changes: { answers: [{ key: answerKey('b'), returns: 'another b' }] },
    });
    const report = await reportOf(run, clock);
    expect(report.status).toBe('completed');
    expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
      ['a', 'a()'],
      ['b', 'another b'],
      ['c', 'c(another b)'],
      ['d', 'd(a(),c(another b))'],
    ]);
    expect(calls).toEqual(['what-if/c/1/worker', 'what-if/d/1/worker']);
  });

  it('makes no call when the other answer equals the recorded one', async () => {
    const original = await recorded(diamond);
    const { orchestrator, calls, clock } = traveller(diamond, original.store);
    const run = await orchestrator.fork('run', {
      atSequence: 0,
      changes: { answers: [{ key: answerKey('b'), returns: 'b()' }] },
    });
    expect(withoutIdsAndTimes(await reportOf(run, clock))).toEqual(
      withoutIdsAndTimes(original.report),
    );
    expect(calls).toEqual([]);
  });

  it('may fail where the parent did not: the policy decides what follows', async () => {
    const original = await recorded(diamond);
    const { orchestrator, calls, clock } = traveller(diamond, original.store);
    const { attempts } = orchestrator.policy.retry;
    const tries = Array.from({ length: attempts }, (_, index) =>
      index === 0 ? '' : `#${index + 1}`,
    );
    const run = await orchestrator.fork('run', {
      atSequence: 0,
      runId: 'what-if',
      changes: {
        answers: tries.map((suffix) => ({
          key: `${answerKey('b')}${suffix}`,
          throws: 'Not today',
        })),
      },
    });
    const report = await reportOf(run, clock);
    expect(report.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a completed',
      'b failed',
      'c skipped',
      'd skipped',
    ]);
    expect(calls, 'a was answered before').toEqual([]);
  });

  it('validates the other answer like a real one', async () => {
    const original = await recorded(diamond);
    const { orchestrator, clock } = traveller(diamond, original.store);
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const run = await orchestrator.fork('run', {
      atSequence: 0,
      changes: { answers: [{ key: answerKey('b'), returns: cyclic }] },
    });
    const report = await reportOf(run, clock);
    const failed = factsOf(run).find((fact) => fact.type === 'agent.failed');
    expect(failed).toMatchObject({ code: 'not-serializable', stepId: 'b' });
    // The second try is a call of its own, and was not changed.
    expect(report.status).toBe('completed');
  });

  it('works for supervisors, testers, planners and summarizers too', async () => {
    const reference = REFERENCE_RUNS[0]!;
    const original = await recorded(reference);
    const { orchestrator, clock } = traveller(reference, original.store);
    const call = original.journal
      .flatMap(({ facts }) => facts)
      .findLast((fact) => fact.type === 'agent.called' && fact.role === 'supervisor');
    if (call?.type !== 'agent.called') throw new Error('The goal was reviewed');
    const run = await orchestrator.fork('run', {
      atSequence: call.sequence,
      changes: { answers: [{ key: call.key, returns: { score: 3, feedback: 'Far from it' } }] },
    });
    reference.people?.(run, clock);
    const report = await reportOf(run, clock);
    expect(report.verdicts.find(({ score }) => score === 3)?.feedback).toBe('Far from it');
    expect(report.replans).toBe(original.report.replans + 1);
  });
});

describe('a fork with another answer of a person', () => {
  const reference = REFERENCE_RUNS.find(({ name }) => name.startsWith('people'))!;

  it('uses the new answer, and repeats every call after it', async () => {
    const original = await recorded(reference);
    const { orchestrator, clock, calls } = traveller(reference, original.store);
    const atSequence = sequenceOf(
      original,
      'approval.requested',
      (fact) => 'stepId' in fact && fact.stepId === 'd',
    );
    const run = await orchestrator.fork('run', {
      atSequence,
      runId: 'yes',
      changes: { commands: [{ type: 'approval.grant', requestId: 'd:1.1', answer: 'Do it' }] },
    });
    const report = await reportOf(run, clock);
    expect(report.steps.find(({ id }) => id === 'd')).toMatchObject({ status: 'completed' });
    expect(calls).toContain('yes/d/1/worker.q1');
    expect(original.report.skippedSteps).toContain('d');
  });

  it('refuses what the run would refuse, and starts nothing', async () => {
    const original = await recorded(reference);
    const { orchestrator } = traveller(reference, original.store);
    const fork = orchestrator.fork('run', {
      atSequence: 5,
      runId: 'no',
      changes: { commands: [{ type: 'run.unpause' }] },
    });
    await expect(fork).rejects.toMatchObject({
      code: 'invalid-time-travel',
      issues: [{ code: 'refused-command', path: 'changes.commands[0]' }],
    });
    expect(await original.store.read('no')).toBeUndefined();
  });
});

describe('a fork under another policy', () => {
  it('continues under it from the first fact that it changes', async () => {
    const original = await recorded(diamond);
    const { orchestrator, clock, calls } = traveller(diamond, original.store);
    const run = await orchestrator.fork('run', {
      atSequence: 0,
      changes: { policy: definePolicy({ limits: { maxParallel: 1 } }) },
    });
    const report = await reportOf(run, clock);
    expect(report.status).toBe('completed');
    const running = new Set<string>();
    for (const fact of factsOf(run)) {
      if (fact.type === 'step.started') running.add(fact.stepId);
      expect(running.size).toBeLessThanOrEqual(1);
      if (fact.type === 'step.completed') running.delete(fact.stepId);
    }
    expect(calls, 'every answer is known').toEqual([]);
  });

  it('reviews plans under it that were made under the other', async () => {
    const original = await recorded(diamond);
    const { orchestrator, clock } = traveller(diamond, original.store);
    const policy = definePolicy({ limits: { maxParallel: 2, maxSteps: 3 } });
    const run = await orchestrator.fork('run', { atSequence: 0, changes: { policy } });
    await reportOf(run, clock);
    expect(factsOf(run).find((fact) => fact.type === 'plan.rejected')).toMatchObject({
      by: 'validation',
      issues: [{ code: 'plan-too-large' }],
    });
  });

  it('reports where the runs differ when that is before the fork', async () => {
    const original = await recorded(diamond);
    const { orchestrator } = traveller(diamond, original.store);
    const policy = definePolicy({ limits: { maxParallel: 1 } });
    const second = sequenceOf(
      original,
      'step.started',
      (fact) => 'stepId' in fact && fact.stepId === 'b',
    );
    await expect(
      orchestrator.fork('run', { atSequence: second + 3, changes: { policy } }),
    ).rejects.toMatchObject({
      issues: [
        {
          code: 'differs-before',
          path: 'atSequence',
          message: expect.stringMatching(/fork at \d+ or before/) as string,
        },
      ],
    });
  });
});

describe('a fork with another plan or goal', () => {
  it('begins with the given plan', async () => {
    const original = await recorded(diamond);
    const { orchestrator, clock, calls } = traveller(diamond, original.store);
    const run = await orchestrator.fork('run', {
      atSequence: 0,
      runId: 'planned',
      changes: { plan: { steps: steps('b', 'z<b') } },
    });
    const report = await reportOf(run, clock);
    expect(report.successfulSteps).toEqual(['b', 'z']);
    expect((await original.store.read('planned'))?.header.plan).toEqual({
      steps: steps('b', 'z<b'),
    });
    expect(calls).toContain('planned/z/1/worker');
  });

  it('replaces the planner’s answer where the planner is being called', async () => {
    const original = await recorded(diamond);
    const { orchestrator, clock } = traveller(diamond, original.store);
    const run = await orchestrator.fork('run', {
      atSequence: sequenceOf(original, 'agent.called'),
      changes: { plan: { steps: steps('q') } },
    });
    expect((await reportOf(run, clock)).successfulSteps).toEqual(['q']);
  });

  it('repeats every call for another goal', async () => {
    const original = await recorded(diamond);
    const { orchestrator, clock, calls } = traveller(diamond, original.store);
    const run = await orchestrator.fork('run', {
      atSequence: 0,
      changes: { goal: 'Another goal' },
    });
    const report = await reportOf(run, clock);
    expect(report.goal).toBe('Another goal');
    expect(calls).toHaveLength(original.calls.length);
  });
});

describe('a fork of a run that has not ended', () => {
  it('continues live where the journal of its parent ends', async () => {
    const original = await recorded(diamond);
    const half = await storeWith(original.store, 'run', 5);
    const { orchestrator, clock, calls } = traveller(diamond, half);
    const run = await orchestrator.fork('run', { atSequence: 1, runId: 'fork' });
    const report = await reportOf(run, clock);
    expect(report.status).toBe('completed');
    expect(calls.length).toBeGreaterThan(0);
    expect((await half.read('run'))?.ended, 'the parent is as it was').toBe(false);
  });

  it('keeps the remaining time of its timers', async () => {
    const slow: ReferenceRun = {
      name: 'a slow run',
      team: (clock) => ({
        clock,
        agents: [agentNamed('worker', async ({ signal }) => clock.sleep(100_000, signal))],
        policy: definePolicy({ time: { stepTimeoutMs: 1_000 }, retry: { attempts: 1 } }),
      }),
      start: { plan: { steps: steps('a') } },
    };
    const original = await recorded(slow);
    const called = sequenceOf(original, 'agent.called');
    const { orchestrator, clock } = traveller(slow, await storeWith(original.store, 'run', 1));
    const run = await orchestrator.fork('run', { atSequence: called });
    const before = clock.now();
    await reportOf(run, clock);
    expect(clock.now() - before).toBe(1_000);
  });
});

describe('an invalid fork', () => {
  const nothingNew = async (options: unknown) => {
    const original = await recorded(diamond);
    const { orchestrator, calls } = traveller(diamond, original.store);
    const error = await orchestrator
      .fork('run', options as never)
      .catch((thrown: unknown) => thrown);
    expect(await original.store.list()).toHaveLength(1);
    expect(calls).toEqual([]);
    return error;
  };

  it.each([
    ['no options', undefined, ['']],
    ['no sequence', {}, ['atSequence']],
    ['a sequence that is not a number', { atSequence: '3' }, ['atSequence']],
    ['a sequence before the first', { atSequence: -1 }, ['atSequence']],
    ['a sequence after the last', { atSequence: 1_000 }, ['atSequence']],
    ['an unknown option', { atSequence: 0, at: 3 }, ['']],
    ['an unknown change', { atSequence: 0, changes: { agent: 'x' } }, ['changes']],
    ['another goal too late', { atSequence: 4, changes: { goal: 'x' } }, ['changes.goal']],
    [
      'a plan without a planner',
      { atSequence: 20, changes: { plan: { steps: steps('a') } } },
      ['changes.plan'],
    ],
    [
      'an answer without a value',
      { atSequence: 0, changes: { answers: [{ key: 'x' }] } },
      ['changes.answers[0]'],
    ],
    ['a bad run id', { atSequence: 0, runId: '../x' }, ['runId']],
  ])('is refused with its issues: %s', async (_, options, paths) => {
    const error = await nothingNew(options);
    expect(error).toMatchObject({ name: 'TimeTravelError', code: 'invalid-time-travel' });
    expect((error as { issues: { path: string }[] }).issues.map(({ path }) => path)).toEqual(paths);
  });

  it('reports all its issues at once', async () => {
    const error = await nothingNew({
      atSequence: 999,
      runId: 'a b',
      changes: {
        goal: ' ',
        plan: { steps: steps('nobody:a', 'b<zzz') },
        policy: { limits: { maxReplans: -1 } },
        answers: [
          { key: 'other/a/1/worker', returns: 1 },
          { key: answerKey('a'), returns: 1 },
        ],
        commands: [{ type: 'run.explode' }],
      },
    });
    const { issues } = error as { issues: { code: string; path: string }[] };
    const paths = issues.map(({ path }) => path);
    for (const path of [
      'atSequence',
      'runId',
      'changes.goal',
      'changes.plan.steps[0].agent',
      'changes.policy.limits.maxReplans',
      'changes.answers[0]',
      'changes.answers[1]',
      'changes.commands[0]',
    ]) {
      expect(paths).toContain(path);
    }
  });

  it('is refused when the run id is taken', async () => {
    const error = await nothingNew({ atSequence: 0, runId: 'run' });
    expect(error).toMatchObject({ code: 'run-conflict' });
  });

  it('is refused when the charts or the policy are not those of the run', async () => {
    const original = await recorded(diamond);
    const policy = definePolicy({ limits: { maxParallel: 1 } });
    const { orchestrator } = traveller(diamond, original.store, { policy });
    await expect(orchestrator.fork('run', { atSequence: 0 })).rejects.toMatchObject({
      code: 'journal-mismatch',
    });
  });
});
