import type { OpenQuestion } from '../model/proposal.js';
import type { Ending } from '../model/statuses.js';
import type { Command } from '../model/commands.js';
import type { StepState } from '../model/progress.js';
import { parseCommand } from '../model/commands.js';

/** The state of a run that a command is checked against. */
interface CommandedRun {
  readonly depth: number;
  readonly isPaused: boolean;
  readonly ending: Ending | null;
  readonly questions: readonly OpenQuestion[];
  readonly answeredQuestions: readonly string[];
}

type StatusOf = (stepId: string) => StepState['status'] | undefined;

/**
 * Why a command is refused, in words a caller can act on; undefined when it is accepted. A run has parsed its commands
 * already; a plain actor receives any event, and gets the same check.
 */
export const refusalOf = (
  context: CommandedRun,
  candidate: unknown,
  statusOf: StatusOf,
): string | undefined => {
  if (context.ending !== null) return 'run-ending';
  const parsed = parseCommand(candidate);
  return parsed.ok ? refusalNow(context, parsed.command, statusOf) : parsed.reason;
};

const COMMAND_TYPES: Readonly<Record<Command['type'], true>> = {
  'approval.grant': true,
  'approval.reject': true,
  'conversation.say': true,
  'plan.skip': true,
  'plan.skipTo': true,
  'run.abort': true,
  'run.pause': true,
  'run.unpause': true,
  'time.extend': true,
};

/** An event that a person may send to a run. A sub-plan is not a run: commands reach it through the run above. */
export const isCommandToRun = (
  { depth }: Pick<CommandedRun, 'depth'>,
  event: { readonly type: string },
): boolean => depth === 0 && Object.hasOwn(COMMAND_TYPES, event.type);

const refusalNow = (
  context: CommandedRun,
  command: Command,
  statusOf: StatusOf,
): string | undefined => {
  if (command.type === 'approval.grant' || command.type === 'approval.reject') {
    return answerRefusal(context, command.requestId);
  }
  if (command.type === 'plan.skip') {
    return command.stepIds.map((stepId) => skipRefusal(statusOf(stepId))).find(isText);
  }
  if (command.type === 'plan.skipTo') return skipRefusal(statusOf(command.stepId));
  return pauseRefusal(context, command.type);
};

/** Pausing twice is refused as a mistake; messages, more time and an abort are always accepted. */
const pauseRefusal = ({ isPaused }: CommandedRun, type: Command['type']): string | undefined => {
  if (type === 'run.pause' && isPaused) return 'already-paused';
  return type === 'run.unpause' && !isPaused ? 'not-paused' : undefined;
};

const isText = (value: string | undefined): value is string => value !== undefined;

const answerRefusal = (context: CommandedRun, requestId: string): string | undefined => {
  if (context.questions.some((question) => question.requestId === requestId)) return undefined;
  return context.answeredQuestions.includes(requestId) ? 'already-decided' : 'unknown-request';
};

const skipRefusal = (status: StepState['status'] | undefined): string | undefined => {
  if (status === undefined) return 'unknown-step';
  return status === 'pending' || status === 'running' ? undefined : 'already-settled';
};
