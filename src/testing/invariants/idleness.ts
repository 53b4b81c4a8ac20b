import type { FactBody } from '../../model/facts.js';
import type { Check, Evidence, Handlers } from './evidence.js';
import { Findings, follow, isSatisfying, moments, parentOf } from './evidence.js';

interface Step {
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
  state: 'waiting' | 'running' | 'satisfying' | 'lost';
}

interface Ledger {
  readonly steps: Map<string, Step>;
  /** The phase of every plan, by the step whose sub-plan it is. */
  readonly phases: Map<string | null, string>;
}

/**
 * The other half of invariant 3: while a plan is executed, every runnable step runs as far as slots are free, and at
 * least one step runs. Checked after each group of facts.
 */
export const checkIdleness: Check = (evidence) => {
  const findings = new Findings();
  const ledger: Ledger = { steps: new Map(), phases: new Map() };
  const handlers = handlersOf(ledger);
  for (const moment of moments(evidence)) {
    follow(moment, findings, handlers);
    findings.lookAt(moment.at(-1) ?? null);
    for (const [parent, phase] of ledger.phases) {
      if (phase === 'executing') judge(ledger, parent, evidence, findings);
    }
  }
  return findings.violations;
};

const handlersOf = ({ steps, phases }: Ledger): Handlers => {
  const settle = (fact: Settling): void => {
    change(steps, fact.stepId, settledState(fact));
    // The end of a step ends its sub-plan.
    phases.delete(fact.stepId);
  };
  return {
    'phase.entered': ({ parentStepId, phase }) => phases.set(parentStepId, phase),
    'plan.adopted': ({ steps: added }) => {
      for (const { id, dependsOn } of added) {
        steps.set(id, { parent: parentOf(id), dependsOn, state: 'waiting' });
      }
    },
    'step.started': ({ stepId }) => change(steps, stepId, 'running'),
    'step.completed': settle,
    'step.failed': settle,
    'step.skipped': settle,
    'step.cancelled': settle,
    'run.ended': () => phases.clear(),
  };
};

type Settling = FactBody<'step.completed' | 'step.failed' | 'step.skipped' | 'step.cancelled'>;

const settledState = (fact: Settling): Step['state'] =>
  isSatisfying(fact.type, 'reason' in fact ? fact.reason : '') ? 'satisfying' : 'lost';

const change = (steps: Ledger['steps'], stepId: string, state: Step['state']): void => {
  const step = steps.get(stepId);
  if (step !== undefined) step.state = state;
};

const judge = (
  { steps, phases }: Ledger,
  parent: string | null,
  { policy }: Evidence,
  findings: Findings,
): void => {
  // A sub-plan of an ended step has ended, too.
  if (parent !== null && steps.get(parent)?.state !== 'running') {
    phases.delete(parent);
    return;
  }
  const own = [...steps.entries()].filter(([, step]) => step.parent === parent);
  const running = own.filter(([, { state }]) => state === 'running').length;
  const waiting = own.filter(([, { state }]) => state === 'waiting');
  const isMet = (stepId: string): boolean => {
    const state = steps.get(stepId)?.state;
    if (state === 'lost') return policy.failure.onDependencyFailure === 'run';
    return state === 'satisfying';
  };
  const runnable = waiting.find(([, { dependsOn }]) => dependsOn.every(isMet))?.[0];
  const slots = parent === null ? policy.limits.maxParallel : 1;
  const isBusy = runnable === undefined || running >= slots;
  findings.expect(isBusy, 'no-idle-slot', `${runnable} can run and a slot is free`);
  const isAlive = running > 0 || runnable !== undefined;
  findings.expect(
    isAlive,
    'no-idle-slot',
    `${parent ?? 'the plan'} is being executed, but no step runs`,
  );
};
