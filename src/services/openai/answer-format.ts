import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import * as z from 'zod/mini';

import type { Issue } from '../../errors.js';

export type ResponseFormat = NonNullable<ChatCompletionCreateParamsNonStreaming['response_format']>;

/** A usable answer, or its issues. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The expected form of a model's answer. */
export interface AnswerFormat<Value> {
  /** Null for prose. */
  readonly responseFormat: ResponseFormat | null;
  /** Added to the prompt; empty when the server enforces the format. */
  readonly instruction: string;
  /** Whether `read` takes the JSON value of the answer, or its text. */
  readonly isJson: boolean;
  readonly read: (answer: unknown) => Reading<Value>;
}

/** Plain prose. */
export const proseFormat: AnswerFormat<string> = {
  responseFormat: null,
  instruction: '',
  isJson: false,
  read: (answer) => ({ ok: true, value: String(answer).trim() }),
};

interface JsonAnswer<Value> {
  readonly name: string;
  /** The schema for the model. Everything optional is nullish here: strict servers support no optional keys. */
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
    // A user's schema that strict mode does not support (records, optional keys, transforms): the server still gets it,
    // and the answer is checked here anyway.
    const json_schema = { name, strict: false, schema: looseSchema(schema) };
    return { type: 'json_schema', json_schema };
  }
};

/** The expected answer as JSON schema; rules that JSON schema cannot express are left out. */
export const looseSchema = (schema: z.core.$ZodObject): Record<string, unknown> =>
  z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
