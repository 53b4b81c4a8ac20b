import type { FactBody } from '../model/facts.js';
import type { PlannedStepRecord, PlanRecord } from './record.js';

/** The plans of a run and of its sub-plans. Each level has at most one proposal under review. */
export class PlanLedger {
  readonly #records: PlanRecord[] = [];
  /** By the step whose sub-plan it is; null stands for the goal. */
  readonly #nextRevisionByParent = new Map<string | null, number>();
  /** The proposal under review, by the step whose sub-plan it is. */
  readonly #openIndexByParent = new Map<string | null, number>();

  /** The revision that the next adopted plan has. */
  nextRevision(parentStepId: string | null): number {
    return this.#nextRevisionByParent.get(parentStepId) ?? 0;
  }

  records(): PlanRecord[] {
    return this.#records.slice();
  }

  propose({ parentStepId, revision, origin, plan }: FactBody<'plan.proposed'>): void {
    const steps = (plan?.steps ?? []).map(plannedStep);
    this.#openIndexByParent.set(parentStepId, this.#records.length);
    this.#records.push({ revision, parentStepId, origin, status: 'proposed', steps });
  }

  /** Returns the source of the plan. */
  adopt({ parentStepId, revision, steps }: FactBody<'plan.adopted'>): PlanRecord['origin'] {
    const index = this.#takeOpen(parentStepId, revision);
    const origin = this.#records[index]?.origin ?? 'planner';
    this.#records[index] = { revision, parentStepId, origin, status: 'adopted', steps };
    this.#nextRevisionByParent.set(parentStepId, revision + 1);
    return origin;
  }

  reject({ parentStepId, revision, by, reason, issues }: FactBody<'plan.rejected'>): void {
    const index = this.#takeOpen(parentStepId, revision);
    const proposed = this.#records[index];
    // A planner that fails proposes nothing; the failed call still gets a line.
    if (proposed === undefined && by !== 'planner') return;
    const { origin, steps } = proposed ?? { origin: 'planner', steps: [] };
    this.#records[index] = {
      revision,
      parentStepId,
      origin,
      status: 'rejected',
      steps,
      by,
      reason,
      issues,
    };
  }

  /** The index of the proposal under review, which is then decided; the next free index when there is none. */
  #takeOpen(parentStepId: string | null, revision: number): number {
    const index = this.#openIndexByParent.get(parentStepId);
    if (index === undefined || this.#records[index]?.revision !== revision) {
      return this.#records.length;
    }
    this.#openIndexByParent.delete(parentStepId);
    return index;
  }
}

/** The part of a step that a plan shows. */
export const plannedStep = ({
  id,
  agent,
  task,
  complexity,
  dependsOn,
}: PlannedStepRecord): PlannedStepRecord => ({ id, agent, task, complexity, dependsOn });
