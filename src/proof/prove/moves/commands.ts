import type { EventObject } from 'xstate';

import type { RunRecovered } from '../../../model/run-recovered.js';
import type { OpenQuestion } from '../../../model/proposal.js';
import type { Command } from '../../../model/commands.js';
import type { Frame, Move, MoveKind } from '../model.types.js';
import { rootPlanOf } from '../root-plan.js';
import type { Skip } from './skips.js';
import { skipsOf } from './skips.js';

/**
 * The commands of a person. A refused command changes nothing, but is explored, too. Includes one takeover too many;
 * fewer takeovers are invisible to guards.
 */
export const commandMoves = (frame: Frame): Move[] => {
  const context = rootPlanOf(frame);
  // From then on every command is refused for the same reason.
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
  }),
  command('answer', `A person says no to ${requestId}`, {
    type: 'approval.reject',
    requestId,
    reason: 'No',
  }),
];

/** A skip brings the run closer to its end; a skip to the current step can be repeated without effect. */
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
/** Only the clock sees granted time: see extension-rule.ts. */
export const MORE_TIME = command('nudge', 'A person gives more time', {
  type: 'time.extend',
  extraMs: 60_000,
});
