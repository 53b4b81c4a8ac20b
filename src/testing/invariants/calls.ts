import type { FactBody } from '../../model/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow } from './evidence.js';

/** Refused calls fail without having been made. */
const REFUSALS = ['breaker-open', 'budget-exhausted', 'timeout'];

interface Ledger {
  readonly agents: Set<string>;
  /** Keys of tries: true while a try has neither an answer nor a failure. */
  readonly isOpen: Map<string, boolean>;
  /** The number of the last try by the key of the call. */
  readonly tries: Map<string, number>;
  readonly answeredCalls: Set<string>;
  readonly outputs: Set<string>;
  readonly workingSteps: Set<string>;
  readonly attempts: Map<string, number>;
}

/** Invariants 4, 8, 9, 11 and 16: calls stay within their bounds, and every answer belongs to a call. */
export const checkCalls: Check = (evidence) => {
  const findings = new Findings();
  const ledger: Ledger = {
    agents: new Set(),
    isOpen: new Map(),
    tries: new Map(),
    answeredCalls: new Set(),
    outputs: new Set(),
    workingSteps: new Set(),
    attempts: new Map(),
  };
  const stopWork = ({ stepId }: { readonly stepId: string }): void => {
    ledger.workingSteps.delete(stepId);
  };
  follow(evidence.facts, findings, {
    'run.started': ({ agents }) => {
      for (const agent of agents) ledger.agents.add(agent);
    },
    'run.upgraded': ({ to }) => {
      ledger.agents.clear();
      for (const agent of to.agents) ledger.agents.add(agent);
    },
    'step.started': ({ stepId }) => {
      ledger.workingSteps.add(stepId);
      ledger.attempts.set(stepId, 1);
    },
    'step.retried': (fact) => checkRetry(ledger, fact, evidence, findings),
    'agent.called': (fact) => checkCall(ledger, fact, evidence, findings),
    'agent.answered': (fact) => checkReturn(ledger, fact, evidence, findings),
    'agent.failed': (fact) => checkReturn(ledger, fact, evidence, findings),
    'step.completed': (fact) => checkCompletion(ledger, fact, findings),
    'step.failed': stopWork,
    'step.skipped': stopWork,
    'step.cancelled': stopWork,
  });
  checkTotals(ledger, evidence, findings);
  return findings.violations;
};

const callKey = (key: string): string => key.split('#')[0] ?? key;

const checkRetry = (
  { attempts }: Ledger,
  { stepId, attempt }: FactBody<'step.retried'>,
  { policy }: Evidence,
  findings: Findings,
): void => {
  const expected = (attempts.get(stepId) ?? 0) + 1;
  findings.expect(
    attempt === expected,
    'attempts-bounded',
    `${stepId} starts attempt ${attempt} out of order`,
  );
  const isWithin = attempt <= policy.limits.maxAttempts;
  findings.expect(
    isWithin,
    'attempts-bounded',
    `${stepId} starts attempt ${attempt}, beyond maxAttempts`,
  );
  attempts.set(stepId, attempt);
};

const checkCall = (
  ledger: Ledger,
  fact: FactBody<'agent.called'>,
  { policy }: Evidence,
  findings: Findings,
): void => {
  const { key, role, agent, stepId, isFallback } = fact;
  findings.expect(!ledger.isOpen.has(key), 'intent-first', `${key} is called twice`);
  ledger.isOpen.set(key, true);
  const call = callKey(key);
  findings.expect(
    !ledger.answeredCalls.has(call),
    'intent-first',
    `${key} is called after it was answered`,
  );
  const before = ledger.tries.get(call) ?? 0;
  const isNext = isFallback ? fact.try >= before : fact.try > before;
  findings.expect(
    isNext,
    'attempts-bounded',
    `try ${fact.try} of ${call} comes after try ${before}`,
  );
  const isWithin = fact.try <= policy.retry.attempts;
  findings.expect(
    isWithin,
    'attempts-bounded',
    `try ${fact.try} of ${call} is beyond retry.attempts`,
  );
  ledger.tries.set(call, fact.try);
  if (role !== 'worker') return;
  findings.expect(
    ledger.agents.has(agent),
    'team-only',
    `${agent} is called without being in the team`,
  );
  const isWorking = stepId !== null && ledger.workingSteps.has(stepId);
  findings.expect(isWorking, 'causes-first', `${key} is called for a step that is not working`);
};

const checkReturn = (
  ledger: Ledger,
  fact: FactBody<'agent.answered'> | FactBody<'agent.failed'>,
  evidence: Evidence,
  findings: Findings,
): void => {
  const { key } = fact;
  const wasRefused =
    fact.type === 'agent.failed' &&
    !ledger.isOpen.has(key) &&
    REFUSALS.includes(fact.code) &&
    needsPermit(evidence);
  findings.expect(
    wasRefused || ledger.isOpen.get(key) === true,
    'intent-first',
    `${key} ends (${fact.type}) without being in flight`,
  );
  ledger.isOpen.set(key, false);
  if (fact.type === 'agent.failed') return;
  ledger.answeredCalls.add(callKey(key));
  if (fact.output !== null) ledger.outputs.add(key);
};

const needsPermit = ({ policy: { breaker, limits } }: Evidence): boolean =>
  breaker !== null ||
  [limits.maxAgentCalls, limits.maxTokens, limits.maxCostUsd].some((limit) => limit !== null);

const checkCompletion = (
  { outputs, attempts, workingSteps }: Ledger,
  fact: FactBody<'step.completed'>,
  findings: Findings,
): void => {
  workingSteps.delete(fact.stepId);
  for (const key of fact.outputKeys) {
    findings.expect(
      outputs.has(key),
      'outputs-kept',
      `${fact.stepId} is completed, its output ${key} is lost`,
    );
  }
  const made = attempts.get(fact.stepId) ?? 0;
  findings.expect(
    fact.attempts === made,
    'attempts-bounded',
    `${fact.stepId} took ${made} attempts, but reports ${fact.attempts}`,
  );
};

const checkTotals = ({ tries }: Ledger, { facts, bounds }: Evidence, findings: Findings) => {
  const made = facts.filter((fact) => fact.type === 'agent.called').length;
  if (bounds === undefined) return;
  findings.expect(
    made <= bounds.agentCalls,
    'ceilings-held',
    `${made} calls, at most ${bounds.agentCalls}`,
  );
  const planner = [...tries.keys()].filter((key) => /\/planner\.\d+$/.test(key)).length;
  const isWithin = planner <= bounds.plannerCalls;
  findings.expect(
    isWithin,
    'ceilings-held',
    `${planner} planner calls, at most ${bounds.plannerCalls}`,
  );
};
