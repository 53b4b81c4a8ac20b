import type { JsonValue } from '../canonical-json.js';
import { NO_LABELS } from '../model/called-run.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import type { CallSurroundings, Perform } from '../actors/team.types.js';
import { TimeTravelError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { KernelInput } from '../kernel/kernel.types.js';
import type { RunHeader } from '../model/run-store.js';
import { askedText } from './call-digest.js';
import type { CheckedFork } from './fork-options.js';
import type { ForkEngine } from './fork.types.js';
import type { ForkedRun } from '../run/engine.js';
import type { RecordedRun } from './recorded-run.js';
import { firstDifference, relativeKey } from './same-facts.js';
import { Timeline } from './timeline.js';

/*
 * A fork is a new run whose journal starts with the events of its parent. Recorded events are taken over as long as
 * they lead to the same facts; at the first difference the new run continues by itself. Its agents are called only for
 * new work: a call with the key and the input of a recorded one gets the recorded answer.
 */

/** The new run, up to the last usable event of its parent. `now` is the time at which it continues. */
export const forkedRun = async (
  parent: RecordedRun,
  parentHeader: RunHeader,
  fork: CheckedFork,
  engine: ForkEngine,
  now: number,
): Promise<ForkedRun> => {
  const timeline = new Timeline(engine.kernel);
  const way = new Way(parent, parentHeader, fork, engine, timeline);
  const sharedCount = sharedEntryCount(parent.entries, fork.atSequence);
  await way.share(sharedCount);
  if (fork.commands.length === 0) await way.follow(sharedCount);
  way.begin();
  way.say(parent.entries[sharedCount - 1]?.at ?? parentHeader.startedAt);

  const entries = movedTo(now, timeline.entries);
  const { runId, atSequence } = fork;
  const { goal, plan, ...rest } = parentHeader;
  const given = fork.plan ?? plan;
  return {
    header: {
      ...rest,
      runId,
      goal: fork.goal ?? goal,
      ...(given === undefined ? {} : { plan: given }),
      policyFingerprint: engine.policyFingerprint,
      startedAt: entries[0]?.at ?? now,
      parent: {
        runId: parent.runId,
        sequence: sequenceAfter(parent.entries, sharedCount, atSequence),
      },
    },
    entries,
    ended: timeline.isOver,
    engine: { ...engine, perform: recallingPerform(parent, fork, engine) },
  };
};

/** How many entries hold the first facts; the facts of one entry stay together. */
const sharedEntryCount = (entries: readonly JournalEntry[], atSequence: number): number =>
  atSequence === 0
    ? 0
    : entries.findIndex(({ facts }) => facts.some(({ sequence }) => sequence === atSequence)) + 1;

const sequenceAfter = (
  entries: readonly JournalEntry[],
  sharedCount: number,
  atSequence: number,
): number => entries[sharedCount - 1]?.facts.at(-1)?.sequence ?? atSequence;

/** Moves the shared entries so that the last one happens now: timers keep their remaining time. */
const movedTo = (now: number, entries: readonly JournalEntry[]): JournalEntry[] => {
  const shiftMs = now - (entries.at(-1)?.at ?? now);
  return entries.map((entry) => ({
    ...entry,
    at: entry.at + shiftMs,
    facts: entry.facts.map((fact) => ({ ...fact, at: fact.at + shiftMs })),
  }));
};

/** Builds a new run from the events of its parent. */
class Way {
  readonly #parent: RecordedRun;
  readonly #parentHeader: RunHeader;
  readonly #fork: CheckedFork;
  readonly #engine: ForkEngine;
  readonly #timeline: Timeline;

  constructor(
    parent: RecordedRun,
    parentHeader: RunHeader,
    fork: CheckedFork,
    engine: ForkEngine,
    timeline: Timeline,
  ) {
    this.#parent = parent;
    this.#parentHeader = parentHeader;
    this.#fork = fork;
    this.#engine = engine;
    this.#timeline = timeline;
  }

  /** Takes over the shared part. Throws where it does not lead to the same facts. */
  async share(entryCount: number): Promise<void> {
    for (const entry of this.#parent.entries.slice(0, entryCount)) {
      const differing = await this.#go(entry);
      if (differing === -1) continue;
      const { sequence } = entry.facts[differing] ?? entry.facts[0] ?? { sequence: 1 };
      const message = `With these changes the runs differ from fact ${sequence} on: fork at ${sequence - 1} or before`;
      throw new TimeTravelError([{ code: 'differs-before', path: 'atSequence', message }]);
    }
  }

  /** Starts the run, also when it shares no entry with its parent. */
  begin(): void {
    if (this.#timeline.entries.length > 0) return;
    this.#timeline.take(this.#started(), this.#parentHeader.startedAt);
  }

  /** Applies the commands of the fork. */
  say(at: number): void {
    const issues = this.#fork.commands.flatMap((command, index) => {
      const entry = this.#timeline.isOver
        ? undefined
        : this.#timeline.take({ kind: 'commanded', event: command }, at);
      const refused = entry?.facts.find((fact) => fact.type === 'command.refused');
      const reason = entry === undefined ? 'run-ended' : refused?.reason;
      if (reason === undefined) return [];
      const path = `changes.commands[${index}]`;
      return [{ code: 'refused-command', path, message: `The run refuses the command: ${reason}` }];
    });
    if (issues.length > 0) throw new TimeTravelError(issues);
  }

  /** Takes over further events of the parent as long as they lead to the same facts, and one step more. */
  async follow(entryCount: number): Promise<void> {
    for (const entry of this.#parent.entries.slice(entryCount)) {
      if (isEndOfProcesses(entry)) return;
      if (this.#isUpToChange() || (await this.#go(entry)) !== -1) return;
    }
  }

  /** Takes over one event of the parent. Returns the position of the first fact that differs, or -1. */
  async #go(entry: JournalEntry): Promise<number> {
    // Takeovers of the parent are left out: the new run has its own processes.
    if (entry.event.kind === 'heldBack') return -1;
    if (isRecovery(entry) && entry.facts.length === 0) return -1;
    if (entry.event.kind === 'carriedOver') return 0;
    const event = await this.#translated(entry.event);
    if (event === undefined) return 0;
    const taken = this.#timeline.take(event, entry.at);
    const ours = { runId: this.#fork.runId, facts: taken.facts };
    return firstDifference(ours, { runId: this.#parent.runId, facts: entry.facts });
  }

  /** The event translated for the new run; undefined when the new run does not wait for it. */
  async #translated(event: KernelInput): Promise<KernelInput | undefined> {
    if (event.kind === 'started') return this.#started();
    if (!this.#timeline.isAwaited(event)) return undefined;
    // The command belongs to the parent's inbox.
    if (event.kind === 'commanded') return { kind: 'commanded', event: event.event };
    if (event.kind !== 'answered' && event.kind !== 'broken') return event;
    const { address, generation } = event;
    const output = await this.#otherAnswer(event);
    return output === undefined ? event : { kind: 'answered', address, generation, output };
  }

  /** The parent's start as that of the new run, with the changed goal or plan. */
  #started(): KernelInput {
    const { goal, plan } = this.#parentHeader;
    const { runId, goal: otherGoal, plan: otherPlan } = this.#fork;
    const changed = { runId, goal: otherGoal ?? goal, plan: otherPlan ?? plan };
    const start = { ...this.#parentHeader, ...changed };
    return { kind: 'started', input: this.#engine.startInput(start) };
  }

  /** The answer that replaces the parent's; undefined when the parent's answer stays. */
  async #otherAnswer(event: KernelInput): Promise<unknown> {
    const input = this.#timeline.inputOf(event);
    if (input === undefined) return undefined;
    const change = this.#fork.answers.get(relativeKey(input.key, this.#fork.runId) ?? '');
    if (change !== undefined) return this.#engine.answerAs(change, input, this.#surroundings());
    if (event.kind !== 'answered') return undefined;
    return judgedAgain(this.#engine, event.output as CallOutcome, input, this.#surroundings());
  }

  /** Whether a changed answer is for an open call that the parent has no answer to: it is given now. */
  #isUpToChange(): boolean {
    const { answers, runId } = this.#fork;
    if (answers.size === 0) return false;
    return this.#timeline.openCalls().some(({ input }) => {
      const key = relativeKey(input.key, runId) ?? '';
      return answers.has(key) && this.#parent.calls.get(key)?.outcome === undefined;
    });
  }

  #surroundings() {
    const { input = null, labels = NO_LABELS } = this.#parentHeader;
    const run = { runId: this.#fork.runId, labels, input: input as JsonValue };
    return { run, signal: new AbortController().signal, outputs: this.#timeline.outputs };
  }
}

const isRecovery = ({ event }: JournalEntry): boolean =>
  event.kind === 'commanded' && event.event.type === 'run.recovered';

/** The parent ended by too many takeovers, which the fork does not inherit. */
const isEndOfProcesses = (entry: JournalEntry): boolean =>
  isRecovery(entry) && entry.facts.length > 0;

/** Validates a plan again: another policy may judge it differently. */
const judgedAgain = async (
  engine: ForkEngine,
  outcome: CallOutcome,
  input: CallInput,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => {
  if (outcome.kind === 'failed' || outcome.answer.role !== 'planner') return outcome;
  const { plan } = outcome.answer;
  if (plan === null) return outcome;
  const judged = await engine.answerAs({ key: input.key, returns: plan }, input, surroundings);
  return judged.kind === 'failed' ? judged : { ...judged, usage: outcome.usage };
};

/** Answers calls from the recording where possible. */
const recallingPerform =
  (parent: RecordedRun, { answers, runId }: CheckedFork, engine: ForkEngine): Perform =>
  (input, surroundings) => {
    const key = relativeKey(input.key, runId) ?? '';
    const change = answers.get(key);
    if (change !== undefined) return engine.answerAs(change, input, surroundings);
    const recorded = parent.calls.get(key);
    const isSame =
      recorded?.outcome !== undefined &&
      askedText(input, runId, surroundings.outputs) ===
        askedText(recorded.input, parent.runId, parent.outputs);
    return isSame
      ? judgedAgain(engine, recorded.outcome, input, surroundings)
      : engine.perform(input, surroundings);
  };
