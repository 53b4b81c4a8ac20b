import type { CallInput, CallOutcome } from '../model/calls.js';
import type { Perform } from '../actors/team.types.js';
import { RunClaimedError, RunNotFoundError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact } from '../model/facts.js';
import { readJournal } from '../journal/read-journal.js';
import { sealedHeader } from '../journal/sealed-header.js';
import type { RunHeader, RunStore } from '../model/run-store.js';
import { startOf } from './engine.js';
import { JournalWriter } from './journal-writer.js';
import type { Lease } from './lease.js';
import { RunMemory } from './run-memory.js';
import type { StoreRetry } from '../services/store-retry.js';

/** The parts that a carry-over needs. */
export interface CarryOverParts {
  readonly store: RunStore;
  /** The lease of the old run. */
  readonly lease: Lease;
  readonly retry: StoreRetry;
  readonly present: Pick<RunHeader, 'policyFingerprint' | 'startedAt'> & {
    readonly chartFingerprint: string;
  };
}

/**
 * Creates a successor for a run that cannot be resumed here, and ends the run: its end reason names the successor, and
 * the header of the successor names the run. The successor is created first, so a crash in between loses nothing; a
 * repeated carry-over finds the same successor. Returns its id.
 */
export const carryOver = async (runId: string, parts: CarryOverParts): Promise<string> => {
  const { store, lease, retry, present } = parts;
  const stored = await store.read(runId);
  if (stored === undefined) throw new RunNotFoundError(`Run '${runId}' is not in the store`);
  const { entries, format } = readJournal(stored, runId);
  const claim = await lease.take();
  if (claim === undefined) {
    throw new RunClaimedError(`Run '${runId}' is owned by another process`);
  }
  try {
    const successor = await successorOf(runId, store);
    if (successor.isNew) {
      const given = startOf({ ...stored.header, runId: successor.runId });
      await store.create(sealedHeader({ ...given, ...present, carriedFrom: runId }));
    }
    const writer = new JournalWriter({ store, runId, lease, retry });
    writer.continueFrom(format, false, entries);
    const last = lastEntry(stored.header, entries, successor.runId, present.startedAt);
    await writer.append([last], {
      hasEnded: true,
      save: undefined,
    });
    return successor.runId;
  } finally {
    await lease.release();
  }
};

/** `run-2` for `run`, or the next number that is free or already belongs to this run. */
const successorOf = async (
  runId: string,
  store: RunStore,
): Promise<{ readonly runId: string; readonly isNew: boolean }> => {
  for (let number = 2; ; number += 1) {
    const candidate = `${runId}-${number}`;
    const stored = await store.read(candidate);
    if (stored === undefined) return { runId: candidate, isNew: true };
    if (stored.header.carriedFrom === runId) return { runId: candidate, isNew: false };
  }
};

/** The last entry of a journal whose charts are gone: it is made without them. */
const lastEntry = (
  header: RunHeader,
  entries: readonly JournalEntry[],
  successor: string,
  now: number,
): JournalEntry => {
  const memory = new RunMemory(header);
  for (const entry of entries) memory.keep(entry);
  return memory.carriedOverTo(successor, Math.max(now, entries.at(-1)?.at ?? now));
};

/** One answer of the previous run. */
interface CarriedAnswer {
  readonly fact: Fact<'agent.answered'>;
  readonly outcome: CallOutcome;
}

/**
 * Makes calls, except those that the previous run has answers to: its plans, and all calls of its completed steps. An
 * answer is reused only for the same role, agent, step and task.
 */
export const rememberingPerform = (
  perform: Perform,
  runId: string,
  before: { readonly runId: string; readonly entries: readonly JournalEntry[] },
): Perform => {
  const facts = before.entries.flatMap((entry) => entry.facts);
  const completed = new Set(
    facts.flatMap((fact) => (fact.type === 'step.completed' ? [fact.stepId] : [])),
  );
  const tasks = new Map(
    facts.flatMap((fact) =>
      fact.type === 'plan.adopted' ? fact.steps.map(({ id, task }) => [id, task] as const) : [],
    ),
  );
  const answers = new Map<string, CarriedAnswer>();
  for (const { event, facts: told } of before.entries) {
    const fact = told.find((candidate) => candidate.type === 'agent.answered');
    if (event.kind !== 'answered' || fact === undefined) continue;
    if (fact.role !== 'planner' && !completed.has(fact.stepId ?? '')) continue;
    answers.set(fact.key.slice(before.runId.length), {
      fact,
      outcome: event.output as CallOutcome,
    });
  }
  return (input, surroundings) => {
    const answer = answers.get(input.key.slice(runId.length));
    return answer !== undefined && isSameQuestion(input, answer.fact, tasks)
      ? Promise.resolve(answer.outcome)
      : perform(input, surroundings);
  };
};

const isSameQuestion = (
  { request }: CallInput,
  fact: Fact<'agent.answered'>,
  tasks: ReadonlyMap<string, string>,
): boolean => {
  if (request.role !== fact.role || request.agent !== fact.agent) return false;
  if (request.stepId !== fact.stepId) return false;
  const task = 'step' in request ? request.step?.task : undefined;
  return task === undefined || task === tasks.get(fact.stepId ?? '');
};
