import type { Dependency, Feedback } from '../agents/agent.js';
import type { JsonValue } from '../canonical-json.js';
import type { FeedbackReference, OutputReference } from '../model/calls.js';
import { deepFrozen } from '../deep-frozen.js';
import type { OutputLookup } from './team.types.js';

const NOTHING: readonly never[] = Object.freeze([]);

/** The output behind one key; those behind several, of a sub-plan, as a list. Frozen: it belongs to the journal. */
export const outputBehind = (keys: readonly string[], outputs: OutputLookup): JsonValue => {
  const [first] = keys;
  if (first === undefined) return null;
  return deepFrozen(
    keys.length === 1 ? (outputs(first) ?? null) : keys.map((key) => outputs(key) ?? null),
  );
};

export const dependenciesOf = (
  references: readonly OutputReference[],
  outputs: OutputLookup,
): readonly Dependency[] =>
  references.length === 0
    ? NOTHING
    : deepFrozen(
        references.map(({ stepId, agent, keys }) => ({
          stepId,
          agent,
          output: outputBehind(keys, outputs),
        })),
      );

export const feedbackOf = (
  references: readonly FeedbackReference[],
  outputs: OutputLookup,
): readonly Feedback[] =>
  references.length === 0
    ? NOTHING
    : deepFrozen(
        references.map(({ from, text, key }) => {
          const details = key === null ? undefined : outputs(key);
          return details === undefined ? { from, text } : { from, text, details };
        }),
      );
