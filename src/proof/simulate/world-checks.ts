import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { StepRecord } from '../../journal/record.js';
import type { RunReport } from '../../journal/report.js';
import type { Violation } from '../../testing/invariants/evidence.js';
import { Findings } from '../../testing/invariants/evidence.js';
import type { Life } from './life.js';
import type { Environment } from './environment.js';

/** Checks that a journal alone does not allow: remaining calls, the report, and whether a healed world ended. */
export const checkWorld = (
  environment: Environment,
  lastLife: Life | undefined,
  journal: readonly JournalEntry[],
  report: RunReport | null,
): readonly Violation[] => {
  const findings = new Findings();
  if (report === null || lastLife === undefined) return [];
  checkLeftovers(environment, lastLife, findings);
  const facts = journal.flatMap((entry) => entry.facts);
  checkReport(facts, report, findings);
  checkHealing(environment, facts, findings);
  return findings.violations;
};

/** Every call in flight at the end of the run was aborted. */
const checkLeftovers = (environment: Environment, lastLife: Life, findings: Findings): void => {
  for (const key of callsLeft(environment, lastLife)) {
    findings.expect(
      false,
      'nothing-left',
      `${key} is in flight after the end, and was not aborted`,
    );
  }
};

/** Calls of one process that neither ended nor were aborted. */
export const callsLeft = (environment: Environment, { number }: Life): string[] =>
  [...environment.ledger.calls].flatMap(([key, calls]) =>
    calls
      .filter(({ life, signal, isSettled }) => life === number && !isSettled && !signal.aborted)
      .map(() => key),
  );

const STATUSES: Readonly<Record<string, string>> = {
  'step.completed': 'completed',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.cancelled': 'cancelled',
};

/** The report agrees with the facts: the end, every step, every output. */
const checkReport = (facts: readonly Fact[], report: RunReport, findings: Findings): void => {
  const expect = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'report-true', message);
  const end = facts.at(-1);
  const isSaid = end?.type === 'run.ended' && end.status === report.status;
  expect(isSaid, `the report says ${report.status}, the journal ends with ${end?.type}`);
  checkSteps(facts, report, findings);
  const { successfulSteps, failedSteps, skippedSteps, cancelledSteps } = report;
  const listed = [successfulSteps, failedSteps, skippedSteps, cancelledSteps].flat();
  expect(new Set(listed).size === report.steps.length, 'a step is in no list, or in two');
};

const checkSteps = (facts: readonly Fact[], report: RunReport, findings: Findings): void => {
  const steps = new Map(report.steps.map((step) => [step.id, step]));
  const outputs = new Map<string, string>();
  for (const fact of facts) {
    if (fact.type === 'agent.answered') outputs.set(fact.key, JSON.stringify(fact.output));
    const status = STATUSES[fact.type];
    if (status === undefined || !('stepId' in fact)) continue;
    const step = steps.get(fact.stepId ?? '');
    const isSaid = step?.status === status;
    const how = `${fact.stepId} is ${status}, the report says ${step?.status}`;
    findings.expect(isSaid, 'report-true', how);
    if (fact.type === 'step.completed') checkOutput(fact, step, outputs, findings);
  }
};

const checkOutput = (
  { stepId, outputKeys: [key, second] }: Fact<'step.completed'>,
  step: StepRecord | undefined,
  outputs: ReadonlyMap<string, string>,
  findings: Findings,
): void => {
  if (key === undefined || second !== undefined) return;
  const isSame = JSON.stringify(step?.output) === outputs.get(key);
  findings.expect(isSame, 'outputs-kept', `the output of ${stepId} changed on its way`);
};

/** Liveness: without further faults, everything open ends by its own deadlines, not by the run's. */
const checkHealing = (
  environment: Environment,
  facts: readonly Fact[],
  findings: Findings,
): void => {
  const { time, approval, retry, breaker } = environment.setting.policy;
  const end = facts.at(-1);
  if (end === undefined || breaker !== null || time.stepTimeoutMs === null) return;
  const slackMs =
    time.stepTimeoutMs +
    retry.attempts * retry.maxBackoffMs +
    approval.timeoutMs +
    time.graceMs +
    environment.downtimeMs +
    QUICK_WORK_MS;
  const latestMs = environment.world.healsAtMs + slackMs;
  const isAlive = end.at <= latestMs;
  findings.expect(isAlive, 'heals', `healed, and still at work at ${end.at}, not by ${latestMs}`);
};

/** The time of a few hundred calls in a healed world, a few milliseconds each. */
const QUICK_WORK_MS = 5_000;
