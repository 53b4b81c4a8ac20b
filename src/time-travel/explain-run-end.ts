import type { Fact } from '../model/facts.js';
import { budgetCauses } from './explain-failed.js';
import type { Cause } from './explain.types.js';
import type { ToldFacts } from './told-facts.js';

/** Why the run ended. While it winds down the end is not a fact yet, but its cause is. */
export const runEndCauses = (told: ToldFacts): Cause[] => {
  const ended = told.last('run.ended');
  const behind = behindTheEnd(told, ended?.status);
  if (ended === undefined) return behind;
  const { sequence, status, reason } = ended;
  const text = `The run ended ${status}: ${reason}`;
  return [{ kind: 'run-ended', sequence, stepId: null, text }, ...behind];
};

const behindTheEnd = (
  told: ToldFacts,
  status: Fact<'run.ended'>['status'] | undefined,
): Cause[] => {
  switch (status) {
    case 'timeExpired':
      return timeCauses(told);
    case 'budgetExhausted':
      return budgetCauses(told);
    case 'aborted':
      return escalationCauses(told);
    case 'failed':
      return failedStepCauses(told);
    case 'completed':
      return [];
    case undefined:
      return [...timeCauses(told), ...budgetCauses(told), ...escalationCauses(told)].slice(0, 1);
  }
};

const timeCauses = (told: ToldFacts): Cause[] => {
  const expired = told.last('time.expired', ({ scope }) => scope === 'run');
  const closed = told.last('time.executionClosed');
  const fact = expired ?? closed;
  if (fact === undefined) return [];
  const text =
    expired === undefined ? 'The time for steps was used up' : 'The time of the run was used up';
  return [{ kind: 'time-expired', sequence: fact.sequence, stepId: null, text }];
};

const escalationCauses = (told: ToldFacts): Cause[] => {
  const abort = told.last('escalation.changed', ({ to }) => to === 'abort');
  if (abort === undefined) return [];
  const text = `The supervisor ended it after a score of ${abort.score}`;
  return [{ kind: 'escalated', sequence: abort.sequence, stepId: null, text }];
};

const failedStepCauses = (told: ToldFacts): Cause[] => {
  const failed = told.last('step.failed');
  if (failed === undefined) return [];
  const { sequence, stepId, code, reason } = failed;
  const text = `Step '${stepId}' had failed: ${code}: ${reason}`;
  return [{ kind: 'failed', sequence, stepId, text }];
};
