import { describe, expect, it } from 'vitest';

import { askHuman, blocked, needsContext } from '../../src/agents/report.js';
import { TimeTravelError } from '../../src/errors.js';
import type { Fact } from '../../src/model/facts.js';
import type { PolicyOverrides } from '../../src/policy/policy.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Run } from '../../src/run/run.types.js';
import type { CauseKind } from '../../src/time-travel/explain.types.js';
import { storeWith } from '../run/runs.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import type { ReferenceRun } from './reference-runs.js';
import { recorded, traveller } from './reference-runs.js';

expectNothingUnhandled();

/** What the one agent does at a step: by default it takes 10 ms and says so. */
type Script = Readonly<
  Record<string, (call: { readonly key: string; readonly feedback: readonly unknown[] }) => unknown>
>;

interface Story {
  /** The question: why did this step ...? */
  readonly question: string;
  readonly stepId?: string;
  readonly plan?: readonly string[];
  readonly approve?: readonly string[];
  readonly votes?: Readonly<Record<string, number>>;
  readonly script?: Script;
  readonly policy?: PolicyOverrides;
  readonly team?: Partial<ReturnType<ReferenceRun['team']>>;
  readonly people?: ReferenceRun['people'];
  /** The fact after which the question is asked; the end when left out. */
  readonly when?: (fact: Fact) => boolean;
  readonly status: string;
  readonly kinds: readonly CauseKind[];
  readonly repeats?: readonly CauseKind[];
  readonly says: RegExp;
}

const fail = (): never => {
  throw new Error('Out of order');
};

const isFact =
  (type: Fact['type'], stepId?: string) =>
  (fact: Fact): boolean =>
    fact.type === type && (stepId === undefined || ('stepId' in fact && fact.stepId === stepId));

const onQuestion =
  (answer: (run: Run, requestId: string) => void): ReferenceRun['people'] =>
  (run, clock) => {
    run.subscribe((fact) => {
      if (fact.type !== 'approval.requested') return;
      clock.setTimeout(() => {
        answer(run, fact.requestId);
      }, 1);
    });
  };

const STORIES: readonly Story[] = [
  {
    question: 'was done',
    status: 'completed',
    kinds: ['completed'],
    says: /Step 'a' was completed at the first attempt \(fact \d+\)\./,
  },
  {
    question: 'failed: the agent threw at every try',
    script: { a: fail },
    status: 'failed',
    kinds: ['failed', 'call-failed'],
    repeats: ['call-failed', 'call-failed'],
    says: /failed at attempt 1: threw: Error: Out of order.*Try 3 was made/,
  },
  {
    question: 'failed: no answer in time',
    script: { a: () => new Promise(() => undefined) },
    policy: { time: { stepTimeoutMs: 100 }, retry: { attempts: 1 } },
    status: 'failed',
    kinds: ['failed', 'call-failed'],
    says: /timeout: No answer in time/,
  },
  {
    question: 'failed: the breaker of its agent was open',
    stepId: 'd',
    plan: ['a', 'b<a', 'c<b', 'd<c'],
    script: { a: fail, b: fail, c: fail, d: fail },
    policy: {
      breaker: { failures: 2, resetMs: 100_000 },
      retry: { attempts: 1 },
      failure: { onDependencyFailure: 'run' },
      limits: { maxFailures: 10 },
    },
    status: 'failed',
    kinds: ['failed', 'call-failed', 'breaker-open'],
    says: /breaker-open.*worker had failed too often and its breaker was open/,
  },
  {
    question: 'failed: the agent was blocked',
    script: { a: () => blocked('No key to the door') },
    policy: { limits: { maxDepth: 0, maxAttempts: 1 } },
    status: 'failed',
    kinds: ['failed', 'agent-blocked'],
    says: /blocked: No key to the door.*worker was blocked/,
  },
  {
    question: 'failed: the supervisor did not let it pass',
    team: { supervisor: () => ({ score: 10, feedback: 'Sloppy' }) },
    policy: {
      gates: { step: 70 },
      limits: { maxDepth: 0, maxAttempts: 2 },
    },
    status: 'failed',
    kinds: ['failed', 'verdict'],
    repeats: ['repeated'],
    says: /score of 10, which does not pass: Sloppy.*Attempt 2 of step 'a' followed/,
  },
  {
    question: 'failed: the tests failed after every fix',
    team: { tester: () => ({ passed: false, failures: ['one', 'two'] }) },
    policy: { limits: { maxFixCycles: 1 } },
    status: 'failed',
    kinds: ['failed', 'tests-failed'],
    repeats: ['fixed'],
    says: /2 failures.*Tests of step 'a' failed, and fix 1 was made/,
  },
  {
    question: 'failed: its votes have no majority',
    votes: { a: 3 },
    script: { a: ({ key }) => key },
    policy: { limits: { maxVotes: 3, maxDepth: 0, maxAttempts: 1 } },
    status: 'failed',
    kinds: ['failed', 'no-majority'],
    says: /gave no majority/,
  },
  {
    question: 'failed: a step of its sub-plan failed',
    script: { a: () => blocked('Too much'), 'a/x': fail },
    team: {
      planner: ({ depth }) => ({ steps: depth > 0 ? steps('x', 'y<x') : steps('a') }),
    },
    policy: { retry: { attempts: 1 }, limits: { maxAttempts: 1 } },
    plan: [],
    status: 'failed',
    kinds: ['failed', 'subplan-ended', 'failed', 'call-failed'],
    says: /sub-plan of step 'a' ended failed.*Step 'a\/x' failed/,
  },
  {
    question: 'failed: its time was used up',
    script: { a: () => new Promise(() => undefined) },
    policy: { time: { limitMs: 100_000, stepTimeoutMs: null } },
    status: 'failed',
    kinds: ['failed', 'waiting-for-answer'],
    says: /step-timeout: The step used up its time.*had not answered/,
  },
  {
    question: 'did not run: a step it depends on failed, two steps back',
    stepId: 'c',
    plan: ['a', 'b<a', 'c<b'],
    script: { a: fail },
    policy: { retry: { attempts: 1 } },
    status: 'skipped',
    kinds: ['skipped', 'dependency', 'skipped', 'dependency', 'failed', 'call-failed'],
    says: /depends on step 'b', which was skipped.*depends on step 'a', which failed.*Out of order/,
  },
  {
    question: 'did not run: a person rejected it',
    approve: ['a'],
    policy: { approval: { onReject: 'skip' } },
    people: onQuestion((run, id) => void run.reject(id, 'Too risky')),
    status: 'skipped',
    kinds: ['skipped', 'rejected-by-person'],
    says: /A person rejected step 'a': Too risky/,
  },
  {
    question: 'failed: a person rejected it',
    approve: ['a'],
    policy: { approval: { onReject: 'fail' } },
    people: onQuestion((run, id) => void run.reject(id, 'Too risky')),
    status: 'failed',
    kinds: ['failed', 'rejected-by-person'],
    says: /rejected: Too risky/,
  },
  {
    question: 'did not run: its approval timed out',
    approve: ['a'],
    policy: { approval: { onReject: 'skip', onTimeout: 'reject', timeoutMs: 50 } },
    status: 'skipped',
    kinds: ['skipped', 'approval-expired'],
    says: /The question of step 'a' was not answered in time, which counts as reject/,
  },
  {
    question: 'did not run: a person skipped it',
    stepId: 'b',
    plan: ['a', 'b<a'],
    people: (run, clock) => {
      clock.setTimeout(() => void run.skip(['b'], 'Known already'), 5);
    },
    status: 'skipped',
    kinds: ['skipped', 'skipped-by-command'],
    says: /skipped by a person \(fact \d+\)\. A person skipped steps: Known already/,
  },
  {
    question: 'did not run: a person skipped to a later step',
    stepId: 'b',
    plan: ['a', 'b<a', 'c'],
    policy: { limits: { maxParallel: 1 } },
    people: (run, clock) => {
      clock.setTimeout(() => void run.skipTo('c'), 5);
    },
    status: 'skipped',
    kinds: ['skipped', 'skipped-by-command'],
    says: /A person skipped to a later step/,
  },
  {
    question: 'did not run: another plan took its place',
    stepId: 'b',
    plan: [],
    script: { a: () => needsContext('More about a') },
    team: { planner: plannerInTurn(['a', 'b<a'], ['x']) },
    policy: { replan: { merge: 'replacePending' } },
    status: 'skipped',
    kinds: ['skipped', 'dropped-by-plan', 'replan-requested'],
    says: /Revision 1 of the plan dropped step 'b'.*requested by step 'a' \(worker\): More about a/,
  },
  {
    question: 'was not finished: it was given up for another plan',
    stepId: 'b',
    plan: [],
    script: { a: () => needsContext('All wrong'), b: () => new Promise(() => undefined) },
    team: { planner: plannerInTurn(['a', 'b', 'c<b'], ['x']) },
    policy: { replan: { merge: 'replaceAll' }, limits: { maxParallel: 2 } },
    status: 'cancelled',
    kinds: ['cancelled', 'replan-requested'],
    says: /given up for another plan.*All wrong/,
  },
  {
    question: 'did not run: it waited for a step that was given up',
    stepId: 'c',
    plan: [],
    script: { a: () => needsContext('All wrong'), b: () => new Promise(() => undefined) },
    team: { planner: plannerInTurn(['a', 'b', 'c<b'], ['x']) },
    policy: { replan: { merge: 'replaceAll' }, limits: { maxParallel: 2 } },
    status: 'skipped',
    kinds: ['skipped', 'replan-requested'],
    says: /waits for a step that was given up/,
  },
  {
    question: 'did not run: a person ended the run',
    stepId: 'b',
    plan: ['a', 'b<a'],
    people: (run, clock) => {
      clock.setTimeout(() => void run.abort('Enough'), 5);
    },
    status: 'cancelled',
    kinds: ['cancelled', 'run-ended'],
    says: /Step 'b' did not run.*The run ended aborted: Enough/,
  },
  {
    question: 'did not run: the time of the run was up',
    stepId: 'b',
    plan: ['a', 'b<a'],
    script: { a: () => new Promise(() => undefined) },
    policy: {
      time: { limitMs: 1_000, stepTimeoutMs: null, graceMs: 10 },
      retry: { attempts: 1 },
      limits: { maxAttempts: 1 },
    },
    when: isFact('run.ended'),
    status: 'skipped',
    kinds: ['skipped', 'dependency', 'failed', 'waiting-for-answer'],
    says: /step-timeout/,
  },
  {
    question: 'did not run: no time was left for steps',
    stepId: 'c',
    plan: ['a', 'b', 'c'],
    policy: { time: { limitMs: 20 }, limits: { maxParallel: 1 } },
    status: 'cancelled',
    kinds: ['cancelled', 'run-ended', 'time-expired'],
    says: /The run ended timeExpired/,
  },
  {
    question: 'did not run: the budget of calls was used up',
    stepId: 'c',
    plan: ['a', 'b', 'c'],
    policy: { limits: { maxParallel: 1, maxAgentCalls: 1 } },
    status: 'cancelled',
    kinds: ['cancelled', 'run-ended', 'budget-exhausted'],
    says: /spent its maxAgentCalls/,
  },
  {
    question: 'did not run: the supervisor ended the run',
    stepId: 'c',
    plan: ['a', 'b', 'c'],
    team: { supervisor: () => ({ score: 0, issues: ['Wrong'], feedback: 'Stop' }) },
    policy: { gates: { step: 70 }, limits: { maxParallel: 1, maxAttempts: 3 } },
    status: 'cancelled',
    kinds: ['cancelled', 'run-ended', 'escalated'],
    says: /The supervisor ended it after a score of 0/,
  },
  {
    question: 'did not run: another step failed and the policy stops there',
    stepId: 'c',
    plan: ['a', 'b', 'c'],
    script: { a: fail },
    policy: {
      retry: { attempts: 1 },
      failure: { onStepFailure: 'stop' },
      limits: { maxParallel: 1 },
    },
    status: 'cancelled',
    kinds: ['cancelled', 'run-ended', 'failed'],
    says: /The run ended failed: step-failed.*Step 'a' had failed/,
  },
  {
    question: 'was not finished: the step whose sub-plan it belongs to was skipped',
    stepId: 'a/x',
    plan: [],
    script: { a: () => blocked('Too much'), 'a/x': () => new Promise(() => undefined) },
    team: { planner: ({ depth }) => ({ steps: depth > 0 ? steps('x') : steps('a', 'b') }) },
    people: (run) => {
      run.subscribe((fact) => {
        if (fact.type === 'step.started' && fact.stepId === 'a/x') {
          queueMicrotask(() => void run.skip(['a']));
        }
      });
    },
    status: 'cancelled',
    kinds: ['parent-ended', 'skipped', 'skipped-by-command'],
    says: /belonged to the sub-plan of step 'a', which ended first/,
  },
  {
    question: 'is not done: its agent has not answered',
    when: isFact('agent.called', 'a'),
    status: 'running',
    kinds: ['waiting-for-answer'],
    says: /waits for an answer from worker/,
  },
  {
    question: 'is not done: it waits for the next try',
    script: { a: fail },
    when: (fact) => isFact('agent.failed', 'a')(fact) && 'try' in fact && fact.try === 1,
    status: 'running',
    kinds: ['waiting-for-retry'],
    says: /waits to retry worker/,
  },
  {
    question: 'is not done: a person has not answered',
    approve: ['a'],
    people: onQuestion((run, id) => void run.approve(id)),
    when: isFact('approval.requested'),
    status: 'awaitingApproval',
    kinds: ['waiting-for-approval'],
    says: /waits for a person's answer/,
  },
  {
    question: 'is not done: its agent asked a person',
    script: {
      a: ({ feedback }) => (feedback.length > 0 ? 'done' : askHuman({ question: 'Which?' })),
    },
    people: onQuestion((run, id) => void run.approve(id, 'That')),
    when: isFact('approval.requested'),
    status: 'awaitingApproval',
    kinds: ['waiting-for-approval'],
    says: /'Which\?'/,
  },
  {
    question: 'is not done: a sub-plan works on it',
    script: { a: () => blocked('Too much') },
    team: { planner: ({ depth }) => ({ steps: depth > 0 ? steps('x') : steps('a') }) },
    plan: [],
    policy: { limits: { maxAttempts: 1 } },
    when: isFact('agent.called', 'a/x'),
    status: 'blocked',
    kinds: ['waiting-for-subplan', 'waiting-for-answer'],
    says: /waits for its sub-plan, made because: Too much.*Step 'a\/x' waits/,
  },
  {
    question: 'has not started: it waits for another step',
    stepId: 'c',
    plan: ['a', 'b<a', 'c<b'],
    when: isFact('agent.called', 'a'),
    status: 'pending',
    kinds: ['waiting-for-dependency', 'waiting-for-dependency', 'waiting-for-answer'],
    says: /waits for step 'b', which is pending.*waits for step 'a', which is running/,
  },
  {
    question: 'has not started: there is no free slot',
    stepId: 'b',
    plan: ['a', 'b'],
    policy: { limits: { maxParallel: 1 } },
    when: isFact('agent.called', 'a'),
    status: 'pending',
    kinds: ['waiting-for-slot'],
    says: /waits for a free slot: 'a' is running/,
  },
  {
    question: 'has not started: the run is paused',
    stepId: 'b',
    plan: ['a', 'b'],
    policy: { limits: { maxParallel: 1 } },
    people: (run, clock) => {
      clock.setTimeout(() => void run.pause(), 5);
      clock.setTimeout(() => void run.unpause(), 50);
    },
    when: isFact('step.completed', 'a'),
    status: 'pending',
    kinds: ['paused'],
    says: /the run is paused: Paused by a person/,
  },
  {
    question: 'has not started: the run is being replanned',
    stepId: 'b',
    plan: [],
    script: { a: () => needsContext('More') },
    team: { planner: plannerInTurn(['a', 'b'], ['x']) },
    policy: { limits: { maxParallel: 1 } },
    when: isFact('replan.started'),
    status: 'pending',
    kinds: ['waiting-for-plan'],
    says: /a decision about the plan \(replanning\)/,
  },
  {
    question: 'has not started: no time is left for steps',
    stepId: 'c',
    plan: ['a', 'b', 'c'],
    policy: { time: { limitMs: 20 }, limits: { maxParallel: 1 } },
    when: isFact('time.executionClosed'),
    status: 'pending',
    kinds: ['execution-closed'],
    says: /the time for steps is used up/,
  },
];

const referenceOf = (story: Story): ReferenceRun => {
  const { plan = ['a'], approve = [], votes = {}, script = {}, policy = {}, team = {} } = story;
  return {
    name: story.question,
    team: (clock) => ({
      clock,
      agents: [
        agentNamed('worker', async (call) => {
          await clock.sleep(10, call.signal);
          return script[call.step.id]?.(call) ?? `did ${call.step.id}`;
        }),
      ],
      policy: definePolicy(policy),
      ...team,
    }),
    ...(plan.length === 0
      ? {}
      : {
          start: {
            plan: {
              steps: steps(...plan).map((step) => ({
                ...step,
                requiresApproval: approve.includes(step.id),
                ...(votes[step.id] === undefined
                  ? {}
                  : { votes: { count: votes[step.id] ?? 1, choose: 'majority' as const } }),
              })),
            },
          },
        }),
    ...(story.people === undefined ? {} : { people: story.people }),
  };
};

describe('explains why a step', () => {
  it.each(STORIES)('$question', async (story) => {
    const reference = referenceOf(story);
    const { store, journal } = await recorded(reference);
    const { when } = story;
    const entryCount =
      when === undefined
        ? journal.length
        : journal.findLastIndex(({ facts }) => facts.some(when)) + 1;
    expect(entryCount, 'the journal has entries').toBeGreaterThan(0);
    const prefix = await storeWith(store, 'run', entryCount);
    const { orchestrator } = traveller(reference, prefix);
    const explanation = await orchestrator.explain('run', story.stepId ?? 'a');
    expect(explanation.status, explanation.text).toBe(story.status);
    expect(
      explanation.causes.map(({ kind }) => kind),
      explanation.text,
    ).toEqual(story.kinds);
    expect(explanation.repeats.map(({ kind }) => kind)).toEqual(story.repeats ?? []);
    expect(explanation.text).toMatch(story.says);

    const facts = journal.slice(0, entryCount).flatMap((entry) => entry.facts);
    for (const { sequence, text } of [...explanation.causes, ...explanation.repeats]) {
      expect(facts[sequence - 1]?.sequence, 'every cause is a fact').toBe(sequence);
      expect(explanation.text).toContain(text);
    }
  });

  it('for every kind of cause', () => {
    const told = new Set(STORIES.flatMap(({ kinds, repeats = [] }) => [...kinds, ...repeats]));
    // The kinds that only a whole run has are in explain-run.test.ts.
    const known: Record<Exclude<CauseKind, 'plan-rejected' | 'request-refused'>, true> = {
      completed: true,
      failed: true,
      skipped: true,
      cancelled: true,
      'call-failed': true,
      'agent-blocked': true,
      verdict: true,
      'tests-failed': true,
      'no-majority': true,
      'subplan-ended': true,
      'breaker-open': true,
      repeated: true,
      fixed: true,
      'rejected-by-person': true,
      'approval-expired': true,
      'skipped-by-command': true,
      'dropped-by-plan': true,
      'replan-requested': true,
      dependency: true,
      'parent-ended': true,
      'run-ended': true,
      'time-expired': true,
      'budget-exhausted': true,
      escalated: true,
      'waiting-for-answer': true,
      'waiting-for-retry': true,
      'waiting-for-approval': true,
      'waiting-for-subplan': true,
      'waiting-for-dependency': true,
      'waiting-for-slot': true,
      'waiting-for-plan': true,
      paused: true,
      'execution-closed': true,
    };
    expect([...told].sort()).toEqual(Object.keys(known).sort());
  });

  it('and throws for an unknown step', async () => {
    const reference = referenceOf({ ...STORIES[0]!, plan: ['a', 'b'] });
    const { store } = await recorded(reference);
    const { orchestrator } = traveller(reference, store);
    const refusal = orchestrator.explain('run', 'zzz');
    await expect(refusal).rejects.toBeInstanceOf(TimeTravelError);
    await expect(refusal).rejects.toThrow(/got 'zzz'. It has a, b/);
  });
});
