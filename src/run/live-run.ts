import type { CallInput } from '../actors/call.types.js';
import { checkPlan } from '../actors/check-plan.js';
import { deepFrozen } from '../actors/deep-frozen.js';
import type { CallSurroundings, OutputLookup, Perform } from '../actors/team.types.js';
import { parseCommand } from './commands.js';
import { JournalMismatchError, toFailure } from '../errors.js';
import { FactStream } from './fact-stream.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact, FactBody } from '../journal/facts.js';
import type { RecordBuilder, RunRecord } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';
import { isEnded, reportOf } from '../journal/report.js';
import type { World } from '../kernel/driver.js';
import { Driver } from '../kernel/driver.js';
import type { Effect, Kernel, KernelInput, KernelStep } from '../kernel/kernel.types.js';
import { replay, unfinishedIn } from '../kernel/replay.js';
import type { PlanToCheck } from '../machines/orchestrator.types.js';
import type { CommandResult, Run } from './run.types.js';
import type { Clock } from '../services/clock.js';
import type { RunStore } from '../services/run-store.js';

/** Commands that may wait for the store at one time; one more is refused, so that a flood costs no memory. */
const INBOX_MAX = 10_000;

/** What a run is made of. */
export interface RunParts {
  readonly runId: string;
  readonly goal: string;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly store: RunStore<JournalEntry> | undefined;
  readonly perform: Perform;
  readonly onError: (error: unknown) => void;
  /** Told once, when nothing of the run is left running. */
  readonly onEnd: () => void;
  /**
   * Given by tests: copies the journal, as a store would. The run is then rebuilt from the copy after every entry,
   * which is slow, and proof that the journal is all there is.
   */
  readonly copyJournal: ((entries: readonly JournalEntry[]) => JournalEntry[]) | undefined;
}

/** One run: the driver, its journal, and what people see of them. */
export class LiveRun implements Run {
  readonly runId: string;
  readonly done: Promise<RunReport>;
  readonly #parts: RunParts;
  readonly #driver: Driver<JournalEntry>;
  readonly #entries: JournalEntry[] = [];
  readonly #facts: FactStream;
  readonly #builder: RecordBuilder;
  readonly #outputs = new Map<string, NonNullable<ReturnType<OutputLookup>>>();
  #factCount = 0;
  /** How far the journal is ahead of the clock: another machine's clock may be behind the one that wrote it. */
  #aheadMs = 0;
  /** Entries that the record has taken in. */
  #recorded = 0;
  #created: void | Promise<void> = undefined;
  #resolveDone: (report: RunReport) => void = () => undefined;

  constructor(parts: RunParts) {
    this.runId = parts.runId;
    this.#parts = parts;
    this.#builder = createRecordBuilder({ runId: parts.runId, goal: parts.goal });
    this.#facts = new FactStream(parts.onError);
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#driver = new Driver(parts.kernel, this.#world());
  }

  /** Begins. `create` makes a place for the journal; nothing is decided before there is one. */
  start(input: unknown, create: (() => void | Promise<void>) | undefined): void {
    this.#created = create?.();
    this.#driver.post({ kind: 'started', input });
  }

  /** Goes on where a journal ends: its facts are recomputed and must be the ones it holds. */
  resumeFrom(entries: readonly JournalEntry[]): void {
    const replayed = replay(this.#parts.kernel, entries, (entry, step) => {
      const facts = this.#stamped(step, entry.at);
      checkFacts(entry, facts);
      this.#keep(entry);
    });
    this.#facts.restore(entries.flatMap((entry) => entry.facts));
    if (replayed.status !== 'active') {
      this.#end();
      return;
    }
    const { at: lastAt } = entries.at(-1) ?? { at: 0 };
    this.#aheadMs = Math.max(0, lastAt - this.#parts.clock.now());
    const timeOf = (stepNumber: number): number => entries[stepNumber]?.at ?? lastAt;
    this.#driver.take(replayed.state, unfinishedIn(replayed.state, timeOf));
  }

  #now(): number {
    return this.#parts.clock.now() + this.#aheadMs;
  }

  subscribe(listener: (fact: Fact) => void): () => void {
    return this.#facts.subscribe(listener);
  }

  facts(): AsyncIterable<Fact> {
    return this.#facts.stream();
  }

  record(): RunRecord {
    // Built when it is asked for: a run that nobody looks at costs no more than its journal.
    for (; this.#recorded < this.#entries.length; this.#recorded += 1) {
      for (const fact of this.#entries[this.#recorded]?.facts ?? []) this.#builder.add(fact);
    }
    return this.#builder.record();
  }

  journal(): readonly JournalEntry[] {
    return this.#entries.map((entry) => deepFrozen(entry));
  }

  approve(requestId: string, answer = 'Approved'): Promise<CommandResult> {
    return this.#command({ type: 'approval.grant', requestId, answer });
  }

  reject(requestId: string, reason = 'Rejected'): Promise<CommandResult> {
    return this.#command({ type: 'approval.reject', requestId, reason });
  }

  skip(stepIds: readonly string[], reason?: string): Promise<CommandResult> {
    return this.#command({ type: 'plan.skip', stepIds, ...saying(reason) });
  }

  skipTo(stepId: string, reason?: string): Promise<CommandResult> {
    return this.#command({ type: 'plan.skipTo', stepId, ...saying(reason) });
  }

  say(text: string): Promise<CommandResult> {
    return this.#command({ type: 'conversation.say', text });
  }

  pause(): Promise<CommandResult> {
    return this.#command({ type: 'run.pause' });
  }

  resume(): Promise<CommandResult> {
    return this.#command({ type: 'run.resume' });
  }

  extendTime(extraMs: number): Promise<CommandResult> {
    return this.#command({ type: 'time.extend', extraMs });
  }

  abort(reason = 'Aborted by a person'): Promise<CommandResult> {
    return this.#command({ type: 'run.abort', reason });
  }

  #command(candidate: unknown): Promise<CommandResult> {
    const parsed = parseCommand(candidate);
    if (!parsed.ok) return Promise.resolve({ accepted: false, reason: parsed.reason });
    if (this.#driver.isOver) return Promise.resolve({ accepted: false, reason: 'run-ended' });
    if (this.#driver.waiting >= INBOX_MAX) {
      return Promise.resolve({ accepted: false, reason: 'inbox-full' });
    }
    return new Promise((resolve) => {
      this.#driver.post({ kind: 'commanded', event: parsed.command }, (step) => {
        resolve(commandResult(step));
      });
    });
  }

  #world(): World<JournalEntry> {
    const { clock, perform } = this.#parts;
    const outputs: OutputLookup = (key) => this.#outputs.get(key);
    return {
      now: () => this.#now(),
      setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs),
      clearTimeout: (handle) => {
        clock.clearTimeout(handle);
      },
      append: (input, step, at) => this.#append(input, step, at),
      call: (actor, input, controller) =>
        actor === 'checkPlan'
          ? Promise.resolve(checkPlan(input as PlanToCheck))
          : perform(input as CallInput, new LazySurroundings(controller, outputs)),
      appended: (entry, step) => {
        this.#appended(entry, step);
      },
      failed: (error) => {
        this.#failed(error);
      },
    };
  }

  #append(input: KernelInput, step: KernelStep, at: number): JournalEntry | Promise<JournalEntry> {
    const entry: JournalEntry = {
      sequence: this.#entries.length,
      at,
      event: input,
      facts: this.#stamped(step, at),
      intents: intentsOf(step.effects),
    };
    const { store } = this.#parts;
    if (store === undefined) return entry;
    const ended = step.status !== 'active';
    const append = (): void | Promise<void> =>
      store.append(this.runId, entry.sequence, [entry], { ended });
    const stored = this.#created instanceof Promise ? this.#created.then(append) : append();
    this.#created = undefined;
    return stored instanceof Promise ? stored.then(() => entry) : entry;
  }

  #stamped(step: KernelStep, at: number): Fact[] {
    let sequence = this.#factCount;
    const facts: Fact[] = [];
    for (const body of step.emitted as readonly FactBody[]) {
      sequence += 1;
      facts.push({ sequence, at, ...body });
    }
    if (step.status === 'error') {
      facts.push({ sequence: sequence + 1, at, ...internalError(step.error) });
    }
    return facts;
  }

  #appended(entry: JournalEntry, step: KernelStep): void {
    this.#keep(entry);
    if (this.#parts.copyJournal !== undefined)
      this.#rebuild(this.#parts.copyJournal(this.#entries));
    this.#facts.add(entry.facts);
    if (step.status !== 'active') this.#end();
  }

  #keep(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#factCount += entry.facts.length;
    for (const fact of entry.facts) {
      if (fact.type === 'agent.answered' && fact.output !== null) {
        this.#outputs.set(fact.key, fact.output);
      }
    }
  }

  /** The journal, replayed from the start, must lead to where the run is. */
  #rebuild(entries: readonly JournalEntry[]): void {
    let factCount = 0;
    const { state } = replay(this.#parts.kernel, entries, (entry, step) => {
      const facts = step.emitted.map((body, offset) => ({
        sequence: factCount + offset + 1,
        at: entry.at,
        ...body,
      }));
      factCount += entry.facts.length;
      if (step.status !== 'error') checkFacts(entry, facts as unknown as Fact[]);
    });
    this.#driver.replaceState(state);
  }

  #failed(error: unknown): void {
    const { name, message } = toFailure(error);
    const at = this.#now();
    const body = runFailed(`store-unavailable: ${name}: ${message}`);
    this.record();
    this.#builder.add({ sequence: this.#factCount + 1, at, ...body });
    this.#parts.onError(error);
    this.#end();
  }

  #end(): void {
    const record = this.record();
    this.#facts.end();
    this.#parts.onEnd();
    if (isEnded(record)) this.#resolveDone(reportOf(record));
  }
}

/** The signal is made when somebody asks for it: most agents never do, and it is the dearest part of a call. */
class LazySurroundings implements CallSurroundings {
  readonly outputs: OutputLookup;
  readonly #controller: AbortController;

  constructor(controller: AbortController, outputs: OutputLookup) {
    this.#controller = controller;
    this.outputs = outputs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}

/** A reason that nobody gave is no part of the command: the journal is plain JSON. */
const saying = (reason: string | undefined): { reason?: string } =>
  reason === undefined ? {} : { reason };

const runFailed = (reason: string): FactBody<'run.ended'> => ({
  type: 'run.ended',
  status: 'failed',
  reason,
  summaryKey: null,
  message: null,
});

/** A chart threw: that is a bug of ours, and still an end with a report. */
const internalError = (error: unknown): FactBody<'run.ended'> =>
  runFailed(`internal-error: ${toFailure(error).message}`);

const commandResult = (step: KernelStep | undefined): CommandResult => {
  if (step === undefined) return { accepted: false, reason: 'run-ended' };
  const refusal = (step.emitted as readonly FactBody[]).find(
    (fact) => fact.type === 'command.refused',
  );
  return refusal === undefined ? { accepted: true } : { accepted: false, reason: refusal.reason };
};

/** Keys of the calls that start. Most steps start one or none. */
const intentsOf = (effects: readonly Effect[]): readonly string[] => {
  let intents: string[] | undefined;
  for (const effect of effects) {
    if (effect.kind !== 'startCall' || effect.actor !== 'performCall') continue;
    intents ??= [];
    intents.push((effect.input as CallInput).key);
  }
  return intents ?? NO_INTENTS;
};

const NO_INTENTS: readonly string[] = Object.freeze([]);

const checkFacts = (entry: JournalEntry, facts: readonly Fact[]): void => {
  if (JSON.stringify(facts) === JSON.stringify(entry.facts)) return;
  const differing = facts.findIndex(
    (fact, index) => JSON.stringify(fact) !== JSON.stringify(entry.facts[index]),
  );
  const expected = JSON.stringify(entry.facts[differing] ?? entry.facts.at(-1));
  throw new JournalMismatchError(
    `Entry ${entry.sequence} of the journal does not replay: expected ${expected}, got ${JSON.stringify(facts[differing])}. The charts or the policy have changed since the run was recorded.`,
  );
};
