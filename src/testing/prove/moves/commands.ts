import type { EventObject } from 'xstate';

import type {
  Command,
  OrchestratorContext,
  RunRecovered,
} from '../../../machines/orchestrator.types.js';
import type { Frame, Move, MoveKind } from '../model.types.js';
import { EXTENSION_MS, liveSteps } from '../projection/orchestrator-text.js';

/**
 * What a person can say to a run: everything, or only what settles something. What a run refuses changes nothing, and is
 * said all the same. Besides, that its processes died once too often; as long as they did not, no guard sees it.
 */
export const commandMoves = ({ state }: Frame, isEverything = true): Move[] => {
  const context = state.nodes.get('')?.snapshot.context as OrchestratorContext;
  const abort = command('answer', 'A person aborts the run', {
    type: 'run.abort',
    reason: 'Enough',
  });
  // From then on everything is refused for the same reason.
  const lastDeath = command('answer', 'The run has died with too many processes', {
    type: 'run.recovered',
    takeovers: context.takeovers.atProgress + context.settings.policy.limits.maxRecoveries + 1,
  });
  if (context.ending !== null) return [abort, lastDeath];
  const stepIds = stepsToName(context);
  return [
    ...context.questions.flatMap(({ requestId }) => [
      command('answer', `A person says yes to ${requestId}`, {
        type: 'approval.grant',
        requestId,
        answer: 'Yes',
        route: [],
      }),
      command('answer', `A person says no to ${requestId}`, {
        type: 'approval.reject',
        requestId,
        reason: 'No',
        route: [],
      }),
    ]),
    ...stepIds.map((stepId) =>
      command('answer', `A person skips ${stepId}`, { type: 'plan.skip', stepIds: [stepId] }),
    ),
    ...(isEverything ? stepIds : []).map((stepId) =>
      command('nudge', `A person skips to ${stepId}`, { type: 'plan.skipTo', stepId }),
    ),
    ...(isEverything ? [something, pause, resume, moreTime] : []),
    // A planner that failed pauses the run.
    ...(!isEverything && context.isPaused ? [resume] : []),
    abort,
    lastDeath,
  ];
};

/** Of steps that nobody can tell apart the first is named for all. */
const stepsToName = (context: OrchestratorContext): string[] => {
  const seen = new Set<string>();
  return liveSteps(context).flatMap(({ index, isRunning, isAwaited, text }) => {
    const kind = `${text}${isRunning ? 'runs' : ''}`;
    if (!isRunning && !isAwaited && seen.has(kind)) return [];
    seen.add(kind);
    const step = context.progress.steps[index];
    return step === undefined ? [] : [step.id];
  });
};

const command = (
  kind: MoveKind,
  label: string,
  event: (Command | RunRecovered) & EventObject,
): Move => ({
  kind,
  label,
  input: { kind: 'commanded', event },
});

const something = command('nudge', 'A person says something', {
  type: 'conversation.say',
  text: 'Well',
});
const pause = command('nudge', 'A person pauses the run', { type: 'run.pause' });
const resume = command('nudge', 'A person resumes the run', { type: 'run.resume' });
const moreTime = command('nudge', 'A person gives more time', {
  type: 'time.extend',
  extraMs: EXTENSION_MS,
});
