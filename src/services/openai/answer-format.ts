import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import * as z from 'zod/mini';

import type { Issue } from '../../errors.js';

export type ResponseFormat = NonNullable<ChatCompletionCreateParamsNonStreaming['response_format']>;

/** An answer that could be used, or what is wrong with it. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** What a model is asked to answer with. */
export interface AnswerFormat<Value> {
  /** Null for prose. */
  readonly responseFormat: ResponseFormat | null;
  /** Said in the prompt; empty when the server holds the model to the format. */
  readonly instruction: string;
  /** Whether `read` wants the JSON value of the answer, or its text. */
  readonly isJson: boolean;
  readonly read: (answer: unknown) => Reading<Value>;
}

/** Prose, as it comes. */
export const proseFormat: AnswerFormat<string> = {
  responseFormat: null,
  instruction: '',
  isJson: false,
  read: (answer) => ({ ok: true, value: String(answer).trim() }),
};

interface JsonAnswer<Value> {
  readonly name: string;
  /** What the model is held to. Everything optional is nullish here: strict servers know no optional keys. */
  readonly schema: z.core.$ZodObject;
  /** Validates the answer, whether or not the server was given the schema. */
  readonly read: (answer: unknown) => Reading<Value>;
}

export const jsonFormat = <Value>(
  { name, schema, read }: JsonAnswer<Value>,
  mode: 'schema' | 'json',
): AnswerFormat<Value> => {
  if (mode === 'schema') {
    return { responseFormat: schemaFormat(schema, name), instruction: '', isJson: true, read };
  }
  const instruction = `Answer with one JSON object and nothing else, no code fence and no words around it. It has to fit this JSON schema:\n${JSON.stringify(looseSchema(schema))}`;
  return { responseFormat: { type: 'json_object' }, instruction, isJson: true, read };
};

const schemaFormat = (schema: z.core.$ZodObject, name: string): ResponseFormat => {
  try {
    return zodResponseFormat(schema, name);
  } catch {
    // A schema of the user's that strict mode does not know (records, optional keys, transforms): the server is told
    // all the same, and what comes is checked here anyway.
    const json_schema = { name, strict: false, schema: looseSchema(schema) };
    return { type: 'json_schema', json_schema };
  }
};

/** What a model has to write, as JSON schema; what JSON schema cannot say is left open. */
export const looseSchema = (schema: z.core.$ZodObject): Record<string, unknown> =>
  z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
