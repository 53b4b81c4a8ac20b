import type { JsonValue } from '../canonical-json.js';
import { stableStringify } from '../canonical-json.js';
import type { CallInput } from '../model/calls.js';
import type { OutputLookup } from '../actors/team.types.js';
import { relativeKey } from './same-facts.js';

/** Members of a request that hold keys of other calls. Charts make requests, so these names never hold outputs. */
const KEY_MEMBERS = new Set(['key', 'keys', 'testsKey']);

/**
 * A call as text: the request without the id of its run, and the outputs behind its keys. Calls with the same text can
 * share an answer.
 */
export const askedText = (input: CallInput, runId: string, outputs: OutputLookup): string => {
  const referenced: unknown[] = [];
  const withoutRun = (key: unknown): unknown => {
    if (typeof key !== 'string') return key;
    referenced.push(outputs(key) ?? null);
    return relativeKey(key, runId) ?? key;
  };
  /** Sorts the keys of objects: a store need not keep their order. */
  const plain = (value: unknown, name = ''): unknown => {
    if (KEY_MEMBERS.has(name))
      return Array.isArray(value) ? value.map(withoutRun) : withoutRun(value);
    if (Array.isArray(value)) return value.map((item) => plain(item));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return Object.fromEntries(members.map(([key, member]) => [key, plain(member, key)]));
  };
  // Its own key leads to its own answer, which is not part of the request.
  const question = plain({ ...input.request, key: '' });
  return stableStringify([question, input.isFallback, referenced] as JsonValue);
};
