import type { FactBody } from '../../model/facts.js';
import type { ApprovalContext } from './context.js';

const identity = ({
  requestId,
  stepId,
}: ApprovalContext): Pick<ApprovalContext, 'requestId' | 'stepId'> => ({ requestId, stepId });

const answeredBy = ({ outcome }: ApprovalContext): { by?: string } =>
  outcome?.by == null ? {} : { by: outcome.by };

export const approvalRequested = (context: ApprovalContext): FactBody<'approval.requested'> => ({
  type: 'approval.requested',
  ...identity(context),
  question: context.question,
  payload: context.payload,
});

export const approvalGranted = (context: ApprovalContext): FactBody<'approval.granted'> => ({
  type: 'approval.granted',
  ...identity(context),
  answer: context.outcome?.text ?? '',
  ...answeredBy(context),
});

export const approvalRejected = (context: ApprovalContext): FactBody<'approval.rejected'> => ({
  type: 'approval.rejected',
  ...identity(context),
  reason: context.outcome?.text ?? '',
  ...answeredBy(context),
});

export const approvalExpired = (context: ApprovalContext): FactBody<'approval.expired'> => ({
  type: 'approval.expired',
  ...identity(context),
  outcome: context.onTimeout,
});
