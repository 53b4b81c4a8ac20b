import { isSameJson } from '../../canonical-json.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { CommandResult, Run } from '../../run/run.types.js';
import type { Violation } from '../../testing/invariants/evidence.js';
import { Findings } from '../../testing/invariants/evidence.js';
import type { Life } from './life.js';
import type { Environment } from './environment.js';
import type { PostedToStore } from './truth.js';
import { isRefused } from './truth.js';

/** Every fact delivered to a subscriber is in the store by then, at its position. */
export const hearTold = (environment: Environment, life: Life, run: Run): void => {
  const { truth } = environment;
  run.subscribe((fact) => {
    if (!life.isAlive) return;
    const durable = truth.facts[fact.sequence - 1];
    const isDurable = durable !== undefined && isSame(durable, fact);
    const message = `life ${life.number} delivers fact ${fact.sequence}, ${fact.type}, which the store does not have`;
    environment.expect(isDurable, 'told-implies-durable', message);
    if (!environment.told.has(fact.sequence)) environment.told.set(fact.sequence, durable ?? fact);
  });
};

const isSame = (durable: Fact, told: Fact): boolean =>
  durable === told ||
  (durable.type === told.type && durable.at === told.at && isSameJson(durable, told));

/** Every delivered fact is in the final journal, at its position. */
export const checkTold = (
  environment: Environment,
  journal: readonly JournalEntry[],
): readonly Violation[] => {
  const findings = new Findings();
  const facts = journal.flatMap((entry) => entry.facts);
  for (const [sequence, told] of environment.told) {
    const kept = facts[sequence - 1];
    const isKept = kept !== undefined && isSame(kept, told);
    const message = `fact ${sequence}, ${told.type}, was delivered and is not in the journal`;
    findings.expect(isKept, 'told-implies-durable', message);
  }
  return findings.violations;
};

/** A command to a process that owns the run is answered when it is durable. */
export const checkAnsweredHere = (
  environment: Environment,
  what: string,
  { accepted }: CommandResult,
): void => {
  if (!accepted) return;
  environment.acceptedAnswers += 1;
  const isDurable = environment.acceptedAnswers <= environment.truth.acceptedHere;
  environment.expect(isDurable, 'told-implies-durable', `${what} is accepted and not durable`);
};

/** A command through the store is answered according to the journal, or not yet. */
export const checkAnsweredThere = (
  environment: Environment,
  id: string,
  result: CommandResult,
): void => {
  environment.answers.set(id, result);
  if (!result.accepted || result.isPending === true || result.isUnanswered === true) return;
  const entry = environment.truth.judged.get(id);
  const isDurable = entry !== undefined && !isRefused(entry.facts);
  environment.expect(isDurable, 'told-implies-durable', `${id} is accepted and not durable`);
};

/** How long a command may wait for a polling process, besides the time without one. */
const JUDGED_WITHIN_MS = 5_000;

/** Commands through the store, after the end. */
export const checkPosted = (environment: Environment): readonly Violation[] => {
  const findings = new Findings();
  for (const [id, result] of environment.answers) {
    const posted = environment.truth.posted.get(id);
    if (result.accepted) checkJudged(environment, id, posted, findings);
    else if (!result.reason.includes('is unknown')) checkRefused(environment, id, findings);
  }
  return findings.violations;
};

const checkJudged = (
  environment: Environment,
  id: string,
  posted: PostedToStore | undefined,
  findings: Findings,
): void => {
  const latestMs = environment.endedAtMs - JUDGED_WITHIN_MS - environment.downtimeMs;
  const isJudged =
    environment.truth.judged.has(id) || (posted !== undefined && posted.atMs >= latestMs);
  findings.expect(isJudged, 'commands-kept', `${id} was acknowledged and is never handled`);
};

const checkRefused = ({ truth }: Environment, id: string, findings: Findings): void => {
  const entry = truth.judged.get(id);
  const isUndone = entry === undefined || isRefused(entry.facts);
  findings.expect(isUndone, 'commands-kept', `${id} was refused and is carried out`);
};
