import { describe, expect, it } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { askHuman } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import type { RunReport } from '../../src/journal/report.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Plan } from '../../src/model/plan.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { CommandResult, Run } from '../../src/run/run.types.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { factsOf, storeWith } from '../run/runs.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { feedbackTexts } from '../scenarios/scripted.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/*
 * On a store in memory: the process is gone and another orchestrator resumes the run from the store. Real processes
 * and durable stores are in test/crash.
 */

interface Conversation {
  readonly plan: Plan;
  readonly work: (call: AgentCall) => unknown;
  readonly needsApproval: boolean;
  /** The answers of people, one after the other, ten milliseconds apart. */
  readonly answers: readonly ((run: Run) => Promise<CommandResult>)[];
}

interface Process {
  readonly run: Run;
  readonly clock: VirtualClock;
  readonly store: RunStore;
}

interface Told {
  readonly report: RunReport;
  readonly facts: readonly Fact[];
  /** The keys that agents were called with, in every process. */
  readonly calls: readonly string[];
}

const orchestratorFor = (
  { work, needsApproval }: Conversation,
  { clock, store }: Omit<Process, 'run'>,
  calls: string[],
): Orchestrator =>
  composeOrchestrator(
    {
      agents: [
        agentNamed('worker', (call) => {
          calls.push(call.key);
          return work(call);
        }),
      ],
      clock,
      store,
      policy: definePolicy({
        approval: { agents: needsApproval ? ['worker'] : [], timeoutMs: 60_000 },
      }),
    },
    undefined,
  );

/** The whole conversation; optionally with a crash before the first answer and after every one. */
const held = async (conversation: Conversation, hasCrashes: boolean): Promise<Told> => {
  const calls: string[] = [];
  const first = { clock: watchedClock(), store: memoryStore() };
  const orchestrator = orchestratorFor(conversation, first, calls);
  const { plan } = conversation;
  let now: Process = {
    ...first,
    run: orchestrator.start({ goal: 'The goal', runId: 'run', plan }),
  };
  await now.clock.settle();
  for (const answer of conversation.answers) {
    if (hasCrashes) now = await afterCrash(conversation, now, calls);
    now.clock.advance(10);
    expect(await answer(now.run)).toEqual({ accepted: true });
    await now.clock.settle();
  }
  if (hasCrashes) now = await afterCrash(conversation, now, calls);
  const report = await now.run.done;
  const facts = factsOf(now.run);
  const { policy } = orchestrator;
  expect(checkInvariants(facts, { policy, bounds: orchestrator.bounds() })).toEqual([]);
  return { report, facts, calls };
};

const afterCrash = async (
  conversation: Conversation,
  { run, clock, store }: Process,
  calls: string[],
): Promise<Process> => {
  const next = {
    clock: watchedClock({ startMs: clock.now() }),
    store: await storeWith(store, 'run', run.journal().length),
  };
  // The old process is gone: its timers are removed, and it is no longer the owner in the store.
  await run.abort();
  return { ...next, run: await orchestratorFor(conversation, next, calls).resume('run') };
};

const expectSameWithCrashes = async (conversation: Conversation): Promise<Told> => {
  const straight = await held(conversation, false);
  const crashed = await held(conversation, true);
  expect(crashed.facts).toEqual(straight.facts);
  expect(crashed.report).toEqual(straight.report);
  expect(crashed.calls).toEqual(straight.calls);
  expect(new Set(straight.calls).size).toBe(straight.calls.length);
  return straight;
};

describe('answers with a crash between them', () => {
  it('three waiting steps are answered one by one, as without a crash', async () => {
    const { report } = await expectSameWithCrashes({
      plan: { steps: steps('a', 'b', 'c') },
      work: (call) => `did ${call.step.id}`,
      needsApproval: true,
      answers: [
        (run) => run.approve('b:1.1', 'second'),
        (run) => run.reject('c:1.1', 'third'),
        (run) => run.approve('a:1.1', 'first'),
      ],
    });
    expect(
      report.approvals.map(({ stepId, outcome, payload }) => [stepId, outcome, payload]),
    ).toEqual([
      ['a', 'granted', 'Do the work of step a'],
      ['b', 'granted', 'Do the work of step b'],
      ['c', 'rejected', 'Do the work of step c'],
    ]);
    expect(report.successfulSteps).toEqual(['a', 'b']);
  });

  it('one step asks twice: each answer reaches its own question, as without a crash', async () => {
    const questions = ['Which database?', 'Which version?'];
    const { report, calls } = await expectSameWithCrashes({
      plan: { steps: steps('a') },
      work: (call) => {
        const question = questions[call.feedback.length];
        return question === undefined ? feedbackTexts(call) : askHuman({ question });
      },
      needsApproval: false,
      answers: [(run) => run.approve('a:1.1', 'PostgreSQL'), (run) => run.approve('a:1.2', '18')],
    });
    expect(calls).toEqual(['run/a/1/worker', 'run/a/1/worker.q1', 'run/a/1/worker.q2']);
    expect(report.steps[0]?.output).toEqual(['human: PostgreSQL', 'human: 18']);
  });

  it('two steps of one agent wait: answers in reverse order reach them, as without a crash', async () => {
    const { report } = await expectSameWithCrashes({
      plan: { steps: steps('a', 'b') },
      work: (call) =>
        call.feedback.length === 0
          ? askHuman({ question: `What about ${call.step.id}?` })
          : feedbackTexts(call),
      needsApproval: false,
      answers: [(run) => run.approve('b:1.1', 'for b'), (run) => run.approve('a:1.1', 'for a')],
    });
    expect(report.steps.map(({ output }) => output)).toEqual([['human: for a'], ['human: for b']]);
  });
});

describe('a rejection', () => {
  it('survives a restart at every later moment: the step never runs, the reason is kept', async () => {
    const clock = watchedClock();
    const store = memoryStore();
    const team = (own: VirtualClock) => {
      const architect = agentNamed('architect', () => 'never');
      const policy = definePolicy({ approval: { agents: ['architect'], onReject: 'skip' } });
      return { architect, agents: [architect, slowAgent('worker', own, 100)], policy };
    };
    const { agents, policy } = team(clock);
    const run = composeOrchestrator({ agents, policy, clock, store }, undefined).start({
      goal: 'The goal',
      runId: 'run',
      plan: { steps: steps('architect:a', 'b', 'c<b') },
    });
    await clock.settle();
    expect(await run.reject('a:1.1', 'Too risky')).toEqual({ accepted: true });
    const rejectedAt = run.journal().length;
    await clock.runUntil(run.done);

    const journal = run.journal();
    expect(journal.length).toBeGreaterThan(rejectedAt);
    for (let entryCount = rejectedAt; entryCount <= journal.length; entryCount += 1) {
      const own = watchedClock({ startMs: journal[entryCount - 1]?.at ?? 0 });
      const { architect, ...options } = team(own);
      const copy = await storeWith(store, 'run', entryCount);
      const again = await composeOrchestrator(
        { ...options, clock: own, store: copy },
        undefined,
      ).resume('run');
      if (entryCount < journal.length) {
        expect(await again.approve('a:1.1')).toEqual({
          accepted: false,
          reason: 'already-decided',
        });
      }
      await own.runUntil(again.done);
      const report = await again.done;
      expect(architect.calls).toEqual([]);
      expect(report.approvals).toMatchObject([{ outcome: 'rejected', reason: 'Too risky' }]);
      expect(report.skippedSteps).toEqual(['a']);
      expect(report.successfulSteps).toEqual(['b', 'c']);
    }
  });
});
