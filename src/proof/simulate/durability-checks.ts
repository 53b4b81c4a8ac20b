import { isSameJson } from '../../canonical-json.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { CommandResult, Run } from '../../run/run.types.js';
import type { Violation } from '../../testing/invariants/evidence.js';
import { Findings } from '../../testing/invariants/evidence.js';
import type { Life } from './life.js';
import type { Stage } from './stage.js';
import type { PostedToStore } from './truth.js';
import { isRefused } from './truth.js';

/** Every fact that a subscriber is told is in the store by then, in its place. */
export const hearTold = (stage: Stage, life: Life, run: Run): void => {
  const { truth } = stage;
  run.subscribe((fact) => {
    if (!life.isAlive) return;
    const durable = truth.facts[fact.sequence - 1];
    const isDurable = durable !== undefined && isSame(durable, fact);
    const message = `life ${life.number} tells fact ${fact.sequence}, ${fact.type}, which the store does not have`;
    stage.expect(isDurable, 'told-implies-durable', message);
    if (!stage.told.has(fact.sequence)) stage.told.set(fact.sequence, durable ?? fact);
  });
};

const isSame = (durable: Fact, told: Fact): boolean =>
  durable === told ||
  (durable.type === told.type && durable.at === told.at && isSameJson(durable, told));

/** Every fact that was ever told is in the journal in the end, in its place. */
export const checkTold = (stage: Stage, journal: readonly JournalEntry[]): readonly Violation[] => {
  const findings = new Findings();
  const facts = journal.flatMap((entry) => entry.facts);
  for (const [sequence, told] of stage.told) {
    const kept = facts[sequence - 1];
    const isKept = kept !== undefined && isSame(kept, told);
    const message = `fact ${sequence}, ${told.type}, was told and is not in the journal`;
    findings.expect(isKept, 'told-implies-durable', message);
  }
  return findings.violations;
};

/** A command to a process that owns the run is answered when it is durable. */
export const checkAnsweredHere = (
  stage: Stage,
  what: string,
  { accepted }: CommandResult,
): void => {
  if (!accepted) return;
  stage.acceptedAnswers += 1;
  const isDurable = stage.acceptedAnswers <= stage.truth.acceptedHere;
  stage.expect(isDurable, 'told-implies-durable', `${what} is accepted and not durable`);
};

/** A command through the store is answered with what the journal says, or not yet. */
export const checkAnsweredThere = (stage: Stage, id: string, result: CommandResult): void => {
  stage.answers.set(id, result);
  if (!result.accepted || result.isPending === true || result.isUnanswered === true) return;
  const entry = stage.truth.judged.get(id);
  const isDurable = entry !== undefined && !isRefused(entry.facts);
  stage.expect(isDurable, 'told-implies-durable', `${id} is accepted and not durable`);
};

/** How long a command may wait for a process that polls, beyond the time in which none could. */
const JUDGED_WITHIN_MS = 5_000;

/** Commands through the store, when everything is over. */
export const checkPosted = (stage: Stage): readonly Violation[] => {
  const findings = new Findings();
  for (const [id, result] of stage.answers) {
    const posted = stage.truth.posted.get(id);
    if (result.accepted) checkJudged(stage, id, posted, findings);
    else if (!result.reason.includes('not known')) checkRefused(stage, id, findings);
  }
  return findings.violations;
};

const checkJudged = (
  stage: Stage,
  id: string,
  posted: PostedToStore | undefined,
  findings: Findings,
): void => {
  const latestMs = stage.endedAtMs - JUDGED_WITHIN_MS - stage.downtimeMs;
  const isJudged = stage.truth.judged.has(id) || (posted !== undefined && posted.atMs >= latestMs);
  findings.expect(isJudged, 'commands-kept', `${id} was acknowledged and is never judged`);
};

const checkRefused = ({ truth }: Stage, id: string, findings: Findings): void => {
  const entry = truth.judged.get(id);
  const isUndone = entry === undefined || isRefused(entry.facts);
  findings.expect(isUndone, 'commands-kept', `${id} was refused and is carried out`);
};
