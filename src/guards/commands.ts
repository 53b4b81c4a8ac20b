import type { Command, OrchestratorContext } from '../machines/orchestrator.types.js';
import type { StepState } from '../plan/progress.js';

/** Why a command changes nothing, in words a caller can act on; undefined when it is accepted. */
export const refusalOf = (
  context: OrchestratorContext,
  command: Command,
  statusOf: (stepId: string) => StepState['status'] | undefined,
): string | undefined => {
  if (context.ending !== null) return 'run-ending';
  switch (command.type) {
    case 'approval.grant':
    case 'approval.reject':
      return answerRefusal(context, command.requestId);
    case 'plan.skip':
      return command.stepIds.map((stepId) => skipRefusal(statusOf(stepId))).find(isText);
    case 'plan.skipTo':
      return skipRefusal(statusOf(command.stepId));
    case 'run.pause':
      return context.isPaused ? 'already-paused' : undefined;
    case 'run.resume':
      return context.isPaused ? undefined : 'not-paused';
    case 'conversation.say':
    case 'time.extend':
    case 'run.abort':
      return undefined;
  }
};

const isText = (value: string | undefined): value is string => value !== undefined;

const answerRefusal = (context: OrchestratorContext, requestId: string): string | undefined => {
  if (context.questions.some((question) => question.requestId === requestId)) return undefined;
  return context.answeredQuestions.includes(requestId) ? 'already-decided' : 'unknown-request';
};

const skipRefusal = (status: StepState['status'] | undefined): string | undefined => {
  if (status === undefined) return 'unknown-step';
  return status === 'pending' || status === 'running' ? undefined : 'already-settled';
};
