import type { JsonValue } from '../canonical-json.js';
import { stableStringify } from '../canonical-json.js';
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
  /** Keys of objects in order: a store need not keep theirs. */
  const plain = (value: unknown, name = ''): unknown => {
    if (KEY_MEMBERS.has(name))
      return Array.isArray(value) ? value.map(withoutRun) : withoutRun(value);
    if (Array.isArray(value)) return value.map((item) => plain(item));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return Object.fromEntries(members.map(([key, member]) => [key, plain(member, key)]));
  };
  // Its own key leads to its own answer, which is no part of the question.
  const question = plain({ ...input.request, key: '' });
  return stableStringify([question, input.isFallback, referenced] as JsonValue);
};
