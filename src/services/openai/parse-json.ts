import type { JsonValue } from '../../canonical-json.js';
import { canonicalJson } from '../../canonical-json.js';

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/** Parses a model's JSON, with a limited nesting depth. Never throws. */
export const parseJson = (text: string): ParsedJson => {
  try {
    return canonicalJson(JSON.parse(text), { maxBytes: Infinity });
  } catch (error) {
    const reason = error instanceof Error ? withoutSnippet(error.message) : '';
    return { ok: false, message: `Not valid JSON: ${reason}` };
  }
};

/** Engines quote the text around the mistake, perhaps a part of a secret. */
const withoutSnippet = (message: string): string => {
  const snippet = [', "', ', ..."'].map((start) => message.indexOf(start)).filter((at) => at >= 0);
  return snippet.length === 0 ? message : message.slice(0, Math.min(...snippet));
};
