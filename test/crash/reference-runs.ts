import { setTimeout as sleep } from 'node:timers/promises';

import { defineAgent } from '../../src/agents/agent.js';
import type { Agent, AgentCall } from '../../src/agents/agent.js';
import { askHuman, blocked, done, handOff, requestReplan } from '../../src/agents/report.js';
import type {
  OrchestratorOptions,
  StartInput,
} from '../../src/orchestrator/create-orchestrator.js';
import type { PolicyOverrides } from '../../src/policy/policy.js';
import { definePolicy } from '../../src/policy/policy.js';
import { steps } from '../scenarios/team.js';

/*
 * Runs to be killed. Every callback answers only by its input, so a run has one report, however often it dies; one
 * step at a time where the order of facts is part of the report.
 */

type Team = Omit<OrchestratorOptions<readonly Agent[]>, 'store' | 'clock'>;

export interface CrashRun {
  readonly team: (called: Called) => Team;
  readonly start?: Partial<StartInput>;
}

/** Wraps a callback: logs that the call was made, and dies after it on request. */
export type Called = <Request extends { readonly key: string }, Answer>(
  answer: (request: Request) => Answer | Promise<Answer>,
) => (request: Request) => Promise<Answer>;

/**
 * Deadlines are absolute, and a run that dies forty times on a busy machine takes minutes, so the time limits are
 * long.
 */
const HOURS_MS = 36_000_000;

const patientPolicy = (overrides: PolicyOverrides) =>
  definePolicy({
    ...overrides,
    // One of these dies at every existing point.
    limits: { maxRecoveries: 100_000, ...overrides.limits },
    time: { limitMs: 10 * HOURS_MS, stepTimeoutMs: HOURS_MS },
    approval: { timeoutMs: HOURS_MS, ...overrides.approval },
  });

const worker = (called: Called, answer: (call: AgentCall) => unknown, name = 'worker'): Agent =>
  defineAgent({
    name,
    description: `The agent ${name}`,
    run: called(async (call: AgentCall) => {
      await sleep(1);
      return answer(call);
    }),
  });

const didIt = ({ step, dependencies }: AgentCall): string =>
  `${step.id}(${dependencies.map(({ stepId }) => stepId).join()})`;

const supervised: CrashRun = {
  team: (called) => ({
    agents: [worker(called, ({ mode, step }) => `${mode} ${step.id}`)],
    planner: called(() => ({ analysis: 'One step', steps: steps('a') })),
    supervisor: called(
      ({ subject, step }: { key: string; subject: string; step: { attempt: number } | null }) =>
        subject === 'step' && step?.attempt === 1
          ? { score: 40, feedback: 'Once more' }
          : { score: 90 },
    ),
    tester: called(({ cycle, step }: { key: string; cycle: number; step: { attempt: number } }) =>
      cycle === 0 && step.attempt === 1
        ? { passed: false, failures: ['broken'], fixPlan: { summary: 'Mend', steps: ['Mend'] } }
        : { passed: true },
    ),
    summarizer: called(() => 'It is done'),
    policy: patientPolicy({
      gates: { plan: 60, step: 60 },
      limits: { maxParallel: 1, maxAttempts: 2 },
    }),
  }),
};

const replanned: CrashRun = {
  team: (called) => ({
    agents: [
      worker(called, (call) => {
        if (call.step.id === 'a') return requestReplan({ reason: 'One more thing' }, 'half');
        return call.step.id === 'x'
          ? handOff({ agent: 'other', task: 'Finish' })
          : done(didIt(call));
      }),
      worker(called, didIt, 'other'),
    ],
    planner: called(({ revision }: { key: string; revision: number }) => ({
      analysis: `Plan ${revision}`,
      steps: revision === 0 ? steps('a', 'b<a') : steps('x', 'y<x'),
    })),
    policy: patientPolicy({ limits: { maxParallel: 1 } }),
  }),
};

const approved: CrashRun = {
  team: (called) => ({
    agents: [
      worker(called, (call) =>
        call.step.id === 'a' && call.feedback.length === 0
          ? askHuman({ question: 'Which?', payload: [1, 2] })
          : `${call.step.id}: ${call.feedback.map(({ text }) => text).join()}`,
      ),
    ],
    policy: patientPolicy({ approval: { agents: ['worker'] }, limits: { maxParallel: 1 } }),
  }),
  start: { plan: { steps: steps('a', 'b<a') } },
};

const nested: CrashRun = {
  team: (called) => ({
    agents: [worker(called, (call) => (call.step.id === 'a' ? blocked('Too much') : didIt(call)))],
    planner: called(({ depth }: { key: string; depth: number }) => ({
      analysis: '',
      steps: depth > 0 ? steps('x', 'y<x') : steps('a', 'b<a'),
    })),
    policy: patientPolicy({ limits: { maxParallel: 1, maxAttempts: 1 } }),
  }),
};

const fan: CrashRun = {
  team: (called) => ({
    agents: [
      worker(called, (call) => {
        if (call.step.id === 'b' && !call.key.includes('#')) throw new Error('Not at first');
        if (call.step.id === 'e') throw new Error('Never');
        return didIt(call);
      }),
    ],
    policy: patientPolicy({
      limits: { maxParallel: 3, maxFailures: 10 },
      retry: { attempts: 2, backoffMs: 2 },
    }),
  }),
  start: { plan: { steps: steps('a', 'b', 'c', 'd<a,b,c', 'e', 'f<e') } },
};

const voted: CrashRun = {
  team: (called) => ({
    agents: [worker(called, ({ step }) => (step.vote?.number === 1 ? 'no' : 'yes'))],
    summarizer: called(() => 'Voted'),
    policy: patientPolicy({ limits: { maxParallel: 1, maxVotes: 3 } }),
  }),
  start: {
    plan: {
      steps: steps('a', 'b<a').map((step) => ({
        ...step,
        ...(step.id === 'a' ? { votes: { count: 3, choose: 'majority' as const } } : {}),
      })),
    },
  },
};

/** Plans of any shape, with steps that fail at first or always; their content follows from the seed. */
const shapeOf = (seed: number): CrashRun => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, 3 + (seed % 4));
  const plan = ids.map((id, index) => {
    const behind = ids.slice(0, index).filter((_, other) => (seed >> (index + other)) % 3 === 1);
    return behind.length === 0 ? id : `${id}<${behind.join()}`;
  });
  const isFlaky = (id: string): boolean => (seed + id.charCodeAt(0)) % 3 === 0;
  const isBroken = (id: string): boolean => (seed + id.charCodeAt(0)) % 7 === 0;
  return {
    team: (called) => ({
      agents: [
        worker(called, (call) => {
          const { id } = call.step;
          if (isBroken(id) || (isFlaky(id) && !call.key.includes('#'))) throw new Error('Broken');
          return didIt(call);
        }),
      ],
      policy: patientPolicy({
        limits: { maxParallel: 1 + (seed % 3), maxFailures: 10 },
        retry: { attempts: 2, backoffMs: 1 },
      }),
    }),
    start: { plan: { steps: steps(...plan) } },
  };
};

/** For `npm run crash`, which may take long. */
export const MORE_CRASH_RUNS: readonly string[] = [
  'voted',
  ...Array.from({ length: 14 }, (_, index) => `shape-${index * 37 + 5}`),
];

export const CRASH_RUNS: Readonly<Record<string, CrashRun>> = {
  supervised,
  replanned,
  approved,
  nested,
  fan,
};

export const crashRunOf = (name: string): CrashRun | undefined => {
  if (name.startsWith('shape-')) return shapeOf(Number(name.slice('shape-'.length)));
  return name === 'voted' ? voted : CRASH_RUNS[name];
};
