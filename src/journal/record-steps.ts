import type { FactBody } from '../model/facts.js';
import type { LooseUsage } from './record-usage.js';
import { NO_USAGE, sumOfUsage } from './record-usage.js';
import type { PlannedStepRecord, StepRecord, StepStatus, VotesRecord } from './record.js';

/** The reason of a step that a later plan replaced. */
export const REPLACED = 'replaced';
/** The reason of a sub-plan's step that was open when its parent step ended. */
const PARENT_ENDED = 'parent-ended';

type SettledStatus = 'completed' | 'failed' | 'skipped' | 'cancelled';

/** How a step ended; missing members stay unchanged. */
export type StepEnd = Pick<StepRecord, 'reason'> & { readonly status: SettledStatus } & Partial<
    Pick<StepRecord, 'attempts' | 'output' | 'isWhole' | 'outputKeys' | 'code'>
  >;

/** What an answered or failed call adds to its step. */
export interface StepCall {
  readonly isFallbackAnswer: boolean;
  readonly confidence: number | null;
  readonly usage: LooseUsage | null | undefined;
}

interface StepEntry {
  /** Replaced on change, never mutated: records that were handed out keep it. */
  record: StepRecord;
  /** Since when it waits for a person; null when it does not. */
  waitingSince: number | null;
  hasSubplan: boolean;
  /** The steps of its sub-plan that may still be open. */
  children: StepEntry[];
}

/**
 * The steps of a run. The cost of a change does not depend on the number of steps. A step that ended never changes
 * again, and no step of its sub-plan stays open.
 */
export class StepLedger {
  readonly #entries: StepEntry[] = [];
  readonly #entryById = new Map<string, StepEntry>();
  #completedCount = 0;
  #failedCount = 0;

  get counts(): { readonly total: number; readonly completed: number; readonly failed: number } {
    const total = this.#entries.length;
    return { total, completed: this.#completedCount, failed: this.#failedCount };
  }

  records(): StepRecord[] {
    return this.#entries.map((entry) => entry.record);
  }

  /** Whether a step is on the plan and has not ended. Null stands for the goal, which is open as long as the run. */
  isOpen(stepId: string | null): boolean {
    return stepId === null || this.#openEntry(stepId) !== undefined;
  }

  adopt({ steps, parentStepId, revision }: FactBody<'plan.adopted'>): void {
    const parent = parentStepId === null ? undefined : this.#openEntry(parentStepId);
    for (const step of steps) {
      if (this.#entryById.has(step.id)) continue;
      const record = pendingStep(step, parentStepId, revision);
      const entry: StepEntry = {
        record,
        waitingSince: null,
        hasSubplan: false,
        children: [],
      };
      this.#entries.push(entry);
      this.#entryById.set(step.id, entry);
      parent?.children.push(entry);
    }
  }

  start(stepId: string, at: number): void {
    const entry = this.#openEntry(stepId);
    if (entry?.record.startedAt !== null) return;
    update(entry, { startedAt: at, attempts: 1 });
  }

  retry(stepId: string, attempts: number): void {
    const entry = this.#openEntry(stepId);
    if (entry !== undefined) update(entry, { attempts, ...votesBrokenOff(entry) });
  }

  castVote({ stepId, of, choose, number, key, digest, confidence }: FactBody<'vote.cast'>): void {
    const entry = this.#openEntry(stepId);
    if (entry === undefined) return;
    const { votes } = entry.record;
    const before = votes === null || votes.isDecided ? [] : votes.cast;
    const cast = [...before, { number, key, digest, confidence }];
    update(entry, { votes: { choose, of, cast, isDecided: false, winner: null } });
  }

  decideVote({ stepId, of, choose, winner }: FactBody<'vote.decided'>): void {
    const entry = this.#openEntry(stepId);
    if (entry === undefined) return;
    const cast = entry.record.votes?.cast ?? [];
    update(entry, { votes: { choose, of, cast, isDecided: true, winner } });
  }

  setWaitingForHuman(stepId: string | null, isWaiting: boolean, at: number): void {
    const entry = stepId === null ? undefined : this.#openEntry(stepId);
    if (entry === undefined) return;
    const waitedMs = waitedBy(entry, at);
    entry.waitingSince = isWaiting ? at : null;
    update(entry, { ...votesBrokenOff(entry), waitedMs });
  }

  /** A call for the step was answered or failed. */
  callSettled(stepId: string | null, call: StepCall): void {
    const entry = stepId === null ? undefined : this.#openEntry(stepId);
    if (entry === undefined) return;
    const { record } = entry;
    update(entry, {
      usedFallback: record.usedFallback || call.isFallbackAnswer,
      confidence: call.confidence ?? record.confidence,
      usage: call.usage == null ? record.usage : sumOfUsage(record.usage, call.usage),
    });
  }

  startSubplan(stepId: string): void {
    const entry = this.#openEntry(stepId);
    if (entry === undefined) return;
    entry.hasSubplan = true;
    update(entry, {});
  }

  /** Returns the ids of the steps that ended with the sub-plan. */
  endSubplan(stepId: string, at: number): string[] {
    const entry = this.#openEntry(stepId);
    if (entry === undefined) return [];
    entry.hasSubplan = false;
    update(entry, {});
    return this.#cancelBelow(entry, at);
  }

  /** Returns the ids of the steps that ended: this one and the open ones below it; none when it had ended before. */
  settle(stepId: string, end: StepEnd, at: number): string[] {
    const entry = this.#openEntry(stepId);
    if (entry === undefined) return [];
    this.#settleEntry(entry, end, at);
    return [stepId, ...this.#cancelBelow(entry, at)];
  }

  /** Ends whatever is open. */
  cancelAll(reason: string, at: number): void {
    for (const entry of this.#entries) {
      if (!isSettled(entry.record.status)) {
        this.#settleEntry(entry, { status: 'cancelled', reason }, at);
      }
    }
  }

  /** Nested sub-plans are visited with a list instead of recursion, so that no depth overflows the stack. */
  #cancelBelow(top: StepEntry, at: number): string[] {
    const cancelled: string[] = [];
    const parents = [top];
    for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
      const { children } = parent;
      parent.children = [];
      for (const child of children) {
        if (isSettled(child.record.status)) continue;
        this.#settleEntry(child, { status: 'cancelled', reason: PARENT_ENDED }, at);
        cancelled.push(child.record.id);
        parents.push(child);
      }
    }
    return cancelled;
  }

  #settleEntry(entry: StepEntry, end: StepEnd, at: number): void {
    const { startedAt } = entry.record;
    const durationMs = startedAt === null ? null : Math.max(0, at - startedAt);
    const waitedMs = waitedBy(entry, at);
    entry.record = { ...entry.record, ...end, endedAt: at, durationMs, waitedMs };
    if (end.status === 'completed') this.#completedCount += 1;
    if (end.status === 'failed') this.#failedCount += 1;
  }

  #openEntry(stepId: string): StepEntry | undefined {
    const entry = this.#entryById.get(stepId);
    return entry === undefined || isSettled(entry.record.status) ? undefined : entry;
  }
}

const isSettled = (status: StepStatus): status is SettledStatus =>
  status === 'completed' || status === 'failed' || status === 'skipped' || status === 'cancelled';

/** The time that a step has waited for people until now. */
const waitedBy = ({ record, waitingSince }: StepEntry, at: number): number =>
  waitingSince === null ? record.waitedMs : record.waitedMs + Math.max(0, at - waitingSince);

const pendingStep = (
  { id, agent, task, complexity, dependsOn }: PlannedStepRecord,
  parentStepId: string | null,
  revision: number,
): StepRecord => ({
  id,
  agent,
  task,
  complexity,
  dependsOn,
  status: 'pending',
  attempts: 0,
  output: null,
  isWhole: false,
  outputKeys: [],
  reason: null,
  code: null,
  usedFallback: false,
  confidence: null,
  usage: NO_USAGE,
  waitedMs: 0,
  votes: null,
  revision,
  depth: id.split('/').length - 1,
  parentStepId,
  startedAt: null,
  endedAt: null,
  durationMs: null,
});

const update = (
  entry: StepEntry,
  change: Partial<
    Pick<
      StepRecord,
      'startedAt' | 'attempts' | 'votes' | 'usedFallback' | 'confidence' | 'usage' | 'waitedMs'
    >
  >,
): void => {
  const record = { ...entry.record, ...change };
  entry.record = { ...record, status: openStatus(entry, record.startedAt !== null) };
};

/** After another attempt or a question the voting starts again; earlier votes do not count. */
const votesBrokenOff = ({ record }: StepEntry): { readonly votes: VotesRecord | null } => ({
  votes: record.votes?.isDecided === true ? record.votes : null,
});

/** A question comes before the sub-plan: a sub-plan that waits for a person moves nothing. */
const openStatus = ({ waitingSince, hasSubplan }: StepEntry, hasStarted: boolean): StepStatus => {
  if (waitingSince !== null) return 'awaitingApproval';
  if (hasSubplan) return 'blocked';
  return hasStarted ? 'running' : 'pending';
};
