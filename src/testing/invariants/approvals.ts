import type { FactBody } from '../../journal/facts.js';
import type { Check, Evidence } from './evidence.js';
import { Findings, follow } from './evidence.js';

interface Questions {
  /** Open requests and the step each is about. */
  readonly open: Map<string, string | null>;
  readonly answered: Set<string>;
  readonly approved: Set<string>;
  readonly rejected: Set<string>;
  /** Steps nobody may be called for before a person agreed. */
  readonly needsConsent: Set<string>;
  /** How large the planner said the work is; a hand-off does not change that. */
  readonly scopes: Map<string | null, string | undefined>;
}

/** Invariant 10: nothing that needs consent runs without it, and nothing at all after a refusal. */
export const checkApprovals: Check = ({ facts, policy, bounds }) => {
  const findings = new Findings();
  const questions: Questions = {
    open: new Map(),
    answered: new Set(),
    approved: new Set(),
    rejected: new Set(),
    needsConsent: new Set(),
    scopes: new Map(),
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
    },
    'plan.adopted': (fact) =>
      noteConsent(questions, fact, proposals.get(fact.parentStepId), policy),
    'approval.requested': (fact) => checkRequest(questions, fact, findings),
    'approval.granted': answer,
    'approval.rejected': answer,
    'approval.expired': answer,
    'agent.called': (fact) => {
      checkCall(questions, fact, findings);
      findings.expect(
        !isEndedByNo,
        'consent-first',
        `${fact.key} is called after the no that ends the run`,
      );
    },
  });
  const asked = facts.filter((fact) => fact.type === 'approval.requested').length;
  const most = bounds?.approvals ?? asked;
  findings.expect(asked <= most, 'ceilings-held', `${asked} questions, at most ${most}`);
  return findings.violations;
};

type Answer = FactBody<'approval.granted' | 'approval.rejected' | 'approval.expired'>;

/** Steps are adopted in the order they were proposed in, whatever they are called afterwards. */
const noteConsent = (
  { needsConsent, scopes }: Questions,
  { steps, parentStepId }: FactBody<'plan.adopted'>,
  proposal: FactBody<'plan.proposed'> | undefined,
  { approval }: Evidence['policy'],
): void => {
  if (proposal?.origin !== 'handOff') scopes.set(parentStepId, proposal?.plan?.scope);
  const isExempt = approval.autoApproveTrivial && scopes.get(parentStepId) === 'trivial';
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

const checkAnswer = (
  { open, answered, approved, rejected }: Questions,
  fact: Answer,
  findings: Findings,
): void => {
  const { requestId, stepId } = fact;
  findings.expect(
    open.get(requestId) === stepId,
    'consent-first',
    `${requestId} is answered and not open`,
  );
  open.delete(requestId);
  answered.add(requestId);
  if (stepId === null) return;
  (isNo(fact) ? rejected : approved).add(stepId);
};

const isNo = (fact: Answer): boolean =>
  fact.type === 'approval.rejected' ||
  (fact.type === 'approval.expired' && fact.outcome === 'reject');

/** Plans and limits are asked about by the plan, not by one of its steps. */
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
  findings.expect(
    !rejected.has(stepId),
    'consent-first',
    `${key} is called after a person said no`,
  );
  const hasConsent = !needsConsent.has(stepId) || approved.has(stepId);
  findings.expect(hasConsent, 'consent-first', `${key} is called and nobody agreed`);
};
