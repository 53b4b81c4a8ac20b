import type { JsonValue } from '../../canonical-json.js';
import { canonicalJson } from '../../canonical-json.js';

export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/** What a model wrote as JSON, if it is; nested no deeper than what reads it can follow. Never throws. */
export const parseJson = (text: string): ParsedJson => {
  try {
    return canonicalJson(JSON.parse(text), { maxBytes: Infinity });
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message.slice(0, 300) : '' };
  }
};
