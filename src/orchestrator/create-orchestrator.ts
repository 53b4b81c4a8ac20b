import { performCall, performUncut } from '../actors/perform-call.js';
import { redactingPerform, safely } from '../actors/redacting-perform.js';
import type { Callable, Perform } from '../actors/team.types.js';
import type { Dispatcher, Planner, Summarizer, Supervisor, Tester } from '../agents/roles.js';
import type { Agent } from '../agents/agent.js';
import { hasSecrets } from '../agents/secret.js';
import { fingerprint, stableStringify } from '../canonical-json.js';
import { chartFingerprint } from './chart-fingerprint.js';
import { configurationIssues, inputIssues, readInput, readOptions } from './configuration.js';
import { rememberInternals } from './internals.js';
import { ConfigurationError, PlanError, RunNotFoundError } from '../errors.js';
import { createKernel } from '../kernel/kernel.js';
import type { OrchestratorMachine } from './charts.js';
import { chartsOf, liveMachine } from './charts.js';
import type { Settings } from '../model/settings.js';
import type { Plan } from '../model/plan.js';
import { validatePlan } from '../plan/validate.js';
import type { Bounds } from '../policy/bounds.js';
import { boundsOf } from '../policy/bounds.js';
import type { Policy } from '../policy/policy.js';
import { definePolicy } from '../policy/policy.js';
import type { DurabilityOptions } from '../run/durability.js';
import { durabilityOf } from '../run/durability.js';
import type { RunParts } from '../run/live-run.js';
import type { RetentionOptions, RetentionParts } from '../run/retention.js';
import { RunRegistry } from '../run/run-registry.js';
import type { ConnectedRun, Run } from '../run/run.types.js';
import type { Clock } from '../services/clock.js';
import { systemClock } from '../services/clock.js';
import { randomId } from '../services/random-id.js';
import type { RunStore } from '../model/run-store.js';
import type { Explanation } from '../time-travel/explain.types.js';
import type { ForkOptions } from '../time-travel/fork.types.js';
import type { Engine } from '../run/engine.js';
import type { TimeTravelParts } from '../time-travel/time-travel.js';
import type { RunReplay } from '../time-travel/replay.types.js';

/** Everything an orchestrator is made of. */
export interface OrchestratorOptions<Agents extends readonly Agent[]> {
  /** The team: the only agents a plan can name. */
  readonly agents: Agents;
  /** Makes plans. Without one, every run needs a plan of its own. */
  readonly planner?: Planner<NameOf<Agents>>;
  /** Gives verdicts; needed when the policy has gates. */
  readonly supervisor?: Supervisor;
  /** Tests the work of every step; failures come back as fix plans. */
  readonly tester?: Tester;
  /** Writes the summary of the report. */
  readonly summarizer?: Summarizer;
  /** The bounds. See `presets`. @default definePolicy() */
  readonly policy?: Policy<NameOf<Agents>>;
  /** Where journals are kept. Without one a run lives as long as its `Run`. */
  readonly store?: RunStore;
  /** How runs in the store are held while they are run. */
  readonly durability?: DurabilityOptions;
  /** @default systemClock() */
  readonly clock?: Clock;
  /** Where agents are run. @default in place: agent.run(call) */
  readonly dispatcher?: Dispatcher;
  /**
   * Takes out of a text what must not be written down: applied to every text in outputs, plans, verdicts, questions and
   * errors before charts, facts and journals see it. Steps that depend on an output are handed it as it was, by the
   * process that made it. A function that throws takes out everything. What is handed in, the goal, a plan and commands, is
   * written as it is: agents need it in every process, so redact it before you hand it in.
   */
  readonly redact?: (text: string) => string;
  /** Told of errors in listeners and stores, which never disturb a run otherwise. */
  readonly onError?: (error: unknown) => void;
}

/** The names of a team. */
export type NameOf<Agents extends readonly Agent[]> = Agents[number]['name'];

/** What a run is started with. */
export interface StartInput<AgentName extends string = string> {
  readonly goal: string;
  /** Your own name for the run; it must be new. @default a random one */
  readonly runId?: string;
  /** A plan to execute instead of asking the planner first. */
  readonly plan?: Plan<AgentName>;
}

export interface Orchestrator<AgentName extends string = string> {
  /** Starts a run. Bad input is a typed error here and now; afterwards `run.done` always resolves. */
  start(input: StartInput<AgentName>): Run;
  /**
   * Takes a run up again: the live one, or the one the store remembers. A run that somebody else runs is refused with
   * RunClaimedError, and nobody is called. One that began on other charts or under another policy is refused with
   * JournalMismatchError, or, with `carryOver`, carried over: a new run with the same goal takes its place, under the
   * present policy, and asks nobody for plans and completed steps that the old one has answers to.
   */
  resume(runId: string, options?: { readonly carryOver?: boolean }): Promise<Run>;
  /**
   * A run of the store that lives in another process, or in none at present: what it is told goes through the store, is
   * durable before it is acknowledged, and is answered by whoever runs it.
   */
  connect(runId: string): Promise<ConnectedRun>;
  /** Takes up every unfinished run in the store that belongs to nobody: never claimed, given back, or its owner died. */
  recover(): Promise<readonly Run[]>;
  /** Recovers now and then again and again, `everyMs` after it was last done. Returns how to stop. */
  recoverEvery(everyMs: number): () => void;
  /**
   * Takes nothing up any more. What runs here starts nothing new; calls that are out have `graceMs` (5,000 unless said
   * otherwise) to come back, and are then aborted. The runs are given back to the store, for whoever takes them up next;
   * their `done` resolves with the reason `stopped`. The store itself stays open: whoever opened it closes it.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
  /**
   * Forgets a run; false when there is none. One that runs is refused: here with RunConflictError, elsewhere with
   * RunClaimedError. One that nobody runs is forgotten, ended or not.
   */
  delete(runId: string): Promise<boolean>;
  /** Forgets runs that ended longer ago than `olderThanMs`, page by page. Gives their number. */
  deleteEnded(options: RetentionOptions): Promise<number>;
  /** Steps through the facts of a stored run, forwards and backwards. Calls nobody and writes nothing. */
  replay(runId: string): Promise<RunReplay>;
  /** Starts a what-if: a new run that shares the first facts of a stored one and re-uses its answers where it can. */
  fork(runId: string, options: ForkOptions<AgentName>): Promise<Run>;
  /** Why a step of a stored run did not run, failed, was repeated, or is not done yet. */
  explain(runId: string, stepId: string): Promise<Explanation>;
  /** The chart with real actors, for `createActor(orchestrator.machine, { input: { goal } })`. */
  readonly machine: OrchestratorMachine;
  /** Upper bounds of what a run can cost, whatever the agents do. */
  bounds(): Bounds;
  readonly policy: Policy;
}

/**
 * Wires agents, policy, charts, store and clock together.
 *
 * @example
 * const orchestrator = createOrchestrator({
 *   agents: [coder],
 *   planner: () => ({ steps: [{ id: 's1', agent: 'coder', task: 'Add OAuth2 support' }] }),
 *   policy: presets.boundedReplan(),
 * });
 * const report = await orchestrator.start({ goal: 'Add OAuth2 support' }).done;
 */
export const createOrchestrator = <const Agents extends readonly Agent[]>(
  options: OrchestratorOptions<Agents> & CheckedHandOffs<Agents>,
): Orchestrator<NameOf<Agents>> => composeOrchestrator(options, undefined);

/** A hand-off to somebody who is not in the team is a compile error at `agents`. */
type CheckedHandOffs<Agents extends readonly Agent[]> =
  TargetsOf<Agents> extends NameOf<Agents>
    ? unknown
    : {
        readonly agents: {
          readonly handOffToUnknownAgent: Exclude<TargetsOf<Agents>, NameOf<Agents>>;
        };
      };

type TargetsOf<Agents extends readonly Agent[]> = NonNullable<Agents[number]['targets']>;

/** As `createOrchestrator`, with the copies of what is stored and the running of charts under the control of a test. */
export const composeOrchestrator = (
  given: OrchestratorOptions<readonly Agent[]>,
  copyStored: RunParts['copyStored'],
  runnerOf?: Parameters<typeof createKernel>[1],
): Orchestrator => {
  const options = readOptions(given);
  const policy = definePolicy(options.policy);
  const issues = configurationIssues(options, policy);
  if (issues.length > 0) throw new ConfigurationError(issues);
  const settings = settingsOf(options, policy);
  const engineFor = (chosen: Policy): Engine => engineOf(options, chosen, runnerOf);
  const engine = engineFor(policy);
  const { store, clock = systemClock() } = options;
  const onError = wrapped(options.onError);
  const runs = new RunRegistry({
    ...engine,
    clock,
    store,
    durability: durabilityOf(options.durability),
    newOwner: () => randomId('owner'),
    onError,
    redactText: options.redact === undefined ? (text) => text : safely(options.redact),
    copyStored,
  });
  const retentionParts = (): RetentionParts => {
    if (store === undefined) throw new RunNotFoundError('There is no store: pass `store`');
    return {
      store,
      clock,
      claim: (runId) => runs.claim(runId),
      isLive: (runId) => runs.has(runId),
    };
  };
  const travel: TimeTravelParts = {
    runs,
    settings,
    engine,
    engineFor,
    clock,
    configurationIssues: (chosen) => configurationIssues(options, chosen),
    inputIssues: (input) => inputIssues(input, settings.team.hasPlanner),
  };
  // For those who use it: making it is a third of making an orchestrator.
  const machine = once(() => liveMachine(settings, engine.perform));
  const orchestrator: Orchestrator = {
    start: (input) => {
      const { runId = randomId('run'), goal, plan } = checkedInput(input, settings);
      return runs.start(runId, plan === undefined ? { goal } : { goal, plan });
    },
    resume: (runId, { carryOver = false } = {}) =>
      carryOver ? runs.resumeOrCarryOver(runId) : runs.resume(runId),
    connect: (runId) => runs.connect(runId),
    recover: () => runs.recover(),
    recoverEvery: (everyMs) => runs.recoverEvery(everyMs),
    delete: async (runId) => (await loadRetention()).deleteRun(runId, retentionParts()),
    deleteEnded: async (retention) =>
      (await loadRetention()).deleteEndedRuns(retention, retentionParts()),
    close: ({ graceMs = CLOSE_GRACE_MS } = {}) => runs.close(graceMs),
    replay: async (runId) => (await loadTimeTravel()).replay(travel, runId),
    fork: async (runId, given) => (await loadTimeTravel()).fork(travel, runId, given),
    explain: async (runId, stepId) => (await loadTimeTravel()).explain(travel, runId, stepId),
    get machine() {
      return machine();
    },
    bounds: () => boundsOf(policy, settings.team),
    policy,
  };
  rememberInternals(orchestrator, { options, settings });
  return orchestrator;
};

/** The callback is the user's: an error inside it changes nothing, whether it throws or rejects. */
const wrapped =
  (onError: OrchestratorOptions<readonly Agent[]>['onError']) =>
  (error: unknown): void => {
    try {
      const returned: unknown = onError?.(error);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // There is no one left to tell.
    }
  };

/** Made when it is first asked for, and kept. */
const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};

/** About what a container is given between SIGTERM and SIGKILL, halved. */
const CLOSE_GRACE_MS = 5_000;

/** Most programs never look back: what that takes is a chunk of its own in a bundle. */
const loadTimeTravel = () => import('../time-travel/time-travel.js');

const loadRetention = () => import('../run/retention.js');

/** One set for all orchestrators of a process: making and learning them is most of what an orchestrator costs. */
const sharedCharts = once(() => chartsOf());

/** Charts do not change, and every run asks. */
const sharedFingerprint = once(() => chartFingerprint(sharedCharts()));

/** What runs are made with under one policy. */
const engineOf = (
  options: OrchestratorOptions<readonly Agent[]>,
  policy: Policy,
  runnerOf: Parameters<typeof createKernel>[1],
): Engine => {
  const team = callableOf(options, policy);
  const settings = settingsOf(options, policy);
  const charts = { root: 'orchestrator', machines: sharedCharts(), constants: { settings } };
  return {
    kernel: createKernel(charts, runnerOf),
    perform: performOf(options, team),
    mayRepeat: ({ request }) =>
      request.role !== 'worker' || team.agents.get(request.agent)?.idempotent !== false,
    policyFingerprint: fingerprint(stableStringify(policy as never)),
    chartFingerprint: sharedFingerprint,
    team,
  };
};

/** Redaction costs a look at every answer: only those pay for it who ask for it. */
const performOf = (options: OrchestratorOptions<readonly Agent[]>, team: Callable): Perform => {
  const isNeeded =
    options.redact !== undefined ||
    options.agents.some((agent) => agent.redact !== undefined || hasSecrets(agent.output));
  if (!isNeeded) return (input, surroundings) => performCall(team, input, surroundings);
  const perform: Perform = (input, surroundings) => performUncut(team, input, surroundings);
  return redactingPerform(perform, team.agents, team.redactText, team.maxOutputBytes);
};

const settingsOf = (options: OrchestratorOptions<readonly Agent[]>, policy: Policy): Settings => ({
  policy,
  team: {
    agents: options.agents.map((agent) => agent.name),
    fallbacks: options.agents
      .filter((agent) => agent.fallback !== undefined)
      .map((agent) => agent.name),
    hasPlanner: options.planner !== undefined,
    hasSupervisor: options.supervisor !== undefined,
    hasTester: options.tester !== undefined,
    hasSummarizer: options.summarizer !== undefined,
  },
});

const callableOf = (options: OrchestratorOptions<readonly Agent[]>, policy: Policy): Callable => ({
  agents: new Map(options.agents.map((agent) => [agent.name, agent])),
  planner: options.planner,
  supervisor: options.supervisor,
  tester: options.tester,
  summarizer: options.summarizer,
  dispatcher: options.dispatcher ?? ((agent, call) => agent.run(call)),
  maxOutputBytes: policy.limits.maxOutputBytes,
  maxSteps: policy.limits.maxSteps,
  maxVotes: policy.limits.maxVotes,
  thresholds: policy.gates,
  redactText: options.redact && safely(options.redact),
});

const checkedInput = (given: StartInput, { policy, team }: Settings): StartInput => {
  const input = readInput(given);
  const issues = inputIssues(input, team.hasPlanner);
  if (issues.length > 0) throw new ConfigurationError(issues);
  if (input.plan === undefined) return input;
  const { maxSteps, maxVotes } = policy.limits;
  const rules = { agents: team.agents, maxSteps, maxVotes };
  const validation = validatePlan(input.plan, rules);
  if (!validation.ok) throw new PlanError(validation.issues);
  return { ...input, plan: validation.plan as Plan };
};
