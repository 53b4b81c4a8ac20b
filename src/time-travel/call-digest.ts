import type { CallInput } from '../model/calls.js';
import type { OutputLookup } from '../actors/team.types.js';
import { relativeKey } from './same-facts.js';

/** Members of a request that hold keys of other calls. Charts make requests, so no output hides behind these names. */
const KEY_MEMBERS = new Set(['key', 'keys', 'testsKey']);

/**
 * Everything that a call is asked, as a text: the request without the id of its run, and the outputs that its keys
 * lead to. Two calls with the same text are asked the same, and an answer to one is an answer to the other.
 */
export const askedText = (input: CallInput, runId: string, outputs: OutputLookup): string => {
  const referenced: unknown[] = [];
  const withoutRun = (key: unknown): unknown => {
    if (typeof key !== 'string') return key;
    referenced.push(outputs(key) ?? null);
    return relativeKey(key, runId) ?? key;
  };
  // Its own key leads to its own answer, which is no part of the question.
  const question = { ...input.request, key: '' };
  const request = JSON.stringify(question, (name, value: unknown) => {
    if (!KEY_MEMBERS.has(name)) return value;
    return Array.isArray(value) ? value.map(withoutRun) : withoutRun(value);
  });
  return JSON.stringify([request, input.isFallback, referenced]);
};
