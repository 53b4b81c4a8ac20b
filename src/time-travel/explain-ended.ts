import type { Fact } from '../model/facts.js';
import type { StepRecord } from '../journal/record.js';
import { REPLACED } from '../journal/record-steps.js';
import {
  GIVEN_UP,
  isSatisfying,
  SKIPPED_BY_DEPENDENCY,
  SKIPPED_BY_HUMAN,
} from '../plan/progress.js';
import { answerCauses } from './explain-answers.js';
import { failureCauses } from './explain-failed.js';
import { runEndCauses } from './explain-run-end.js';
import type { Cause } from './explain.types.js';
import type { ToldFacts } from './told-facts.js';

/** The chain of causes behind a step that ended; `explain` returns the chain behind another step. */
export const endedCauses = (
  told: ToldFacts,
  step: StepRecord,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const ending = told.ending(step.id);
  if (ending === undefined) return silentEnd(told, step, explain);
  const { sequence, stepId } = ending;
  switch (ending.type) {
    case 'step.completed': {
      const times =
        ending.attempts === 1 ? 'at the first attempt' : `at attempt ${ending.attempts}`;
      return [
        { kind: 'completed', sequence, stepId, text: `Step '${stepId}' was completed ${times}` },
      ];
    }
    case 'step.failed': {
      const text = `Step '${stepId}' failed at attempt ${ending.attempts}: ${ending.code}: ${ending.reason}`;
      return [
        { kind: 'failed', sequence, stepId, text },
        ...failureCauses(told, step, ending, explain),
      ];
    }
    case 'step.skipped':
      return skippedCauses(told, step, ending, explain);
    case 'step.cancelled':
      return cancelledCauses(told, step, ending);
  }
};

const skippedCauses = (
  told: ToldFacts,
  step: StepRecord,
  ending: Fact<'step.skipped'>,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const { sequence, reason } = ending;
  const skipped = (why: string): Cause => ({
    kind: 'skipped',
    sequence,
    stepId: step.id,
    text: `Step '${step.id}' did not finish: it was skipped ${why}`,
  });
  switch (reason.split(':', 1).join()) {
    case SKIPPED_BY_HUMAN:
      return [skipped('by a person'), ...commandCauses(told, step, sequence)];
    case SKIPPED_BY_DEPENDENCY:
      return [
        skipped('because a step it depends on has no result'),
        ...dependencyCauses(told, step, explain),
      ];
    case REPLACED:
      return [skipped('because another plan replaced it'), ...planCauses(told, step)];
    case GIVEN_UP:
      return [
        skipped('because it waits for a step that was given up for another plan'),
        ...requestCauses(told, step.parentStepId, sequence),
      ];
    default:
      return [skipped('because it was not approved'), ...answerCauses(told, step)];
  }
};

const commandCauses = (told: ToldFacts, { id }: StepRecord, before: number): Cause[] => {
  const said = told.last(
    'plan.modified',
    ({ change, stepIds }) => change === 'skipTo' || stepIds.includes(id),
    before,
  );
  if (said === undefined) return [];
  const why = said.reason === null ? '' : `: ${said.reason}`;
  const what = said.change === 'skip' ? 'skipped steps' : 'skipped to a later step';
  const text = `A person ${what}${why}`;
  return [{ kind: 'skipped-by-command', sequence: said.sequence, stepId: id, text }];
};

/** The first dependency that ended without satisfying the step, and the causes behind it. */
const dependencyCauses = (
  told: ToldFacts,
  step: StepRecord,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const [first] = step.dependsOn
    .flatMap((dependency) => {
      const other = told.step(dependency);
      const ending = told.ending(dependency);
      return other === undefined || ending === undefined || isSatisfied(other)
        ? []
        : [{ other, ending }];
    })
    .sort((left, right) => left.ending.sequence - right.ending.sequence);
  if (first === undefined) return [];
  const { id, status } = first.other;
  const text = `Step '${step.id}' depends on step '${id}', which ${ENDED_AS[status] ?? status}`;
  const { sequence } = first.ending;
  return [{ kind: 'dependency', sequence, stepId: id, text }, ...explain(id)];
};

const isSatisfied = ({ status, reason }: StepRecord): boolean =>
  status === 'completed' || (status === 'skipped' && isSatisfying({ status, reason }));

const ENDED_AS: Readonly<Record<string, string>> = {
  failed: 'failed',
  skipped: 'was skipped',
  cancelled: 'was cancelled',
};

const planCauses = (told: ToldFacts, step: StepRecord): Cause[] => {
  const adopted = told.last('plan.adopted', ({ replaced }) => replaced.includes(step.id));
  if (adopted === undefined) return [];
  const { sequence, revision } = adopted;
  const text = `Revision ${revision} of the plan dropped step '${step.id}'`;
  return [
    { kind: 'dropped-by-plan', sequence, stepId: step.id, text },
    ...requestCauses(told, step.parentStepId, sequence),
  ];
};

/** Why another plan was requested. */
const requestCauses = (told: ToldFacts, parentStepId: string | null, before: number): Cause[] => {
  const request = told.last(
    'replan.requested',
    (fact) => fact.parentStepId === parentStepId,
    before,
  );
  if (request === undefined) return [];
  const { sequence, stepId, agent, reason } = request;
  const who =
    stepId === null
      ? 'the plan or the goal'
      : `step '${stepId}'${agent === null ? '' : ` (${agent})`}`;
  const text = `Another plan was requested by ${who}: ${reason}`;
  return [{ kind: 'replan-requested', sequence, stepId, text }];
};

const cancelledCauses = (
  told: ToldFacts,
  step: StepRecord,
  { sequence, reason }: Fact<'step.cancelled'>,
): Cause[] => {
  const isGivenUp = reason === GIVEN_UP;
  const why = isGivenUp ? 'it was given up for another plan' : 'the run ended first';
  const text = `Step '${step.id}' ${step.startedAt === null ? 'did not run' : 'was not finished'}: ${why}`;
  const self: Cause = { kind: 'cancelled', sequence, stepId: step.id, text };
  if (isGivenUp) return [self, ...requestCauses(told, step.parentStepId, sequence)];
  return [self, ...runEndCauses(told)];
};

/** A step whose end followed from another end: of its run, or of its parent step. */
const silentEnd = (
  told: ToldFacts,
  step: StepRecord,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const { parentStepId, reason } = step;
  if (parentStepId === null || reason !== 'parent-ended') return runEndCauses(told);
  const ended =
    told.last('subplan.ended', ({ stepId }) => stepId === parentStepId) ??
    told.ending(parentStepId);
  if (ended === undefined) return explain(parentStepId);
  const text = `Step '${step.id}' belonged to the sub-plan of step '${parentStepId}', which ended first`;
  const self: Cause = {
    kind: 'parent-ended',
    sequence: ended.sequence,
    stepId: parentStepId,
    text,
  };
  return [self, ...explain(parentStepId)];
};
