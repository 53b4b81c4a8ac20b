import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type {
  Agent,
  AgentCall,
  Fact,
  OrchestratorOptions,
  Plan,
  PolicyOverrides,
  RunReport,
} from '../../src/index.js';
import {
  askHuman,
  blocked,
  createOrchestrator,
  defineAgent,
  definePolicy,
  done,
  requestReplan,
} from '../../src/index.js';
import type { Clock } from '../../src/services/clock.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { tableRows } from './markdown.js';

/* Every row of the table of bounds in docs/policy.md, reached by a run that does what the row says. */

interface Situation {
  readonly policy: PolicyOverrides;
  readonly work: (call: AgentCall, clock: VirtualClock) => unknown;
  /** The plan for `start`; without one the planner proposes `a` and `b`. */
  readonly plan?: Plan;
  readonly options?: Partial<OrchestratorOptions<readonly Agent[]>>;
  /** Whether its process dies and another one takes it over. */
  readonly isTakenOver?: boolean;
  /** What the table must name and the run must show: status, reason, or code of a step or a try. */
  readonly shows: readonly string[];
}

const planOf = (...ids: readonly string[]): Plan => ({
  steps: ids.map((id) => ({ id, agent: 'worker', task: `Do the work of step ${id}` })),
});

const oneStep = planOf('a');
const votedOn = (count: number): Plan => ({
  steps: oneStep.steps.map((step) => ({ ...step, votes: { count, choose: 'majority' } })),
});
const oneByOne = { maxParallel: 1 } as const;
const goOn = { onStepFailure: 'continue' } as const;

const succeed = (): string => 'an output';
const throwError = (): never => {
  throw new Error('No luck');
};
const never = (): Promise<never> => new Promise(() => undefined);
const workFor =
  (durationMs: number) =>
  async ({ signal }: AgentCall, clock: VirtualClock): Promise<string> => {
    await clock.sleep(durationMs, signal);
    return 'an output';
  };
const askForPlan = (call: AgentCall): unknown =>
  call.step.id === 'a' ? requestReplan({ reason: 'More is needed' }, 'partial') : succeed();
const judge = (score: number, ...issues: string[]) => ({
  supervisor: () => ({ score, issues, feedback: 'Look again' }),
});

const situations: Readonly<Record<string, readonly Situation[]>> = {
  'limits.maxReplans': [
    {
      policy: { limits: { ...oneByOne, maxReplans: 0 }, replan: { onLimit: 'fail' } },
      work: askForPlan,
      shows: ['failed', 'replan-limit'],
    },
    {
      policy: { limits: { maxReplans: 0 } },
      work: succeed,
      options: { planner: () => planOf('a', 'a') },
      shows: ['failed', 'no-acceptable-plan'],
    },
  ],
  'replan.maxByComplexity': [
    {
      policy: {
        limits: oneByOne,
        replan: { maxByComplexity: { simple: 3, medium: 0, complex: 3 }, onLimit: 'fail' },
      },
      work: askForPlan,
      shows: ['failed', 'replan-limit'],
    },
  ],
  'replan.stopOnRepeatedPlan': [
    { policy: { limits: oneByOne }, work: askForPlan, shows: ['repeated-plan'] },
  ],
  'limits.maxSteps': [
    {
      policy: { limits: { maxSteps: 1 } },
      work: succeed,
      shows: ['failed', 'no-acceptable-plan'],
    },
  ],
  'limits.maxVotes': [
    {
      policy: { limits: { maxVotes: 2, maxReplans: 0 } },
      work: succeed,
      options: { planner: () => votedOn(3) },
      shows: ['failed', 'no-acceptable-plan'],
    },
    {
      policy: { limits: { maxVotes: 3, maxAttempts: 2 } },
      work: ({ key }) => key,
      plan: votedOn(3),
      shows: ['no-majority'],
    },
  ],
  'limits.maxAttempts': [
    {
      policy: { limits: { maxAttempts: 2, maxDepth: 0 } },
      work: () => blocked('No way'),
      plan: oneStep,
      shows: ['blocked'],
    },
  ],
  'limits.maxDepth': [
    {
      policy: { limits: { maxAttempts: 1, maxDepth: 1, maxReplans: 0 } },
      work: () => blocked('No way'),
      shows: ['blocked', 'subplan-failed'],
    },
  ],
  'limits.maxFixCycles': [
    {
      policy: { limits: { maxFixCycles: 1 } },
      work: succeed,
      plan: oneStep,
      options: { tester: () => ({ passed: false, failures: ['One'] }) },
      shows: ['tests-failed'],
    },
  ],
  'limits.maxRecoveries': [
    {
      policy: { limits: { maxRecoveries: 0 } },
      work: never,
      plan: oneStep,
      isTakenOver: true,
      shows: ['failed', 'max-recoveries', 'cancelled'],
    },
  ],
  'limits.maxParallel': [{ policy: { limits: oneByOne }, work: succeed, shows: [] }],
  'limits.maxFailures': [
    {
      policy: { limits: { ...oneByOne, maxFailures: 0 }, retry: { attempts: 1 }, failure: goOn },
      work: throwError,
      plan: planOf('a', 'b', 'c'),
      shows: ['failed', 'too-many-failures'],
    },
  ],
  'limits.maxAgentCalls': [
    {
      policy: { limits: { ...oneByOne, maxAgentCalls: 1 } },
      work: succeed,
      plan: planOf('a', 'b'),
      shows: ['budgetExhausted', 'maxAgentCalls'],
    },
  ],
  'limits.maxTokens': [
    {
      policy: { limits: { ...oneByOne, maxTokens: 10 } },
      work: () => done('an output', { usage: { inputTokens: 6, outputTokens: 6 } }),
      plan: planOf('a', 'b'),
      shows: ['budgetExhausted', 'maxTokens'],
    },
  ],
  'limits.maxCostUsd': [
    {
      policy: { limits: { ...oneByOne, maxCostUsd: 1 } },
      work: () => done('an output', { usage: { costUsd: 1.5 } }),
      plan: planOf('a', 'b'),
      shows: ['budgetExhausted', 'maxCostUsd'],
    },
  ],
  'limits.maxOutputBytes': [
    {
      policy: { limits: { maxOutputBytes: 1_024 } },
      work: () => 'x'.repeat(2_000),
      plan: oneStep,
      shows: ['output-too-large'],
    },
  ],
  'time.limitMs': [
    {
      policy: { limits: oneByOne, time: { limitMs: 10_000 } },
      work: workFor(3_100),
      plan: planOf('a', 'b', 'c', 'd'),
      shows: ['timeExpired', 'execution-time-used'],
    },
    {
      policy: { limits: oneByOne, time: { limitMs: 10_000, planningMs: 1, graceMs: 0 } },
      work: (call, clock) => (call.step.id === 'a' ? workFor(5_000)(call, clock) : never()),
      plan: planOf('a', 'b'),
      shows: ['timeExpired', 'time-limit'],
    },
    {
      policy: { time: { limitMs: 10_000 } },
      work: never,
      plan: oneStep,
      shows: ['timeExpired', 'execution-time-used', 'step-timeout'],
    },
    {
      policy: { limits: { maxAttempts: 1, maxReplans: 0 }, time: { limitMs: 10_000 } },
      work: ({ step }) => (step.depth === 0 ? blocked('Too hard') : never()),
      shows: ['timeExpired', 'execution-time-used', 'subplan-timeout'],
    },
  ],
  'time.planningMs': [
    {
      policy: { time: { planningMs: 1_000 } },
      work: succeed,
      options: { planner: never },
      shows: ['failed', 'planning-failed'],
    },
  ],
  'time.verificationMs': [
    {
      policy: { time: { verificationMs: 1_000 }, gates: { goal: 80 } },
      work: succeed,
      plan: oneStep,
      options: { supervisor: never },
      shows: ['failed', 'verification-timeout'],
    },
  ],
  'time.stepTimeoutMs': [
    { policy: { time: { stepTimeoutMs: 1_000 } }, work: never, plan: oneStep, shows: ['timeout'] },
  ],
  'time.stepShare': [
    {
      policy: { time: { stepShare: true, limitMs: 10_000 } },
      work: never,
      plan: oneStep,
      shows: ['step-timeout'],
    },
    {
      policy: { time: { stepShare: true, limitMs: 100_000 } },
      work: ({ mode }) => (mode === 'fix' ? never() : succeed()),
      plan: oneStep,
      options: { tester: () => ({ passed: false }) },
      shows: ['fix-timeout'],
    },
  ],
  'time.graceMs': [
    {
      policy: { limits: { maxAgentCalls: 1, maxParallel: 2 }, time: { graceMs: 1_000 } },
      work: never,
      plan: planOf('a', 'b'),
      shows: ['cancelled'],
    },
  ],
  'approval.timeoutMs': [
    {
      policy: { approval: { agents: ['worker'] } },
      work: succeed,
      plan: oneStep,
      shows: ['approval-expired'],
    },
    {
      policy: { approval: { plan: true, onReject: 'fail' } },
      work: succeed,
      shows: ['failed', 'plan-rejected'],
    },
  ],
  'approval.maxQuestions': [
    {
      policy: { approval: { maxQuestions: 1, onTimeout: 'approve' }, limits: { maxAttempts: 1 } },
      work: () => askHuman({ question: 'Once more?' }),
      plan: oneStep,
      shows: ['blocked'],
    },
  ],
  'gates.plan': [
    {
      policy: { gates: { plan: 70 } },
      work: succeed,
      options: judge(69),
      shows: ['failed', 'no-acceptable-plan'],
    },
  ],
  'gates.code, gates.step': [
    {
      policy: { gates: { code: 70 }, limits: { maxAttempts: 2 } },
      work: succeed,
      plan: oneStep,
      options: judge(69),
      shows: ['rejected-by-supervisor'],
    },
    {
      policy: { gates: { step: 70 }, limits: { maxAttempts: 2 } },
      work: succeed,
      plan: oneStep,
      options: judge(69),
      shows: ['rejected-by-supervisor'],
    },
  ],
  'gates.goal': [
    {
      policy: { gates: { goal: 70 }, limits: { maxReplans: 0 } },
      work: succeed,
      options: judge(69),
      shows: ['failed', 'goal-not-achieved'],
    },
  ],
  'escalation.issues.abort': [
    {
      policy: {
        limits: oneByOne,
        gates: { step: 50 },
        escalation: { issues: { correct: 1, refocus: 2, critical: 3, abort: 4 } },
      },
      work: succeed,
      plan: planOf('a', 'b', 'c', 'd', 'e'),
      options: judge(90, 'A small thing'),
      shows: ['aborted', 'escalation'],
    },
  ],
  'retry.attempts': [
    { policy: { retry: { attempts: 2 } }, work: throwError, plan: oneStep, shows: ['threw'] },
  ],
  breaker: [
    {
      policy: { retry: { attempts: 2 }, breaker: { failures: 1, resetMs: 60_000 } },
      work: throwError,
      plan: oneStep,
      shows: ['breaker-open'],
    },
  ],
};

const play = async ({
  policy,
  work,
  plan,
  options,
  isTakenOver = false,
}: Situation): Promise<{ report: RunReport; facts: readonly Fact[] }> => {
  const clock = virtualClock();
  const store = memoryStore();
  const worker = defineAgent({
    name: 'worker',
    description: 'Does what the situation asks for',
    run: (call) => work(call, clock),
  });
  const orchestratorOn = (ownClock: Clock) =>
    createOrchestrator({
      agents: [worker],
      ...(plan === undefined ? { planner: () => planOf('a', 'b') } : {}),
      policy: definePolicy(policy),
      clock: ownClock,
      ...(isTakenOver ? { store } : {}),
      ...options,
    });
  // No timer fires in a dead process.
  const first = orchestratorOn(isTakenOver ? { ...clock, setTimeout: () => undefined } : clock);
  let run = first.start({
    goal: 'To reach a bound',
    runId: 'run',
    ...(plan === undefined ? {} : { plan }),
  });
  if (isTakenOver) {
    await clock.settle();
    clock.advance(30_000);
    run = await orchestratorOn(clock).resume('run');
  }
  const facts: Fact[] = [];
  run.subscribe((fact) => {
    facts.push(fact);
  });
  await clock.runUntil(run.done);
  return { report: await run.done, facts };
};

/**
 * Every short code that the run shows: how it ended, how its steps ended, why tries failed or replans were refused.
 */
const codesOf = ({ report, facts }: Awaited<ReturnType<typeof play>>): string[] => [
  report.status,
  ...report.reason.split(': '),
  ...report.steps.flatMap(({ status, code }) => [status, code ?? '']),
  ...facts.flatMap((fact) => {
    if (fact.type === 'agent.failed') return [fact.code];
    return fact.type === 'request.refused' ? [fact.bound] : [];
  }),
];

const root = join(import.meta.dirname, '../..');
const rows = new Map(
  tableRows(readFileSync(join(root, 'docs/policy.md'), 'utf8'), 'bound').map((row) => [
    row[0]?.replaceAll('`', ''),
    row.join(' '),
  ]),
);

describe('the table of bounds in docs/policy.md', () => {
  it('has a row for every situation here, and no other', () => {
    expect([...rows.keys()]).toEqual(Object.keys(situations));
  });

  for (const [bound, list] of Object.entries(situations)) {
    for (const [index, situation] of list.entries()) {
      const name = situation.shows.join(', ');
      it(`is right about ${bound}${name === '' ? '' : `: ${name}`} (${index + 1})`, async () => {
        const codes = codesOf(await play(situation));
        for (const code of situation.shows) {
          expect(codes).toContain(code);
          expect(rows.get(bound)).toContain(`\`${code}\``);
        }
      });
    }
  }

  it('is right that steps wait for a slot', async () => {
    const [situation] = situations['limits.maxParallel'] ?? [];
    const { report, facts } = await play({ ...situation!, plan: planOf('a', 'b', 'c') });
    const running = facts.map(
      (fact) => Number(fact.type === 'step.started') - Number(fact.type === 'step.completed'),
    );
    const most = running.reduce(
      ({ now, max }, change) => ({ now: now + change, max: Math.max(max, now + change) }),
      { now: 0, max: 0 },
    );
    expect(most.max).toBe(1);
    expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
  });
});
