import { checked } from '../model/check.js';
import type { Usage } from '../model/usage.js';
import { usageSchema } from '../model/usage.js';
import type { JsonValue } from '../canonical-json.js';
import { canonicalJson } from '../canonical-json.js';
import { pathText } from '../errors.js';
import type {
  Answer,
  CallFailure,
  CallOutcome,
  ErrorDetails,
  FailureCode,
} from '../model/calls.js';
import { deepFrozen } from '../deep-frozen.js';

/** The reason is not cut here: secrets are redacted first, then {@link performCall} cuts the text. */
export const failed = (
  code: FailureCode,
  reason: string,
  usage: Usage | null = null,
): CallFailure => ({
  kind: 'failed',
  code,
  reason,
  ...(usage === null ? {} : { usage }),
});

/** The details of an error with all their texts changed. */
export const mappedError = (
  { name, code, stack }: ErrorDetails,
  change: (text: string) => string,
): ErrorDetails => ({
  name: change(name),
  ...(code === undefined ? {} : { code: change(code) }),
  ...(stack === undefined ? {} : { stack: change(stack) }),
});

export const answered = (
  answer: Answer,
  output: JsonValue,
  usage: Usage | null | undefined,
): CallOutcome => ({ kind: 'answered', answer, output, usage: usage ?? null });

export type Bounded =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly failure: CallFailure };

/** Untrusted output as bounded, plain, frozen JSON: it goes into events, facts and other agents' hands. */
export const bounded = (value: unknown, maxBytes: number, usage: Usage | null = null): Bounded => {
  if (value === undefined) {
    const reason = 'Expected an output, got undefined';
    return { ok: false, failure: failed('invalid-output', reason, usage) };
  }
  const result = canonicalJson(value, { maxBytes });
  if (result.ok) return { ok: true, value: deepFrozen(result.value) };
  const code = result.code === 'output-too-large' ? 'output-too-large' : 'not-serializable';
  return { ok: false, failure: failed(code, result.message, usage) };
};

/** Reads the usage from an answer or a thrown value. Malformed usage is ignored; it never invalidates the answer. */
export const usageIn = (value: unknown): Usage | null => {
  try {
    if (typeof value !== 'object' || value === null || !('usage' in value)) return null;
    const parsed = checked(usageSchema, value.usage);
    return parsed.success ? withoutUndefined(parsed.data) : null;
  } catch {
    // A returned or thrown value may throw again when it is read.
    return null;
  }
};

const withoutUndefined = (usage: {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  costUsd?: number | undefined;
}): Usage => ({
  ...(usage.inputTokens === undefined ? {} : { inputTokens: usage.inputTokens }),
  ...(usage.outputTokens === undefined ? {} : { outputTokens: usage.outputTokens }),
  ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
});

interface SchemaError {
  readonly issues: readonly SchemaIssue[];
}

interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** All messages of a schema error in one line. */
export const schemaMessage = (error: SchemaError): string =>
  issueTexts(error, ({ message }) => message);

/** The paths and rule names of a schema error, without any text that may quote the value. */
export const schemaCodes = (error: SchemaError): string =>
  issueTexts(error, ({ code }) => code ?? 'invalid');

const issueTexts = ({ issues }: SchemaError, textOf: (issue: SchemaIssue) => string): string =>
  issues
    .slice(0, 20)
    .map((issue) => `${pathText(issue.path) || 'value'}: ${textOf(issue)}`)
    .join('; ');
