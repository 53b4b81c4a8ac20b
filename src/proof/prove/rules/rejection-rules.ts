import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { FactBody } from '../../../model/facts.js';
import type { StepContext } from '../../../machines/step/context.js';
import type { Policy } from '../../../model/policy.js';
import type { Violation } from '../model.types.js';

/** A rejected step never runs, and with `onReject: 'fail'` nothing else does. */
export const rejectionViolations = (policy: Policy, step: KernelStep): Violation[] => {
  const facts = step.emitted as unknown as readonly FactBody[];
  const violations: Violation[] = [];
  facts.forEach((fact, position) => {
    if (!isRejection(fact)) return;
    const later = facts.slice(position + 1);
    violations.push(...afterRejection(policy, fact, later, step));
  });
  return violations;
};

type Rejection = FactBody<'approval.rejected'> | FactBody<'approval.expired'>;

const isRejection = (fact: FactBody): fact is Rejection =>
  fact.type === 'approval.rejected' ||
  (fact.type === 'approval.expired' && fact.outcome === 'reject');

const afterRejection = (
  policy: Policy,
  { stepId, requestId }: Rejection,
  later: readonly FactBody[],
  step: KernelStep,
): Violation[] => {
  const isPlan = requestId.includes(':plan.');
  if (isPlan) return planRejected(later, requestId);
  const isCalled = later.some((fact) => fact.type === 'agent.called' && fact.stepId === stepId);
  const isAlive = [...step.state.nodes.values()].some(
    ({ chart, snapshot }) =>
      chart === 'step' && (snapshot.context as StepContext).stepId === stepId,
  );
  const violations: Violation[] = [];
  if (isCalled || isAlive) {
    const message = `${stepId ?? ''} continues after a rejection`;
    violations.push({ rule: 'rejection', message });
  }
  if (policy.approval.onReject === 'fail' && step.state.calls.size > 0) {
    violations.push({
      rule: 'rejection',
      message: 'Calls are in flight after a rejection that ends the run',
    });
  }
  return violations;
};

const planRejected = (later: readonly FactBody[], requestId: string): Violation[] =>
  later.some(({ type }) => type === 'plan.adopted')
    ? [
        {
          rule: 'rejection',
          message: `A plan is adopted although a person rejected ${requestId}`,
        },
      ]
    : [];
