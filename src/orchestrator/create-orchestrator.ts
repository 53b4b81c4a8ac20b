import { safely } from '../actors/redaction.js';
import type {
  Dispatcher,
  InputSchema,
  Planner,
  Summarizer,
  Supervisor,
  Tester,
} from '../agents/roles.js';
import type { Agent } from '../agents/agent.js';
import type { JsonValue } from '../canonical-json.js';
import { deepFrozen } from '../deep-frozen.js';
import {
  configurationIssues,
  inputIssues,
  readFields,
  readInput,
  readOptions,
} from './configuration.js';
import { errorListener } from './error-listener.js';
import { checkedRunInput } from './run-input.js';
import { rememberInternals } from './internals.js';
import type {
  CheckedHandOffs,
  CheckedInputs,
  CheckedOutputs,
  NameOf,
  TeamOf,
} from './team.types.js';
import { ConfigurationError, PlanError, RunNotFoundError } from '../errors.js';
import type { createKernel } from '../kernel/kernel.js';
import type { OrchestratorMachine } from './charts.js';
import type { RunLogic, RunSessions } from './run-logic.js';
import type { SessionParts } from './run-session.js';
import { runLogic } from './run-logic.js';
import { liveMachine } from './charts.js';
import type { Labels } from '../model/called-run.js';
import type { AnyTeam } from '../model/outputs.js';
import type { Settings } from '../model/settings.js';
import type { Plan } from '../model/plan.js';
import type { Bounds } from '../policy/bounds.js';
import { boundsOf } from '../policy/bounds.js';
import type { Policy } from '../policy/policy.js';
import { definePolicy } from '../policy/policy.js';
import type { DurabilityOptions } from '../run/durability.js';
import { durabilityOf } from '../run/durability.js';
import type { OnError, RunParts } from '../run/live-run.types.js';
import type { RunsPage, RunsQuery } from '../run/list-runs.js';
import type { RetentionOptions, RetentionParts } from '../run/retention.js';
import { RunRegistry } from '../run/run-registry.js';
import type { RecoverOptions } from '../run/recovery.js';
import type { Run } from '../run/run.types.js';
import type { Clock } from '../services/clock.js';
import { systemClock } from '../services/clock.js';
import { randomId } from '../services/random-id.js';
import type { RunStore } from '../model/run-store.js';
import type { Explanation, RunExplanation } from '../time-travel/explain.types.js';
import type { ForkOptions } from '../time-travel/fork.types.js';
import type { Engine, StartOfRun } from '../run/engine.js';
import { startOf } from '../run/engine.js';
import type { TimeTravelParts } from '../time-travel/time-travel.js';
import type { RunReplay } from '../time-travel/replay.types.js';
import { engineOf, settingsOf } from './engine-of.js';
import { once } from './once.js';

/** The options of an orchestrator. */
export interface OrchestratorOptions<
  Agents extends readonly Agent[],
  Input = JsonValue,
  Given = unknown,
> {
  /** The team. A plan can name only these agents. */
  readonly agents: Agents;
  /** Makes plans. Without a planner, every run must be started with a plan. */
  readonly planner?: Planner<NameOf<Agents>, Input>;
  /** Gives verdicts; needed when the policy has gates. */
  readonly supervisor?: Supervisor<Input>;
  /** Tests the work of every step; failures come back as fix plans. */
  readonly tester?: Tester<Input>;
  /** Writes the summary in the report. */
  readonly summarizer?: Summarizer<Input>;
  /**
   * Checks the `input` of every run, and types it in every call. The parsed value is stored as JSON. Without a schema
   * any JSON is accepted.
   */
  readonly input?: InputSchema<Input, Given>;
  /** The bounds of every run. See `presets`. @default definePolicy() */
  readonly policy?: Policy<NameOf<Agents>>;
  /** Keeps journals. Without a store a run exists only in this process. */
  readonly store?: RunStore;
  /** Leases, retries and limits for runs in the store. */
  readonly durability?: DurabilityOptions;
  /** @default systemClock() */
  readonly clock?: Clock;
  /** Runs agents. @default in this process: agent.run(call) */
  readonly dispatcher?: Dispatcher;
  /**
   * Redacts a text: applied to every text in outputs, plans, verdicts, questions and errors before charts, facts and
   * journals see it. Dependent steps receive the original output, in the process that made it. When the function
   * throws, the whole text is replaced. The goal, input, labels, a given plan and commands are stored unredacted: agents need
   * them in every process, so redact them before you pass them in.
   */
  readonly redact?: (text: string) => string;
  /**
   * Receives every failed try of a call with the original error and the call as second argument, errors in listeners and
   * stores, and an error inside a chart, which ends its run. It changes nothing about a run. Without it the first error
   * is printed to stderr.
   */
  readonly onError?: OnError;
}

/** The input of a run. */
export type StartInput<
  AgentName extends string = string,
  Given = JsonValue | undefined,
> = StartOptions<AgentName> &
  (undefined extends Given ? { readonly input?: Given } : { readonly input: Given });

interface StartOptions<AgentName extends string> {
  readonly goal: string;
  /** A name for the run; it must be new. @default a random one */
  readonly runId?: string;
  /** A plan to execute instead of asking the planner first. */
  readonly plan?: Plan<AgentName>;
  /** Names and values for finding the run: tenant, user. At most 32, each at most 256 characters. */
  readonly labels?: Labels;
}

export interface Orchestrator<Team extends AnyTeam = AnyTeam, Given = JsonValue | undefined> {
  /**
   * Starts a run. Invalid input throws a typed error here; afterwards `run.done` always resolves. `await run.started`
   * before you tell others that the run exists: it rejects when the id is in use or the store cannot be reached.
   */
  start(input: StartInput<Team['agent'], Given>): Run<Team>;
  /**
   * Resumes a run: the live one, or the stored one. A run that another process owns is refused with RunClaimedError,
   * and no call is made. A stored run is replayed on the present charts, under the present policy. When the facts are
   * the same so far it continues, and tells `run.upgraded` if charts, policy or team have changed. When a fact differs,
   * or an agent of an open step is missing, it is refused with JournalMismatchError, which names the first difference.
   * With `carryOver` a new run with the same goal replaces it, and makes no call for plans and completed steps that the
   * old run has answers to.
   */
  resume(runId: string, options?: { readonly carryOver?: boolean }): Promise<Run<Team>>;
  /**
   * Connects to a run: the live one, or a stored one that another process owns, or none at present. The journal is read
   * once; facts follow as they become durable, and `done` resolves when the run ends in any process. Commands go through
   * the store, are durable before they are acknowledged, and are answered by the owner of the run.
   */
  connect(runId: string): Promise<Run<Team>>;
  /**
   * Resumes every unfinished run in the store that no process owns. A run that cannot be resumed is reported to `onError`
   * once, or carried over with `carryOver`, as by `resume`.
   */
  recover(options?: RecoverOptions): Promise<readonly Run<Team>[]>;
  /**
   * Calls `recover()` immediately, then `everyMs` after each pass completes. `onResumed` gets every run that it took up.
   * Returns a function that stops it.
   */
  recoverEvery(everyMs: number, options?: RecoverOptions): () => void;
  /**
   * Stops accepting runs. Running runs start no new calls; calls in flight get `graceMs` (default 5,000) to finish, and
   * are then aborted. The runs are released, so that another process can claim them at once; their `done` resolves with
   * the status `detached`. Without a store they end. The store stays open: close it where you opened it.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
  /** Lists the runs in the store, newest first, page by page. */
  runs(query?: RunsQuery): Promise<RunsPage>;
  /**
   * Deletes a run; false when there is none. A running run is refused: with RunConflictError when it runs here, with
   * RunClaimedError when another process owns it. A run without an owner is deleted, ended or not.
   */
  delete(runId: string): Promise<boolean>;
  /** Deletes runs that ended longer ago than `olderThanMs`, page by page. Returns their number. */
  deleteEnded(options: RetentionOptions): Promise<number>;
  /** Steps through the facts of a stored run, forwards and backwards. Makes no calls and writes nothing. */
  replay(runId: string): Promise<RunReplay>;
  /** Starts a fork: a new run that shares the first facts of a stored one and reuses its answers where possible. */
  fork(runId: string, options: ForkOptions<Team['agent']>): Promise<Run<Team>>;
  /** Explains why a step of a stored run did not run, failed, was repeated, or is not done yet. */
  explain(runId: string, stepId: string): Promise<Explanation>;
  /** Explains a stored run: how it ended, which plans failed and why, and which requests were refused. */
  explain(runId: string): Promise<RunExplanation>;
  /**
   * A run as XState actor logic, to be invoked or spawned by a machine of your own with the input of `start`. Its snapshot
   * has the record as `context`, its events are the commands, it emits the facts, and its output is the report. A persisted
   * snapshot has the id of the run and, without a store, its journal: a restored actor resumes the run.
   */
  readonly logic: RunLogic;
  /** The chart with real actors, for `createActor(orchestrator.machine, { input: { goal } })`. */
  readonly machine: OrchestratorMachine;
  /** Upper bounds of the cost of a run, whatever the agents do. */
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
export const createOrchestrator = <
  const Agents extends readonly Agent[],
  Input = JsonValue,
  Given = JsonValue | undefined,
>(
  options: OrchestratorOptions<Agents, Input, Given> &
    CheckedHandOffs<Agents> &
    CheckedOutputs<Agents> &
    CheckedInputs<Agents, Input>,
): Orchestrator<TeamOf<Agents>, Given> =>
  // Every run is the same code; only its types differ.
  composeOrchestrator(
    options as unknown as OrchestratorOptions<readonly Agent[]>,
    undefined,
  ) as unknown as Orchestrator<TeamOf<Agents>, Given>;

/** Like `createOrchestrator`; a test controls how the state is rebuilt and how charts run. */
export const composeOrchestrator = (
  given: OrchestratorOptions<readonly Agent[]>,
  rebuilt: RunParts['rebuilt'],
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
  const runs = registryOf(options, { ...engine, clock, rebuilt });
  const retentionParts = (): RetentionParts => retentionPartsOf(store, clock, runs);
  const travel: TimeTravelParts = {
    ...{ runs, settings, engine, engineFor, clock },
    configurationIssues: (chosen) => configurationIssues(options, chosen),
    inputIssues: (input) => inputIssues(input, settings.team.hasPlanner),
  };
  // Created on first use: it takes a third of the time of creating an orchestrator.
  const machine = once(() => liveMachine(settings, engine.perform));
  const actors = actorRuns({
    clock,
    stored: store && (() => orchestrator),
    withStore: (own) => composeOrchestrator({ ...options, store: own }, rebuilt, runnerOf),
  });
  const orchestrator: Orchestrator = {
    start: (input) => {
      const start = engine.startInput(startOfRun(input, options, settings));
      if (start.proposal?.plan === null) throw new PlanError(start.proposal.issues);
      return runs.start(start);
    },
    resume: async (runId, given = {}) =>
      readFields(given, ['carryOver']).carryOver === true
        ? runs.resumeOrCarryOver(runId)
        : runs.resume(runId),
    connect: (runId) => runs.connect(runId),
    recover: async (given = {}) => runs.recover(readFields(given, RECOVER_OPTIONS)),
    recoverEvery: (everyMs, given = {}) =>
      runs.recoverEvery(everyMs, readFields(given, RECOVER_OPTIONS)),
    runs: async (given = {}) => {
      const query = readFields(given, ['status', 'labels', 'since', 'order', 'limit', 'cursor']);
      return (await loadLists()).listRuns(requiredStore(store), query);
    },
    delete: async (runId) => (await loadRetention()).deleteRun(runId, retentionParts()),
    deleteEnded: async (given) => {
      const retention = readFields(given, ['olderThanMs', 'pageSize']);
      return (await loadRetention()).deleteEndedRuns(retention, retentionParts());
    },
    close: async (given = {}) => closeAll([runs, actors], readFields(given, ['graceMs']).graceMs),
    replay: async (runId) => (await loadTimeTravel()).replay(travel, runId),
    fork: async (runId, given) => (await loadTimeTravel()).fork(travel, runId, given),
    explain: (async (runId: string, stepId?: string) =>
      (await loadTimeTravel()).explain(travel, runId, stepId)) as Orchestrator['explain'],
    logic: actors.logic,
    get machine() {
      return machine();
    },
    bounds: () => boundsOf(policy, settings.team),
    policy,
  };
  rememberInternals(orchestrator, { options, settings, engine });
  return orchestrator;
};

const registryOf = (
  { store, durability, redact, onError }: OrchestratorOptions<readonly Agent[]>,
  parts: Engine & Pick<RunParts, 'clock' | 'rebuilt'>,
): RunRegistry => {
  const redactText = redact === undefined ? undefined : safely(redact);
  return new RunRegistry({
    ...parts,
    store,
    durability: durabilityOf(durability),
    newOwner: () => randomId('owner'),
    onError: errorListener(onError, redactText),
    redactText: redactText ?? ((text) => text),
  });
};

const retentionPartsOf = (
  store: RunStore | undefined,
  clock: Clock,
  runs: RunRegistry,
): RetentionParts => ({
  store: requiredStore(store),
  clock,
  claim: (runId) => runs.claim(runId),
  isLive: (runId) => runs.has(runId),
});

const requiredStore = (store: RunStore | undefined): RunStore => {
  if (store !== undefined) return store;
  throw new RunNotFoundError('The orchestrator has no store: pass `store`');
};

const RECOVER_OPTIONS = ['carryOver', 'onResumed'] as const;

/** About half of the usual time between SIGTERM and SIGKILL in a container. */
const CLOSE_GRACE_MS = 5_000;

const closeAll = async (
  parts: readonly { close(graceMs: number): Promise<unknown> }[],
  graceMs = CLOSE_GRACE_MS,
): Promise<void> => {
  await Promise.all(parts.map((part) => part.close(graceMs)));
};

/** Most programs never use time travel, so it is a separate chunk in a bundle. */
const loadTimeTravel = () => import('../time-travel/time-travel.js');

/** Most programs have no machines of their own that invoke runs. */
const actorRuns = (
  parts: SessionParts,
): { readonly logic: RunLogic; close(graceMs: number): Promise<unknown> } => {
  let sessions: Promise<RunSessions> | undefined;
  const load = async (): Promise<RunSessions> =>
    (await import('./run-session.js')).createSessions(parts);
  return {
    logic: runLogic(() => (sessions ??= load())),
    close: async (graceMs) => (await sessions)?.close(graceMs),
  };
};

const loadRetention = () => import('../run/retention.js');

const loadLists = () => import('../run/list-runs.js');

const startOfRun = (
  given: StartInput,
  options: OrchestratorOptions<readonly Agent[]>,
  { policy, team }: Settings,
): StartOfRun => {
  const { runId = randomId('run'), goal, plan, labels = {}, input } = readInput(given);
  const checked = checkedRunInput(options.input, input, policy.limits.maxOutputBytes);
  const issues = [
    ...inputIssues({ goal, plan, labels, runId }, team.hasPlanner),
    ...('issues' in checked ? checked.issues : []),
  ];
  if (issues.length > 0 || 'issues' in checked) throw new ConfigurationError(issues);
  return startOf({
    runId,
    goal,
    plan,
    input: checked.input ?? undefined,
    ...(Object.keys(labels).length === 0 ? {} : { labels: deepFrozen({ ...labels }) }),
  });
};
