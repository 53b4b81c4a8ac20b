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
          isWhole: isWhole(stepId, keys, outputs),
        })),
      );

/** A key is `runId/stepPath/attempt/role`, where the path of a step inside a sub-plan starts with its parent's. */
const isWhole = (stepId: string, keys: readonly string[], outputs: OutputLookup): boolean => {
  const [key = '', ...others] = keys;
  if (others.length > 0 || outputs(key) === undefined) return false;
  const path = key.split('/').slice(1, -2).join('/');
  return path === stepId && outputs.isPartial?.(key) !== true;
};

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
