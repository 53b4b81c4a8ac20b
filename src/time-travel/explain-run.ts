import type { Fact } from '../model/facts.js';
import { runEndCauses } from './explain-run-end.js';
import type { Cause, RunExplanation } from './explain.types.js';
import { ToldFacts } from './told-facts.js';

/** Why a run ended as it did, or what it waits for: from its facts only. */
export const explainRun = (runId: string, facts: readonly Fact[]): RunExplanation => {
  const told = new ToldFacts(facts);
  const causes = distinct([
    ...runEndCauses(told),
    ...planningCauses(told),
    ...refusedCauses(told),
    ...failedCauses(told),
    ...waitingCauses(told),
  ]);
  const text = causes.map((cause) => `${cause.text} (fact ${cause.sequence}).`).join(' ');
  return { runId, status: told.record.status, causes, text };
};

/** Tries of the planner that failed, and plans that were rejected, with their issues. */
const planningCauses = (told: ToldFacts): Cause[] =>
  told.facts.flatMap((fact): Cause[] => {
    if (fact.type === 'agent.failed' && fact.role === 'planner') {
      const text = `Try ${fact.try} of the planner failed: ${fact.reason}`;
      return [{ kind: 'call-failed', sequence: fact.sequence, stepId: fact.stepId, text }];
    }
    if (fact.type !== 'plan.rejected') return [];
    const { revision, by, reason, issues, parentStepId, sequence } = fact;
    const found = issues.map(({ path, message }) =>
      path === '' ? message : `${path}: ${message}`,
    );
    const text = [`Plan ${revision} was rejected by ${by}: ${reason}`, ...found].join('; ');
    return [{ kind: 'plan-rejected', sequence, stepId: parentStepId, text }];
  });

const refusedCauses = (told: ToldFacts): Cause[] =>
  told.all('request.refused').map(({ what, stepId, bound, limit, reason, sequence }): Cause => {
    const asker = stepId === null ? 'The run' : `Step '${stepId}'`;
    const number = limit === null ? '' : ` of ${limit}`;
    const text = `${asker} was refused a ${NAMES[what]} at the bound ${bound}${number}: ${reason}`;
    return { kind: 'request-refused', sequence, stepId, text };
  });

const NAMES: Readonly<Record<Fact<'request.refused'>['what'], string>> = {
  replan: 'replan',
  handOff: 'hand-off',
  subplan: 'sub-plan',
  question: 'question',
  fix: 'fix',
  vote: 'further vote',
};

const failedCauses = (told: ToldFacts): Cause[] =>
  told.all('step.failed').map(({ stepId, code, reason, sequence }): Cause => {
    const text = `Step '${stepId}' failed: ${code}: ${reason}`;
    return { kind: 'failed', sequence, stepId, text };
  });

/** What an unfinished run waits for. */
const waitingCauses = (told: ToldFacts): Cause[] => {
  const { status, pausedAt, openApprovals } = told.record;
  if (status !== 'running') return [];
  const paused = told.last('run.paused');
  const pauses: Cause[] =
    pausedAt === null || paused === undefined
      ? []
      : [{ kind: 'paused', sequence: paused.sequence, stepId: null, text: 'The run is paused' }];
  const questions = openApprovals.flatMap(({ requestId, stepId, question }): Cause[] => {
    const asked = told.last('approval.requested', (fact) => fact.requestId === requestId);
    if (asked === undefined) return [];
    const text = `A person has not answered '${requestId}' yet: ${question}`;
    return [{ kind: 'waiting-for-approval', sequence: asked.sequence, stepId, text }];
  });
  return [...pauses, ...questions];
};

/** One cause per fact: the end of a run may name a failed step that is listed again. */
const distinct = (causes: readonly Cause[]): Cause[] =>
  causes.filter(
    ({ sequence }, index) => causes.findIndex((other) => other.sequence === sequence) === index,
  );
