import { TimeTravelError } from '../errors.js';
import type { Fact } from '../model/facts.js';
import type { StepRecord } from '../journal/record.js';
import { endedCauses } from './explain-ended.js';
import { openCauses } from './explain-open.js';
import type { Cause, Explanation } from './explain.types.js';
import { ToldFacts } from './told-facts.js';

/** Why a step did not run, failed, was repeated, or is not done yet: from the facts of its run only. */
export const explainStep = (
  runId: string,
  facts: readonly Fact[],
  stepId: unknown,
): Explanation => {
  const told = new ToldFacts(facts);
  const step = typeof stepId === 'string' ? told.step(stepId) : undefined;
  if (step === undefined) throw unknownStep(told, stepId);
  const causes = causesOf(told, step, new Set());
  const repeats = repeatsOf(told, step);
  return {
    runId,
    stepId: step.id,
    status: step.status,
    causes,
    repeats,
    text: [...causes, ...repeats]
      .map(({ text, sequence }) => `${text} (fact ${sequence}).`)
      .join(' '),
  };
};

/** The chain behind a step. A step that is already in the chain is not explained again. */
const causesOf = (told: ToldFacts, step: StepRecord, explained: Set<string>): Cause[] => {
  if (explained.has(step.id)) return [];
  explained.add(step.id);
  const explain = (stepId: string): Cause[] => {
    const other = told.step(stepId);
    return other === undefined ? [] : causesOf(told, other, explained);
  };
  return isOpen(step) ? openCauses(told, step, explain) : endedCauses(told, step, explain);
};

const isOpen = ({ status }: StepRecord): boolean =>
  status === 'pending' ||
  status === 'running' ||
  status === 'awaitingApproval' ||
  status === 'blocked';

/** Attempts, fixes and tries after the first, in order. */
const repeatsOf = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const ofStep = (fact: { readonly stepId: string | null }): boolean => fact.stepId === id;
  const attempts = told.all('step.retried', ofStep).map(({ sequence, attempt, reason }): Cause => {
    const text = `Attempt ${attempt} of step '${id}' followed the one before: ${reason}`;
    return { kind: 'repeated', sequence, stepId: id, text };
  });
  const fixes = told.all('fix.started', ofStep).map(({ sequence, cycle }): Cause => {
    const text = `Tests of step '${id}' failed, and fix ${cycle} was made`;
    return { kind: 'fixed', sequence, stepId: id, text };
  });
  const tries = told
    .all('agent.called', (fact) => ofStep(fact) && (fact.try > 1 || fact.isFallback))
    .map((fact) => tryCause(told, fact, id));
  return [...attempts, ...fixes, ...tries].sort((left, right) => left.sequence - right.sequence);
};

const tryCause = (told: ToldFacts, called: Fact<'agent.called'>, stepId: string): Cause => {
  const { sequence, agent, isFallback } = called;
  const failed = told.last('agent.failed', (fact) => fact.stepId === stepId, sequence);
  const again = isFallback ? 'The fallback was called' : `Try ${called.try} was made`;
  const text = `${again} for step '${stepId}' because ${agent} had failed: ${failed?.reason ?? 'no answer'}`;
  return { kind: 'call-failed', sequence, stepId, text };
};

const unknownStep = (told: ToldFacts, stepId: unknown): TimeTravelError => {
  const known = told.record.steps.map(({ id }) => id);
  const some = known.slice(0, 20).join(', ');
  const rest = known.length > 20 ? ` and ${known.length - 20} more` : '';
  const message = `Expected a step of the run, got '${String(stepId).slice(0, 80)}'. It has ${
    known.length === 0 ? 'no steps yet' : `${some}${rest}`
  }`;
  return new TimeTravelError([{ code: 'unknown-step', path: 'stepId', message }]);
};
