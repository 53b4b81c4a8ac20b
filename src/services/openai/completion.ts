import * as z from 'zod/mini';

import { checked } from '../../model/check.js';
import { OpenAiRequestError } from './errors.js';
import { schemaIssues } from './issues.js';
import type { Tokens } from './usage.js';
import { NO_TOKENS } from './usage.js';

export interface RequestedToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, if the model followed the format. */
  readonly arguments: string;
}

/** The part of a server's answer that is used here. */
export interface Completion {
  readonly content: string;
  readonly refusal: string | null;
  readonly isTruncated: boolean;
  readonly toolCalls: readonly RequestedToolCall[];
  readonly tokens: Tokens;
}

/* Compatible servers leave out different members, and some answer an error with status 200: every member is checked. */

const toolCallSchema = z.object({
  id: z.nullish(z.string()),
  function: z.object({ name: z.string(), arguments: z.unknown() }),
});

const choiceSchema = z.object({
  finish_reason: z.nullish(z.string()),
  message: z.object({
    content: z.nullish(z.string()),
    refusal: z.nullish(z.string()),
    tool_calls: z.nullish(z.array(toolCallSchema)),
  }),
});

const tokenCount = z.catch(z.int().check(z.minimum(0)), 0);

const completionSchema = z.object({
  choices: z.array(choiceSchema),
  usage: z.catch(
    z.nullish(z.object({ prompt_tokens: tokenCount, completion_tokens: tokenCount })),
    null,
  ),
});

export const completionOf = (body: unknown): Completion => {
  const parsed = checked(completionSchema, body);
  if (!parsed.success) throw notACompletion(body, schemaIssues(parsed.error)[0]?.message ?? '');
  const { choices, usage } = parsed.data;
  const tokens = usage
    ? { input: usage.prompt_tokens, output: usage.completion_tokens }
    : NO_TOKENS;
  const choice = choices[0];
  if (choice === undefined) {
    return { content: '', refusal: null, isTruncated: false, toolCalls: [], tokens };
  }
  const { message, finish_reason: reason } = choice;
  return {
    content: message.content ?? '',
    refusal: reason === 'content_filter' ? FILTERED : refusalIn(message.refusal),
    isTruncated: reason === 'length',
    toolCalls: (message.tool_calls ?? []).map(readToolCall),
    tokens,
  };
};

const FILTERED = 'A content filter stopped the answer';

const refusalIn = (refusal: string | null | undefined): string | null =>
  refusal === '' ? null : (refusal ?? null);

const readToolCall = (call: z.infer<typeof toolCallSchema>, index: number): RequestedToolCall => ({
  id: isMissing(call.id) ? `call_${index + 1}` : call.id,
  name: call.function.name,
  arguments:
    typeof call.function.arguments === 'string'
      ? call.function.arguments
      : JSON.stringify(call.function.arguments ?? {}),
});

const isMissing = (id: string | null | undefined): id is '' | null | undefined =>
  id === '' || id === null || id === undefined;

export const notACompletion = (body: unknown, detail: string): OpenAiRequestError => {
  const told = errorMessageIn(body) ?? detail;
  const message = `The server did not answer with a chat completion: ${told}. Check that the base URL ends where /chat/completions begins`;
  return new OpenAiRequestError('not-a-completion', { message });
};

const errorSchema = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** Some gateways answer an error with status 200. */
const errorMessageIn = (body: unknown): string | undefined => {
  const parsed = checked(errorSchema, body);
  if (!parsed.success) return undefined;
  const { error } = parsed.data;
  return typeof error === 'string' ? error : error.message;
};
