import type { Fact } from '../model/facts.js';
import type { StepRecord } from '../journal/record.js';
import { answerCauses } from './explain-answers.js';
import type { Cause } from './explain.types.js';
import type { ToldFacts } from './told-facts.js';

const verdictCauses = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const verdict = told.last('verdict.given', (fact) => fact.stepId === id && !fact.passed);
  if (verdict === undefined) return [];
  const said = verdict.feedback === '' ? '' : `: ${verdict.feedback}`;
  const text = `The supervisor gave the ${verdict.subject} of step '${id}' a score of ${verdict.score}, which does not pass${said}`;
  return [{ kind: 'verdict', sequence: verdict.sequence, stepId: id, text }];
};

const testCauses = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const tests = told.last('tests.reported', (fact) => fact.stepId === id && !fact.passed);
  if (tests === undefined) return [];
  const text = `The tests of step '${id}' had ${tests.failures} failures`;
  return [{ kind: 'tests-failed', sequence: tests.sequence, stepId: id, text }];
};

const voteCauses = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const vote = told.last('vote.decided', (fact) => fact.stepId === id && fact.winner === null);
  if (vote === undefined) return [];
  const text = `${vote.cast} votes of ${vote.of} on step '${id}' gave no majority`;
  return [{ kind: 'no-majority', sequence: vote.sequence, stepId: id, text }];
};

const blockedCauses = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const answer = told.last(
    'agent.answered',
    (fact) => fact.stepId === id && (fact.report === 'blocked' || fact.report === 'askHuman'),
  );
  if (answer === undefined) return [];
  const text = `${answer.agent} was blocked on step '${id}'`;
  return [{ kind: 'agent-blocked', sequence: answer.sequence, stepId: id, text }];
};

/** The end of the sub-plan, and its first step without a result. */
const subplanCauses = (
  told: ToldFacts,
  { id }: StepRecord,
  _before: number,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const ended = told.last('subplan.ended', ({ stepId }) => stepId === id);
  if (ended === undefined) return [];
  const text = `The sub-plan of step '${id}' ended ${ended.status}: ${ended.reason}`;
  const self: Cause = { kind: 'subplan-ended', sequence: ended.sequence, stepId: id, text };
  const below = told.record.steps.find(
    ({ parentStepId, status }) => parentStepId === id && status === 'failed',
  );
  return below === undefined ? [self] : [self, ...explain(below.id)];
};

/** The call in flight when the step's time was used up. */
const unansweredCauses = (told: ToldFacts, { id }: StepRecord, before: number): Cause[] => {
  const called = told.last('agent.called', ({ stepId }) => stepId === id, before);
  if (called === undefined) return [];
  const text = `${called.agent} was called for step '${id}' and had not answered`;
  return [{ kind: 'waiting-for-answer', sequence: called.sequence, stepId: id, text }];
};

const callCauses = (told: ToldFacts, { id }: StepRecord, before: number): Cause[] => {
  const failed = told.last('agent.failed', ({ stepId }) => stepId === id, before);
  if (failed === undefined) return [];
  const { sequence, agent, code, reason } = failed;
  const text = `The call of ${agent} for step '${id}' failed at try ${failed.try}: ${code}: ${reason}`;
  const self: Cause = { kind: 'call-failed', sequence, stepId: id, text };
  if (code === 'breaker-open') return [self, ...breakerCauses(told, agent, sequence)];
  return code === 'budget-exhausted' ? [self, ...budgetCauses(told)] : [self];
};

const breakerCauses = (told: ToldFacts, agent: string, before: number): Cause[] => {
  const opened = told.last('breaker.opened', (fact) => fact.agent === agent, before);
  if (opened === undefined) return [];
  const text = `${agent} had failed too often and its breaker was open`;
  return [{ kind: 'breaker-open', sequence: opened.sequence, stepId: null, text }];
};

export const budgetCauses = (told: ToldFacts): Cause[] => {
  const exhausted = told.last('budget.exhausted');
  if (exhausted === undefined) return [];
  const text = `The run had spent its ${exhausted.limit}`;
  return [{ kind: 'budget-exhausted', sequence: exhausted.sequence, stepId: null, text }];
};

type Behind = (
  told: ToldFacts,
  step: StepRecord,
  before: number,
  explain: (stepId: string) => Cause[],
) => Cause[];

/** By the code of the failure; all other codes belong to calls. */
const BEHIND: Readonly<Partial<Record<string, Behind>>> = {
  rejected: answerCauses,
  'approval-expired': answerCauses,
  'rejected-by-supervisor': verdictCauses,
  'tests-failed': testCauses,
  'no-majority': voteCauses,
  blocked: blockedCauses,
  'subplan-failed': subplanCauses,
  'subplan-timeout': subplanCauses,
  'subplan-rejected': subplanCauses,
  'step-timeout': unansweredCauses,
  'fix-timeout': unansweredCauses,
};

/** The causes behind a failure. Codes without another fact are explained by the failure itself. */
export const failureCauses = (
  told: ToldFacts,
  step: StepRecord,
  { code, sequence }: Fact<'step.failed'>,
  explain: (stepId: string) => Cause[],
): Cause[] => {
  const behind = Object.hasOwn(BEHIND, code) ? BEHIND[code] : undefined;
  return (behind ?? callCauses)(told, step, sequence, explain);
};
