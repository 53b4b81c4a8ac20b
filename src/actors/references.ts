import type { Dependency, Feedback } from '../agents/agent.js';
import type { JsonValue } from '../canonical-json.js';
import type { FeedbackReference, OutputReference } from '../model/calls.js';
import { outputBehind } from '../plan/output-behind.js';
import { deepFrozen } from '../deep-frozen.js';
import type { OutputLookup } from './team.types.js';

const NOTHING: readonly never[] = Object.freeze([]);

/** An output as it is handed out. Frozen: it belongs to the journal. */
export const handedOutput = (keys: readonly string[], outputs: OutputLookup): JsonValue =>
  deepFrozen(outputBehind(keys, outputs));

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
          output: handedOutput(keys, outputs),
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
