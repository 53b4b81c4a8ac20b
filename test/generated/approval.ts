import type { ApprovalAnswer } from '../../src/model/commands.js';
import type { ApprovalContext, ApprovalInput } from '../../src/machines/approval/context.js';
import type { Configuration, Told } from './configuration.js';

const say = (says: string, event: ApprovalAnswer): Told => ({ says, event });

const answers = (requestId: string, route: readonly string[] = []): Told[] => [
  say(`a person approves ${requestId} ${route.join()}`, {
    type: 'approval.grant',
    requestId,
    answer: 'Yes',
    route,
  }),
  say(`a person rejects ${requestId} ${route.join()}`, {
    type: 'approval.reject',
    requestId,
    reason: 'No',
    route,
  }),
];

/** Answers to this question, to another one, and answers that are still addressed to a descendant. */
const told: readonly Told[] = [
  ...answers('a:1.1'),
  ...answers('a:1.2'),
  ...answers('a:1.1', ['subplan']),
];

const configuration = (
  name: string,
  onTimeout: ApprovalInput['onTimeout'],
  stepId: string | null,
): Configuration => ({
  name,
  input: {
    requestId: 'a:1.1',
    stepId,
    question: 'May I?',
    payload: { task: 'Do a' },
    timeoutMs: 100,
    onTimeout,
  } satisfies ApprovalInput,
  told: () => told,
  outcomes: () => [],
  project: ({ context }) => (context as ApprovalContext).outcome?.code,
});

export const approvalConfigurations: readonly Configuration[] = [
  configuration('no answer is a no', 'reject', 'a'),
  configuration('no answer is a yes', 'approve', null),
];
