import type { Fact } from '../model/facts.js';
import type { StepRecord } from '../journal/record.js';
import { isSatisfying } from '../plan/progress.js';
import type { Cause, CauseKind } from './explain.types.js';
import type { ToldFacts } from './told-facts.js';

/** What an open step waits for; `explain` returns the chain behind another step. */
export const openCauses = (
  told: ToldFacts,
  step: StepRecord,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  if (step.status === 'awaitingApproval') return questionCauses(told, step.id);
  if (step.status === 'blocked') return subplanCauses(told, step, explain);
  return step.status === 'running' ? runningCauses(told, step) : pendingCauses(told, step, explain);
};

const questionCauses = (told: ToldFacts, stepId: string | null): Cause[] => {
  const open = told.record.openApprovals.find((question) => question.stepId === stepId);
  const asked = told.last('approval.requested', ({ requestId }) => requestId === open?.requestId);
  if (asked === undefined) return [];
  const who = stepId === null ? 'The plan' : `Step '${stepId}'`;
  const text = `${who} waits for a person's answer to '${asked.question}'`;
  return [{ kind: 'waiting-for-approval', sequence: asked.sequence, stepId, text }];
};

const subplanCauses = (
  told: ToldFacts,
  { id }: StepRecord,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const started = told.last('subplan.started', ({ stepId }) => stepId === id);
  if (started === undefined) return [];
  const text = `Step '${id}' waits for its sub-plan, made because: ${started.reason}`;
  const self: Cause = {
    kind: 'waiting-for-subplan',
    sequence: started.sequence,
    stepId: id,
    text,
  };
  const below = told.record.steps.find(
    ({ parentStepId, endedAt }) => parentStepId === id && endedAt === null,
  );
  return below === undefined ? [self] : [self, ...explain(below.id)];
};

/** The last fact about its calls. */
const runningCauses = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const ofStep = (fact: { readonly stepId: string | null }): boolean => fact.stepId === id;
  const called = told.last('agent.called', ofStep);
  const failed = told.last('agent.failed', ofStep);
  if (failed !== undefined && failed.sequence > (called?.sequence ?? 0)) {
    const text = `Step '${id}' waits to retry ${failed.agent}, which failed: ${failed.code}: ${failed.reason}`;
    return [{ kind: 'waiting-for-retry', sequence: failed.sequence, stepId: id, text }];
  }
  const fact = called ?? told.last('step.started', ofStep);
  if (fact === undefined) return [];
  const text = `Step '${id}' waits for an answer from ${fact.agent}`;
  return [{ kind: 'waiting-for-answer', sequence: fact.sequence, stepId: id, text }];
};

/** Dependencies come first: without them the step cannot start, whatever else it waits for. */
const pendingCauses = (
  told: ToldFacts,
  step: StepRecord,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const unmet = step.dependsOn.map((id) => told.step(id)).find(isUnmet);
  if (unmet !== undefined) {
    const text = `Step '${step.id}' waits for step '${unmet.id}', which is ${WORDS[unmet.status] ?? unmet.status}`;
    const { sequence } = adoptionOf(told, step);
    return [
      { kind: 'waiting-for-dependency', sequence, stepId: unmet.id, text },
      ...explain(unmet.id),
    ];
  }
  const halted = pauseCauses(told, step) ?? closedCauses(told, step) ?? phaseCauses(told, step);
  return halted ?? slotCauses(told, step);
};

const isUnmet = (step: StepRecord | undefined): step is StepRecord => {
  if (step === undefined) return false;
  if (step.status === 'completed') return false;
  return !(step.status === 'skipped' && isSatisfying({ status: 'skipped', reason: step.reason }));
};

const WORDS: Readonly<Record<string, string>> = {
  awaitingApproval: 'waiting for a person',
  blocked: 'worked on by a sub-plan',
};

const adoptionOf = (told: ToldFacts, { id }: StepRecord): { readonly sequence: number } =>
  told.last('plan.adopted', ({ steps }) => steps.some((step) => step.id === id)) ?? { sequence: 0 };

const cause = (kind: CauseKind, fact: Fact, stepId: string, text: string): Cause[] => [
  { kind, sequence: fact.sequence, stepId, text },
];

const pauseCauses = (told: ToldFacts, { id }: StepRecord): Cause[] | undefined => {
  const paused = told.last('run.paused');
  const resumed = told.last('run.unpaused');
  if (paused === undefined || paused.sequence < (resumed?.sequence ?? 0)) return undefined;
  return cause(
    'paused',
    paused,
    id,
    `Step '${id}' waits because the run is paused: ${paused.reason}`,
  );
};

const closedCauses = (told: ToldFacts, { id, parentStepId }: StepRecord): Cause[] | undefined => {
  const closed = parentStepId === null ? told.last('time.executionClosed') : undefined;
  if (closed === undefined) return undefined;
  return cause(
    'execution-closed',
    closed,
    id,
    `Step '${id}' cannot start: the time for steps is used up`,
  );
};

/** The phase in which steps start; in all others the plan itself is being decided. */
const STARTING = 'executing';

const phaseCauses = (told: ToldFacts, { id, parentStepId }: StepRecord): Cause[] | undefined => {
  const phase = told.last('phase.entered', (fact) => fact.parentStepId === parentStepId);
  if (phase === undefined || phase.phase === STARTING) return undefined;
  const text = `Step '${id}' waits for a decision about the plan (${phase.phase})`;
  return [...cause('waiting-for-plan', phase, id, text), ...questionCauses(told, parentStepId)];
};

const slotCauses = (told: ToldFacts, step: StepRecord): Cause[] => {
  const busy = told.record.steps.filter(
    ({ status, parentStepId }) =>
      parentStepId === step.parentStepId && status !== 'pending' && isOpen(status),
  );
  const started = told.last('step.started', ({ stepId }) => busy.some(({ id }) => id === stepId));
  if (started === undefined) {
    const adopted = adoptionOf(told, step);
    const text = `Step '${step.id}' is next`;
    return [{ kind: 'waiting-for-slot', sequence: adopted.sequence, stepId: step.id, text }];
  }
  const names = busy.slice(0, 10).map(({ id }) => `'${id}'`);
  const text = `Step '${step.id}' waits for a free slot: ${names.join(', ')} ${busy.length === 1 ? 'is' : 'are'} running`;
  return cause('waiting-for-slot', started, step.id, text);
};

const isOpen = (status: StepRecord['status']): boolean =>
  status === 'running' || status === 'awaitingApproval' || status === 'blocked';
