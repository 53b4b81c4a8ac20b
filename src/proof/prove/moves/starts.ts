import type { Move } from '../model.types.js';
import type { Repertoire } from './replies.js';

/** A run starts with a goal, and with or without a given plan where there is a planner. */
export const startMoves = ({ settings: { team }, shapes, areListsEnough }: Repertoire): Move[] => {
  const given = shapes
    .first(areListsEnough)
    .map(({ name, plan }) => start(`The run starts with ${name}`, { goal: 'Goal', plan }));
  const empty = start('The run starts with an empty plan', {
    goal: 'Goal',
    plan: { analysis: '', steps: [] },
  });
  const bare = start('The run starts with a goal', { goal: 'Goal' });
  return team.hasPlanner ? [bare, ...given, empty] : [...given, empty];
};

const start = (label: string, input: object): Move => ({
  kind: 'answer',
  label,
  input: { kind: 'started', input },
});
