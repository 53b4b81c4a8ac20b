import type { Fact } from '../model/facts.js';
import type { ApprovalRecord, OpenApproval } from './record.js';

/** The decision on a question; missing members stay null. */
export type Decision = Pick<ApprovalRecord, 'outcome'> &
  Partial<Pick<ApprovalRecord, 'answer' | 'reason' | 'by' | 'expiredAs'>>;

/** The questions to people. At most one per request id is open at a time. */
export class ApprovalLedger {
  readonly #records: ApprovalRecord[] = [];
  readonly #openIndexById = new Map<string, number>();
  /** Null stands for the goal's own plan. */
  readonly #openIdsByStep = new Map<string | null, Set<string>>();

  records(): ApprovalRecord[] {
    return this.#records.slice();
  }

  open(): OpenApproval[] {
    return [...this.#openIndexById.values()].flatMap((index) => {
      const record = this.#records[index];
      if (record === undefined) return [];
      const { requestId, stepId, question, payload, requestedAt } = record;
      return [{ requestId, stepId, question, payload, requestedAt }];
    });
  }

  get isAnyOpen(): boolean {
    return this.#openIndexById.size > 0;
  }

  isWaiting(stepId: string | null): boolean {
    return this.#openIdsByStep.has(stepId);
  }

  request({ requestId, stepId, question, payload, at }: Fact<'approval.requested'>): void {
    if (this.#openIndexById.has(requestId)) return;
    this.#openIndexById.set(requestId, this.#records.length);
    const openIds = this.#openIdsByStep.get(stepId) ?? new Set();
    this.#openIdsByStep.set(stepId, openIds.add(requestId));
    this.#records.push({
      requestId,
      stepId,
      question,
      payload,
      requestedAt: at,
      outcome: 'open',
      answer: null,
      reason: null,
      by: null,
      expiredAs: null,
      decidedAt: null,
    });
  }

  /** Returns the step that asked, null for the goal's own plan, or undefined when no such question is open. */
  decide(requestId: string, decision: Decision, at: number): string | null | undefined {
    const index = this.#openIndexById.get(requestId);
    const record = index === undefined ? undefined : this.#records[index];
    if (index === undefined || record === undefined) return undefined;
    this.#records[index] = { ...record, ...decision, decidedAt: at };
    this.#openIndexById.delete(requestId);
    this.#forget(record);
    return record.stepId;
  }

  /** Closes the questions of a step that can no longer receive an answer. */
  closeOf(stepId: string | null, reason: string, at: number): void {
    for (const requestId of [...(this.#openIdsByStep.get(stepId) ?? [])]) {
      this.decide(requestId, { outcome: 'closed', reason }, at);
    }
  }

  closeAll(reason: string, at: number): void {
    for (const stepId of [...this.#openIdsByStep.keys()]) this.closeOf(stepId, reason, at);
  }

  #forget({ requestId, stepId }: ApprovalRecord): void {
    const openIds = this.#openIdsByStep.get(stepId);
    openIds?.delete(requestId);
    if (openIds?.size === 0) this.#openIdsByStep.delete(stepId);
  }
}
