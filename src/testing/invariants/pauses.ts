import type { FactBody } from '../../model/facts.js';
import type { Check } from './evidence.js';
import { Findings, follow } from './evidence.js';

/** Invariant 23 for pauses: running steps finish, and nothing else starts until the run is unpaused. */
export const checkPauses: Check = ({ facts }) => {
  const findings = new Findings();
  let isPaused = false;
  const expectRunning = (what: string): void =>
    findings.expect(!isPaused, 'pause-held', `${what} while the run is paused`);
  follow(facts, findings, {
    'run.paused': () => {
      isPaused = true;
    },
    'run.unpaused': () => {
      isPaused = false;
    },
    'step.started': ({ stepId }) => expectRunning(`${stepId} starts`),
    'agent.called': (fact) => {
      if (isForPlan(fact)) expectRunning(`${fact.key} is called`);
    },
  });
  return findings.violations;
};

/**
 * A call for a plan, or for a verdict about a plan or the goal. The summary is part of the end, which ends the pause
 * too.
 */
const isForPlan = ({ role, key }: FactBody<'agent.called'>): boolean =>
  role === 'planner' || /\/plan\/supervisor\.(?:plan|goal)\.\d+(?:#|$)/.test(key);
