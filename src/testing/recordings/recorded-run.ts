import type { Agent } from '../../agents/agent.js';
import type { AgentReport } from '../../agents/report.js';
import {
  agentReportSchema,
  askHuman,
  blocked,
  done,
  handOff,
  isReport,
  needsContext,
  requestReplan,
} from '../../agents/report.js';
import type { JsonValue } from '../../canonical-json.js';
import { canonicalJson, stableStringify } from '../../canonical-json.js';
import { joinPath, RecordingDriftError } from '../../errors.js';
import { toFailure } from '../../failure.js';
import type { Fact } from '../../model/facts.js';
import type { RunReport } from '../../journal/report.js';
import type { OrchestratorOptions, StartInput } from '../../orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../orchestrator/create-orchestrator.js';
import type { Run } from '../../run/run.types.js';
import { systemClock } from '../../services/clock.js';
import type { VirtualClock } from '../virtual-clock.js';
import { virtualClock } from '../virtual-clock.js';
import type { RecordedCall, RecordedOutcome, Recording } from './recording.js';
import { parsedRecording } from './recording.js';
import { teamThrough } from './team-through.js';

type Options = OrchestratorOptions<readonly Agent[]>;

/** Approvals and commands during the run. The same when it is recorded and when it is replayed. */
type Attend = (run: Run) => void;

/** The result of a recorded run. */
export interface Recorded {
  /** Store it as a JSON file next to the test. */
  readonly recording: Recording;
  readonly report: RunReport;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Runs once with the real agents and records everything that comes from outside. */
const record = async (options: Options, input: StartInput, attend?: Attend): Promise<Recorded> => {
  const clock = options.clock ?? systemClock();
  const startedAtMs = clock.now();
  const calls: RecordedCall[] = [];
  let latestMs = -1;
  const team = teamThrough(options, async (who, request, ask) => {
    const call = { key: request.key, who, request: requestJson(request), outcome: UNANSWERED };
    const position = calls.push({ ...call, finishedAtMs: null }) - 1;
    const finish = (outcome: RecordedOutcome): void => {
      // One at a time: the order of the answers is part of the recording.
      latestMs = Math.max(latestMs + 1, clock.now() - startedAtMs);
      calls[position] = { ...call, outcome, finishedAtMs: latestMs };
    };
    try {
      const value = await ask();
      finish(returned(value));
      return value;
    } catch (error) {
      const { name, message } = toFailure(error);
      finish({ kind: 'threw', name, message });
      throw error;
    }
  });
  const { facts, report } = await play(team, { runId: 'recorded', ...input }, attend);
  const { goal, runId = 'recorded', plan, input: given, labels } = input;
  const kept = {
    goal,
    runId,
    ...(plan === undefined ? {} : { plan: asJson(plan) }),
    ...(given === undefined ? {} : { input: asJson(given) }),
    ...(labels === undefined ? {} : { labels }),
  };
  return { recording: { format: 1, input: kept, calls: [...calls], facts: [...facts] }, report };
};

/**
 * Replays the run without its agents, in virtual time, with the recorded answers. Throws RecordingDriftError with the
 * first difference: a call that was not recorded, another request, other facts.
 */
const replay = async (
  candidate: unknown,
  options: Options,
  attend?: Attend,
): Promise<RunReport> => {
  const recording = parsedRecording(candidate);
  const clock = virtualClock();
  const recorded = new Map(recording.calls.map((call) => [call.key, call]));
  const drifts: RecordingDriftError[] = [];
  let run: Run | undefined;
  const drift = (place: string, recordedValue: unknown, presentValue: unknown): void => {
    const [path, expected, actual] = firstDifference(place, recordedValue, presentValue);
    drifts.push(new RecordingDriftError({ path, expected: text(expected), actual: text(actual) }));
    void run?.abort('The run differs from its recording');
  };
  const team = teamThrough({ ...options, clock }, (who, request) => {
    const call = recorded.get(request.key);
    const asked = requestJson(request);
    if (call?.who !== who) drift(`calls.${request.key}`, call?.who ?? 'no such call', who);
    else if (text(call.request) !== text(asked)) {
      drift(`calls.${request.key}.request`, call.request, asked);
    }
    return call === undefined ? never() : answered(call, clock);
  });
  const { facts, report } = await play(
    team,
    recording.input as unknown as StartInput,
    (started) => {
      run = started;
      attend?.(started);
    },
    clock,
  );
  for (const [index, fact] of recording.facts.entries()) {
    const actual = facts[index];
    if (text(body(fact)) === text(body(actual))) continue;
    drift(`facts.${index}`, body(fact), body(actual));
    break;
  }
  if (facts.length > recording.facts.length) {
    drift(`facts.${recording.facts.length}`, undefined, body(facts[recording.facts.length]));
  }
  const [first] = drifts;
  if (first !== undefined) throw first;
  return report;
};

/** Records a run once with real agents, and replays it in CI without them. */
export const recordedRun = Object.freeze({ record, replay });

const play = async (
  options: Options,
  input: StartInput,
  attend: Attend | undefined,
  clock?: VirtualClock,
): Promise<{ readonly facts: readonly Fact[]; readonly report: RunReport }> => {
  const facts: Fact[] = [];
  const run = composeOrchestrator(options, undefined).start(input);
  run.subscribe((fact) => facts.push(fact));
  attend?.(run);
  await clock?.runUntil(run.done);
  return { report: await run.done, facts };
};

const UNANSWERED: RecordedOutcome = { kind: 'unanswered' };

const never = (): Promise<never> => new Promise(() => undefined);

const answered = async (
  { outcome, finishedAtMs }: RecordedCall,
  clock: VirtualClock,
): Promise<unknown> => {
  if (finishedAtMs === null || outcome.kind === 'unanswered') return never();
  const waitMs = Math.max(0, finishedAtMs - clock.now());
  await clock.sleep(waitMs);
  if (outcome.kind === 'returned') return outcome.value;
  if (outcome.kind === 'reported') return reportOf(outcome.report);
  const error = new Error(outcome.message);
  error.name = outcome.name;
  throw error;
};

const returned = (value: unknown): RecordedOutcome => {
  if (!isReport(value)) return { kind: 'returned', value: asJson(value) };
  return { kind: 'reported', report: agentReportSchema.parse(asJson(value)) };
};

type PlainReport = Extract<RecordedOutcome, { kind: 'reported' }>['report'];

/** A report as an agent would make it, from its recorded JSON. */
const reportOf = (report: PlainReport): AgentReport => {
  const { confidence, usage } = report;
  const meta = {
    ...(confidence === undefined ? {} : { confidence }),
    ...(usage === undefined ? {} : { usage: usage as never }),
  };
  switch (report.kind) {
    case 'done':
      return done(report.output, meta);
    case 'needsContext':
      return needsContext(report.suggestion, report.output, meta);
    case 'handOff':
      return handOff(report, report.output, meta);
    case 'requestReplan':
      return requestReplan(report, report.output, meta);
    case 'blocked':
      return blocked(report.reason, meta);
    case 'askHuman':
      return askHuman(report, meta);
  }
};

/** A value that JSON cannot hold is recorded as a note: the replay then differs, and says where. */
const asJson = (value: unknown): JsonValue => {
  const bounded = canonicalJson(value, { maxBytes: MAX_BYTES });
  return bounded.ok ? bounded.value : `not recorded: ${bounded.message}`;
};

const requestJson = (request: object): JsonValue =>
  asJson(Object.fromEntries(Object.entries(request).filter(([key]) => key !== 'signal')));

/** The innermost member that differs: two long values say nothing to a reader. */
const firstDifference = (
  path: string,
  left: unknown,
  right: unknown,
): [string, unknown, unknown] => {
  if (!isObject(left) || !isObject(right) || Array.isArray(left) !== Array.isArray(right)) {
    return [path, left, right];
  }
  const name = Object.keys({ ...left, ...right }).find(
    (each) => text(left[each]) !== text(right[each]),
  );
  // Facts of two types have nothing in common that is worth comparing.
  if (name === undefined || left['type'] !== right['type']) return [path, left, right];
  const place = joinPath(path, Array.isArray(left) ? Number(name) : name);
  return firstDifference(place, left[name], right[name]);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A fact without its time, and without the stack of an error: a replayed error was thrown elsewhere. */
const body = (fact: Fact | undefined): unknown => {
  if (fact?.type !== 'agent.failed' || fact.error === undefined) return without(fact, 'at');
  return { ...without(fact, 'at'), error: without(fact.error, 'stack') };
};

const without = (value: object | undefined, name: string): object | undefined =>
  value && Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

const text = (value: unknown): string =>
  value === undefined ? 'nothing' : stableStringify(asJson(value));
