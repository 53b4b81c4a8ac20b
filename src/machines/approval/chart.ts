import { assign, emit, sendTo, setup } from 'xstate';

import type { ApprovalAnswer } from '../../model/commands.js';
import { isAnswerToOwnQuestion } from '../../guards/approval.js';
import { parentOf } from '../send-up.js';
import type { ApprovalContext, ApprovalInput, ApprovalOutcome } from './context.js';
import { approvalExpired, approvalGranted, approvalRejected, approvalRequested } from './facts.js';

/**
 * One question to a person: about a plan, a step, the replan bound, or a question of an agent.
 *
 * It decides what counts as the answer: the first valid one, or the policy's default when the time to answer is over.
 * The chart that asked decides what follows from the answer.
 */
export const approvalMachine = setup({
  types: {
    input: {} as ApprovalInput,
    context: {} as ApprovalContext,
    events: {} as ApprovalAnswer,
    output: {} as ApprovalOutcome,
    tags: {} as 'waiting-for-human' | 'settled',
  },
  guards: {
    approvesOnTimeout: ({ context }) => context.onTimeout === 'approve',
    isAnswer: ({ context, event }) => isAnswerToOwnQuestion(context.requestId, event),
  },
  actions: {
    announceExpiry: emit(({ context }) => approvalExpired(context)),
    announceGrant: emit(({ context }) => approvalGranted(context)),
    announceRejection: emit(({ context }) => approvalRejected(context)),
    announceRequest: emit(({ context }) => approvalRequested(context)),
    keepOutcome: assign({ outcome: (_, params: ApprovalOutcome) => params }),
    reportClosed: sendTo(parentOf, ({ context }) => ({
      type: 'approval.closed',
      requestId: context.requestId,
    })),
    reportRequest: sendTo(parentOf, ({ context, self }) => ({
      type: 'approval.requested',
      requestId: context.requestId,
      stepId: context.stepId,
      question: context.question,
      route: [self.id],
    })),
  },
  delays: {
    approvalTimeout: ({ context }) => context.timeoutMs,
  },
}).createMachine({
  id: 'approval',
  description: 'One question to a person, with a deadline and a default answer.',
  options: { maxIterations: 100 },
  context: ({ input }) => ({ outcome: null, ...input }),
  initial: 'asking',
  output: ({ context }) => context.outcome ?? NOT_ANSWERED,
  states: {
    asking: {
      description: 'A person is asked. No answer before the deadline counts as the default answer.',
      tags: ['waiting-for-human'],
      entry: ['announceRequest', 'reportRequest'],
      on: {
        'approval.grant': {
          guard: 'isAnswer',
          target: 'granted',
          actions: [
            {
              type: 'keepOutcome',
              params: ({ event }) => ({
                isGranted: true,
                code: '',
                text: event.answer,
                by: event.by ?? null,
              }),
            },
            'announceGrant',
          ],
        },
        'approval.reject': {
          guard: 'isAnswer',
          target: 'rejected',
          actions: [
            {
              type: 'keepOutcome',
              params: ({ event }) => ({
                isGranted: false,
                code: 'rejected',
                text: event.reason,
                by: event.by ?? null,
              }),
            },
            'announceRejection',
          ],
        },
      },
      after: {
        approvalTimeout: [
          {
            guard: 'approvesOnTimeout',
            target: 'granted',
            actions: [
              {
                type: 'keepOutcome',
                params: {
                  isGranted: true,
                  code: '',
                  text: 'Approved: no answer in time',
                  by: null,
                },
              },
              'announceExpiry',
              'reportClosed',
            ],
          },
          {
            target: 'rejected',
            actions: [
              {
                type: 'keepOutcome',
                params: {
                  isGranted: false,
                  code: 'approval-expired',
                  text: 'No answer in time',
                  by: null,
                },
              },
              'announceExpiry',
              'reportClosed',
            ],
          },
        ],
      },
    },
    granted: {
      description: 'A person approved, or the timeout counts as an approval.',
      tags: ['settled'],
      type: 'final',
    },
    rejected: {
      description: 'A person rejected, or the timeout counts as a rejection.',
      tags: ['settled'],
      type: 'final',
    },
  },
});

/** Both final states set an outcome first, so this is never used; it keeps the output total. */
const NOT_ANSWERED: ApprovalOutcome = { isGranted: false, code: 'rejected', text: '', by: null };
