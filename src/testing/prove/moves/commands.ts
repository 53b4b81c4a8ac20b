import type { EventObject } from 'xstate';

import type { Command, OrchestratorContext } from '../../../machines/orchestrator.types.js';
import { itemsOf } from '../../../plan/chunked-list.js';
import type { Frame, Move, MoveKind } from '../model.types.js';
import { EXTENSION_MS } from '../projection/orchestrator-text.js';

/** Everything a person can say to a run. What a run refuses changes nothing, and is said all the same. */
export const commandMoves = ({ state }: Frame): Move[] => {
  const context = state.nodes.get('')?.snapshot.context as OrchestratorContext;
  const abort = command('answer', 'A person aborts the run', {
    type: 'run.abort',
    reason: 'Enough',
  });
  // From then on everything is refused for the same reason.
  if (context.ending !== null) return [abort];
  const stepIds = itemsOf(context.progress.states).flatMap(({ status }, index) => {
    const step = context.progress.steps[index];
    return step !== undefined && (status === 'pending' || status === 'running') ? [step.id] : [];
  });
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
    ...stepIds.map((stepId) =>
      command('nudge', `A person skips to ${stepId}`, { type: 'plan.skipTo', stepId }),
    ),
    command('nudge', 'A person says something', { type: 'conversation.say', text: 'Well' }),
    command('nudge', 'A person pauses the run', { type: 'run.pause' }),
    command('nudge', 'A person resumes the run', { type: 'run.resume' }),
    command('nudge', 'A person gives more time', { type: 'time.extend', extraMs: EXTENSION_MS }),
    abort,
  ];
};

const command = (kind: MoveKind, label: string, event: Command & EventObject): Move => ({
  kind,
  label,
  input: { kind: 'commanded', event },
});
