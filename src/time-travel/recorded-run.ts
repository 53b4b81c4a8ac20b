import type { CallInput, CallOutcome } from '../model/calls.js';
import type { OutputLookup } from '../actors/team.types.js';
import type { JsonValue } from '../canonical-json.js';
import type { JournalEntry } from '../journal/entry.js';
import { chartEntries } from '../journal/entry.js';
import type { Effect, Kernel, KernelInput } from '../kernel/kernel.types.js';
import { replay } from '../kernel/replay.js';
import { relativeKey, stepMismatch } from './same-facts.js';

/** One recorded call: its request and its outcome. */
export interface RecordedCall {
  readonly input: CallInput;
  /** Undefined when it never answered: it timed out, was stopped, or the journal ends before. */
  readonly outcome: CallOutcome | undefined;
  /** The position of the entry with the answer; -1 without one. */
  readonly answeredBy: number;
}

/** A stored run with the requests of its calls. A journal does not contain those, so the kernel computes them again. */
export interface RecordedRun {
  readonly runId: string;
  readonly entries: readonly JournalEntry[];
  /** Calls by their keys without the id of the run. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  readonly outputs: OutputLookup;
}

export const recordedRun = (
  kernel: Kernel,
  runId: string,
  entries: readonly JournalEntry[],
): RecordedRun => {
  const inputs = new Map<number, CallInput>();
  const calls = new Map<string, RecordedCall>();
  const outputs = new Map<string, JsonValue>();
  replay(kernel, chartEntries(entries), (entry, step) => {
    const mismatch = stepMismatch(runId, entry, step);
    if (mismatch !== undefined) throw mismatch;
    const answered = answerIn(entry.event, inputs);
    if (answered !== undefined) {
      keep({ ...answered, answeredBy: entry.sequence });
    }
    for (const { generation, input } of startedCalls(step.effects)) {
      inputs.set(generation, input);
      keep({ input, outcome: undefined, answeredBy: -1 });
    }
    for (const fact of entry.facts) {
      if (fact.type === 'agent.answered' && fact.output !== null)
        outputs.set(fact.key, fact.output);
    }
  });
  function keep(call: RecordedCall): void {
    calls.set(relativeKey(call.input.key, runId) ?? call.input.key, call);
  }
  return { runId, entries, calls, outputs: (key) => outputs.get(key) };
};

export interface StartedCall {
  readonly generation: number;
  readonly input: CallInput;
}

export const startedCalls = (effects: readonly Effect[]): StartedCall[] =>
  effects.flatMap((effect) =>
    effect.kind === 'startCall'
      ? [{ generation: effect.generation, input: effect.input as CallInput }]
      : [],
  );

const answerIn = (
  event: KernelInput,
  inputs: ReadonlyMap<number, CallInput>,
): { input: CallInput; outcome: CallOutcome } | undefined => {
  if (event.kind !== 'answered') return undefined;
  const input = inputs.get(event.generation);
  return input && { input, outcome: event.output as CallOutcome };
};
