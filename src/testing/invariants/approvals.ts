import type { FactBody } from '../../model/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow } from './evidence.js';

interface Questions {
  /** Open requests and the step each is about. */
  readonly open: Map<string, string | null>;
  readonly answered: Set<string>;
  readonly approved: Set<string>;
  readonly rejected: Set<string>;
  /** Steps that may make no call before an approval. */
  readonly needsConsent: Set<string>;
  /** True when a person approved something of the goal's plan since it was proposed. */
  isPlanApproved: boolean;
}

/** Invariant 10: nothing that needs an approval runs without it, and nothing at all after a rejection. */
export const checkApprovals: Check = ({ facts, policy, bounds }) => {
  const findings = new Findings();
  const questions: Questions = {
    open: new Map(),
    answered: new Set(),
    approved: new Set(),
    rejected: new Set(),
    needsConsent: new Set(),
    isPlanApproved: false,
  };
  const proposals = new Map<string | null, FactBody<'plan.proposed'>>();
  let isEndedByNo = false;
  const answer = (fact: Answer): void => {
    checkAnswer(questions, fact, findings);
    isEndedByNo ||= policy.approval.onReject === 'fail' && isNo(fact) && !isAboutPlan(fact);
  };
  follow(facts, findings, {
    'plan.proposed': (fact) => {
      proposals.set(fact.parentStepId, fact);
      if (fact.parentStepId === null) questions.isPlanApproved = false;
    },
    'plan.adopted': (fact) => {
      const proposal = proposals.get(fact.parentStepId);
      checkPlanGate(questions, proposal, policy, findings);
      noteConsent(questions, fact, proposal, policy);
    },
    'approval.requested': (fact) => checkRequest(questions, fact, findings),
    'approval.granted': answer,
    'approval.rejected': answer,
    'approval.expired': answer,
    'agent.called': (fact) => {
      checkCall(questions, fact, findings);
      findings.expect(
        !isEndedByNo,
        'consent-first',
        `${fact.key} is called after the rejection that ends the run`,
      );
    },
  });
  const asked = facts.filter((fact) => fact.type === 'approval.requested').length;
  const most = bounds?.approvals ?? asked;
  findings.expect(asked <= most, 'ceilings-held', `${asked} questions, at most ${most}`);
  return findings.violations;
};

type Answer = FactBody<'approval.granted' | 'approval.rejected' | 'approval.expired'>;

/** With `approval.plan` a person approves every plan of the goal, whatever its scope, but no hand-off. */
const checkPlanGate = (
  { isPlanApproved }: Questions,
  proposal: FactBody<'plan.proposed'> | undefined,
  { approval }: Evidence['policy'],
  findings: Findings,
): void => {
  const isGated = approval.plan && proposal?.parentStepId === null && proposal.origin !== 'handOff';
  findings.expect(
    !isGated || isPlanApproved,
    'consent-first',
    'A plan is adopted without an approval',
  );
};

/** Steps are adopted in the order of the proposal, under other ids. */
const noteConsent = (
  { needsConsent }: Questions,
  { steps }: FactBody<'plan.adopted'>,
  proposal: FactBody<'plan.proposed'> | undefined,
  { approval }: Evidence['policy'],
): void => {
  // The scope of the plan that adds the steps; a hand-off has none.
  const isExempt = approval.autoApproveTrivial && proposal?.plan?.scope === 'trivial';
  const asked = new Set<string>(isExempt ? [] : approval.agents);
  for (const [index, { id, agent }] of steps.entries()) {
    if (asked.has(agent) || isAskedByPlan(proposal, index)) needsConsent.add(id);
  }
};

const isAskedByPlan = (proposal: FactBody<'plan.proposed'> | undefined, index: number): boolean =>
  proposal?.plan?.steps[index]?.requiresApproval === true;

const checkRequest = (
  { open, answered }: Questions,
  { requestId, stepId }: FactBody<'approval.requested'>,
  findings: Findings,
): void => {
  const isNew = !open.has(requestId) && !answered.has(requestId);
  findings.expect(isNew, 'consent-first', `${requestId} is asked twice`);
  open.set(requestId, stepId);
};

const checkAnswer = (questions: Questions, fact: Answer, findings: Findings): void => {
  const { open, answered, approved, rejected } = questions;
  const { requestId, stepId } = fact;
  findings.expect(
    open.get(requestId) === stepId,
    'consent-first',
    `${requestId} is answered without being open`,
  );
  open.delete(requestId);
  answered.add(requestId);
  if (stepId === null) {
    questions.isPlanApproved = !isNo(fact);
    return;
  }
  (isNo(fact) ? rejected : approved).add(stepId);
};

const isNo = (fact: Answer): boolean =>
  fact.type === 'approval.rejected' ||
  (fact.type === 'approval.expired' && fact.outcome === 'reject');

/** The plan, not one of its steps, asks about plans and limits. */
const isAboutPlan = ({ requestId }: Answer): boolean => /:plan\.\d+$/.test(requestId);

const checkCall = (
  { open, approved, rejected, needsConsent }: Questions,
  { stepId, key }: FactBody<'agent.called'>,
  findings: Findings,
): void => {
  if (stepId === null) return;
  findings.expect(
    ![...open.values()].includes(stepId),
    'consent-first',
    `${key} does not wait for the answer`,
  );
  findings.expect(!rejected.has(stepId), 'consent-first', `${key} is called after a rejection`);
  const hasConsent = !needsConsent.has(stepId) || approved.has(stepId);
  findings.expect(hasConsent, 'consent-first', `${key} is called without an approval`);
};
