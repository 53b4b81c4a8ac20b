import type { EventObject } from 'xstate';

import type { RunRecovered } from '../../../model/run-recovered.js';
import type { OpenQuestion } from '../../../model/proposal.js';
import type { Command } from '../../../model/commands.js';
import type { Frame, Move, MoveKind } from '../model.types.js';
import { rootPlanOf } from '../root-plan.js';
import type { Skip } from './skips.js';
import { skipsOf } from './skips.js';

/**
 * What a person can say to a run. What a run refuses changes nothing, and is said all the same. Besides, that its
 * processes died once too often; as long as they did not, no guard sees it.
 */
export const commandMoves = (frame: Frame): Move[] => {
  const context = rootPlanOf(frame);
  // From then on everything is refused for the same reason.
  const lastDeath = command('answer', 'The run has died with too many processes', {
    type: 'run.recovered',
    takeovers: context.takeovers.atProgress + context.settings.policy.limits.maxRecoveries + 1,
  });
  if (context.ending !== null) return [abort, lastDeath];
  return [
    ...context.questions.flatMap(answers),
    ...skipsOf(context).map(skipMove),
    something,
    pause,
    unpause,
    MORE_TIME,
    abort,
    lastDeath,
  ];
};

const answers = ({ requestId }: OpenQuestion): Move[] => [
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
];

/** Who skips something brings the run nearer to its end; a skip to where it is can be said again and again. */
const skipMove = ({ command: said, isEmpty }: Skip): Move => {
  const label =
    said.type === 'plan.skip'
      ? `A person skips ${said.stepIds.join(' and ')}`
      : `A person skips to ${said.stepId}`;
  return command(isEmpty ? 'nudge' : 'answer', label, said);
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

const abort = command('answer', 'A person aborts the run', { type: 'run.abort', reason: 'Enough' });
const something = command('nudge', 'A person says something', {
  type: 'conversation.say',
  text: 'Well',
});
const pause = command('nudge', 'A person pauses the run', { type: 'run.pause' });
const unpause = command('nudge', 'A person unpauses the run', { type: 'run.unpause' });
/** That there is time to come is seen by the clock alone: see extension-rule.ts. */
export const MORE_TIME = command('nudge', 'A person gives more time', {
  type: 'time.extend',
  extraMs: 60_000,
});
