import type { Agent } from '../../src/agents/agent.js';
import { askHuman, blocked, done, handOff, needsContext } from '../../src/agents/report.js';
import type { JournalEntry } from '../../src/journal/entry.js';
import type { RunRecord } from '../../src/journal/record.js';
import type { RunReport } from '../../src/journal/report.js';
import type {
  Orchestrator,
  OrchestratorOptions,
  StartInput,
} from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Run } from '../../src/run/run.types.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agreeTo, referenceTeam } from '../run/reference-run.js';
import { agentNamed, steps } from '../scenarios/team.js';

/* Runs to replay and fork. Callbacks answer only by their input, so the same question has the same answer twice. */

type Team = OrchestratorOptions<readonly Agent[]>;

export interface ReferenceRun {
  readonly name: string;
  readonly team: (clock: VirtualClock, calls: string[]) => Team;
  readonly start?: Partial<StartInput>;
  /** The actions of people; none by default. */
  readonly people?: (run: Run, clock: VirtualClock) => void;
  /** Whether its end depends on how long calls take. */
  readonly isTimed?: boolean;
}

/** An agent that logs its call, takes its time, and answers. */
const worker = (
  clock: VirtualClock,
  calls: string[],
  durationMs: (stepId: string) => number,
  answer: (call: Parameters<Agent['run']>[0]) => unknown = ({ step }) => `did ${step.id}`,
): Agent =>
  agentNamed('worker', async (call) => {
    calls.push(call.key);
    await clock.sleep(durationMs(call.step.id), call.signal);
    return answer(call);
  });

const fan: ReferenceRun = {
  name: 'a fan with retries, timeouts and fallbacks',
  team: (clock, calls) => ({
    clock,
    agents: [
      worker(
        clock,
        calls,
        (id) => (id === 'c' ? 5_000 : 30 - 5 * id.charCodeAt(0) + 500),
        ({ step, key }) => {
          if (step.id === 'b' && !key.includes('#')) throw new Error('Not at the first try');
          return `did ${step.id}`;
        },
      ),
    ],
    policy: definePolicy({
      limits: { maxParallel: 3 },
      time: { stepTimeoutMs: 1_000 },
      retry: { attempts: 2, backoffMs: 40 },
      failure: { onDependencyFailure: 'skip' },
    }),
  }),
  start: { plan: { steps: steps('a', 'b', 'c', 'd<a,b', 'e<c', 'f<d,e', 'g') } },
};

const replans: ReferenceRun = {
  name: 'two replans and a hand-off',
  team: (clock, calls) => ({
    clock,
    agents: [
      worker(
        clock,
        calls,
        () => 10,
        ({ step }) => {
          if (step.id === 'a') return needsContext('More about a');
          if (step.id === 'x') return handOff({ agent: 'other', task: 'Finish it' });
          return done(`did ${step.id}`, { usage: { inputTokens: 7 } });
        },
      ),
      agentNamed('other', ({ key, dependencies }) => {
        calls.push(key);
        return { finished: dependencies.length };
      }),
    ],
    planner: ({ revision }) => ({
      steps: revision === 0 ? steps('a', 'b', 'c<b') : steps('x', 'y<x'),
    }),
  }),
};

const people: ReferenceRun = {
  name: 'people who pause, skip, say, reject and extend',
  team: (clock, calls) => ({
    clock,
    agents: [
      worker(
        clock,
        calls,
        () => 20,
        ({ step, feedback }) =>
          step.id === 'a' && feedback.length === 0
            ? askHuman({ question: 'How?', payload: null })
            : `did ${step.id}`,
      ),
    ],
    policy: definePolicy({ approval: { onReject: 'skip' }, limits: { maxParallel: 1 } }),
  }),
  start: {
    plan: {
      steps: steps('a', 'b<a', 'c', 'd', 'e').map((step) => ({
        ...step,
        requiresApproval: step.id === 'd',
      })),
    },
  },
  people: (run, clock) => {
    run.subscribe((fact) => {
      if (fact.type !== 'approval.requested' || run.record().openApprovals.length === 0) return;
      const isOfD = fact.stepId === 'd';
      clock.setTimeout(() => {
        void (isOfD ? run.reject(fact.requestId, 'Not now') : run.approve(fact.requestId, 'So'));
      }, 5);
    });
    clock.setTimeout(() => void run.pause(), 30);
    clock.setTimeout(() => void run.say('Leave c out'), 35);
    clock.setTimeout(() => void run.skip(['c'], 'Not needed'), 40);
    clock.setTimeout(() => void run.unpause(), 60);
    clock.setTimeout(() => void run.extendTime(1_000), 65);
  },
};

const timeLimit: ReferenceRun = {
  name: 'a run that is out of time',
  team: (clock, calls) => ({
    clock,
    agents: [worker(clock, calls, () => 400)],
    policy: definePolicy({ time: { limitMs: 1_000 }, limits: { maxParallel: 1 } }),
  }),
  start: { plan: { steps: steps('a', 'b', 'c', 'd') } },
  isTimed: true,
};

const deeper: ReferenceRun = {
  name: 'a sub-plan that fails',
  team: (clock, calls) => ({
    clock,
    agents: [
      worker(
        clock,
        calls,
        () => 10,
        ({ step }) => {
          if (step.id === 'a') return blocked('Too much at once');
          if (step.id === 'a/y') throw new Error('Never works');
          return `did ${step.id}`;
        },
      ),
    ],
    planner: ({ depth }) => ({
      analysis: '',
      steps: depth > 0 ? steps('x', 'y<x', 'z<y') : steps('a', 'b<a'),
    }),
    policy: definePolicy({ retry: { attempts: 1 } }),
  }),
};

const everything: ReferenceRun = {
  name: 'everything at least once',
  team: referenceTeam,
  people: agreeTo,
};

export const REFERENCE_RUNS: readonly ReferenceRun[] = [
  everything,
  fan,
  replans,
  people,
  timeLimit,
  deeper,
];

export interface Recorded {
  readonly store: RunStore;
  readonly journal: readonly JournalEntry[];
  readonly report: RunReport;
  readonly calls: readonly string[];
  /** The live record after each entry. */
  readonly records: readonly RunRecord[];
  readonly endedAt: number;
}

/** Plays a reference run to its end, in a store. */
export const recorded = async (reference: ReferenceRun): Promise<Recorded> => {
  const clock = virtualClock();
  const calls: string[] = [];
  const store = memoryStore();
  const orchestrator = composeOrchestrator({ ...reference.team(clock, calls), store }, undefined);
  const run = orchestrator.start({ goal: 'The goal', runId: 'run', ...reference.start });
  const records: RunRecord[] = [];
  run.subscribe(() => {
    records[run.journal().length - 1] = run.record();
  });
  reference.people?.(run, clock);
  await clock.runUntil(run.done);
  const report = await run.done;
  return { store, journal: run.journal(), report, calls, records, endedAt: clock.now() };
};

export interface Traveller {
  readonly clock: VirtualClock;
  readonly calls: string[];
  readonly orchestrator: Orchestrator;
}

/** Another process, later: the same team and the same store. */
export const traveller = (
  reference: ReferenceRun,
  store: RunStore,
  change: Partial<Team> = {},
): Traveller => {
  const clock = virtualClock({ startMs: 1_000_000 });
  const calls: string[] = [];
  const orchestrator = composeOrchestrator(
    { ...reference.team(clock, calls), store, ...change },
    undefined,
  );
  return { clock, calls, orchestrator };
};

/** A report without what differs between two equal runs: ids, keys and times. */
export const withoutIdsAndTimes = (report: RunReport): unknown =>
  JSON.parse(
    JSON.stringify(report, (name, value: unknown) => {
      if (/(?:At|Ms|^at|^runId)$/.test(name)) return undefined;
      if (name === 'outputKeys') return undefined;
      return value;
    }),
  );
