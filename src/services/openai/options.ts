import type { OpenAI } from 'openai';
import * as z from 'zod/mini';

import type { Issue } from '../../errors.js';
import { ConfigurationError } from '../../errors.js';
import { defaultPolicy } from '../../policy/defaults.js';
import type { ContextPolicy } from '../../model/policy.js';
import { checked } from '../../model/check.js';
import { schemaIssues } from './issues.js';
import type { OpenAiTool } from './tool.js';
import { toolIssues } from './tool.js';
import type { Pricing } from './usage.js';

/** Where the model is: a client of yours, or what to make one of. */
export interface ConnectionOptions {
  /** An `OpenAI` or `AzureOpenAI` client; its `maxRetries` and `timeout` are kept to. */
  readonly client?: OpenAI;
  /** Any OpenAI-compatible server. @default OPENAI_BASE_URL, then the API of OpenAI: the client reads it */
  readonly baseURL?: string;
  /** @default OPENAI_API_KEY: the client reads it. Servers that need none still want some text. */
  readonly apiKey?: string;
}

/** How a model is asked, whatever its role. */
export interface AskingOptions {
  /** Left to the server unless given: some models refuse it. */
  readonly temperature?: number;
  /** The most tokens of one answer. Left to the server unless given. */
  readonly maxOutputTokens?: number;
  /**
   * `schema`: the server holds the model to a JSON schema. `json`: the schema is in the prompt and the server only
   * asks for JSON, for servers and models that know no schemas, or not together with tools. @default 'schema'
   */
  readonly structuredOutputs?: 'schema' | 'json';
  /** An answer beyond this is not read. Minimum: 1. @default 400_000 */
  readonly maxAnswerCharacters?: number;
  /** How often the model may use its tools before it has to answer. Minimum: 1. @default 8 */
  readonly maxToolRounds?: number;
  /** What a model is shown of one tool result. Minimum: 1. @default 20_000 */
  readonly maxToolOutputCharacters?: number;
  /** What a model is shown of the past: pass your `policy.context`. @default the defaults of a policy */
  readonly context?: Partial<ContextPolicy>;
  /** Makes usage carry `costUsd`. */
  readonly pricing?: Pricing;
  /** Sent along with every request, such as `reasoning_effort`; what is decided here wins over it. */
  readonly extraParameters?: Readonly<Record<string, unknown>>;
}

/** One model in one role. */
export interface ModelOptions extends ConnectionOptions, AskingOptions {
  readonly model: string;
  readonly tools?: readonly OpenAiTool[];
}

/** A model in one of the orchestrator's own roles. */
export interface RoleOptions extends ModelOptions {
  /** Added to the instructions of the role: the ways of the project, say. */
  readonly instructions?: string;
}

/** The options with every default filled in. */
export interface AskingSettings {
  readonly model: string;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly structuredOutputs: 'schema' | 'json';
  readonly maxAnswerCharacters: number;
  readonly maxToolRounds: number;
  readonly maxToolOutputCharacters: number;
  readonly context: ContextPolicy;
  readonly pricing: Pricing | undefined;
  readonly extraParameters: Readonly<Record<string, unknown>>;
  readonly tools: readonly OpenAiTool[];
}

const atLeastOne = z.int().check(z.minimum(1));
const text = z.string().check(z.minLength(1));
const price = z.number().check(z.minimum(0));

const settingsSchema = z.object({
  model: text,
  baseURL: z.optional(text),
  apiKey: z.optional(text),
  temperature: z.optional(z.number().check(z.minimum(0))),
  maxOutputTokens: z.optional(atLeastOne),
  structuredOutputs: z._default(z.enum(['schema', 'json']), 'schema'),
  maxAnswerCharacters: z._default(atLeastOne, 400_000),
  maxToolRounds: z._default(atLeastOne.check(z.maximum(1_000)), 8),
  maxToolOutputCharacters: z._default(atLeastOne, 20_000),
  context: z.prefault(
    z.object({
      maxMessages: z._default(atLeastOne, defaultPolicy.context.maxMessages),
      maxOutputTokens: z._default(atLeastOne, defaultPolicy.context.maxOutputTokens),
      summaryCharacters: z._default(atLeastOne, defaultPolicy.context.summaryCharacters),
    }),
    {},
  ),
  pricing: z.optional(
    z.object({ inputUsdPerMillionTokens: price, outputUsdPerMillionTokens: price }),
  ),
  extraParameters: z._default(z.record(z.string(), z.unknown()), {}),
});

/** Checks the options and fills in what was left out; a mistake is told at once, not in the middle of a run. */
export const settingsOf = (options: ModelOptions): AskingSettings => {
  const parsed = checked(settingsSchema, options);
  const tools = options.tools ?? [];
  const issues = [
    ...(parsed.success ? [] : schemaIssues(parsed.error).map(asOptionIssue)),
    ...connectionIssues(options),
    ...toolIssues(tools),
  ];
  if (!parsed.success || issues.length > 0) throw new ConfigurationError(issues);
  const { data } = parsed;
  return {
    ...data,
    temperature: data.temperature,
    maxOutputTokens: data.maxOutputTokens,
    pricing: data.pricing,
    tools,
  };
};

const asOptionIssue = (issue: Issue): Issue => ({ ...issue, code: 'invalid-option' });

const connectionIssues = ({ client, baseURL, apiKey }: ConnectionOptions): Issue[] => {
  if (client === undefined || (baseURL === undefined && apiKey === undefined)) return [];
  const message = 'Expected either a client, or a baseURL and an apiKey to make one of';
  return [{ code: 'invalid-option', path: 'client', message }];
};
