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

/** The connection to a model: your client, or the options for one. */
export interface ConnectionOptions {
  /** An `OpenAI` or `AzureOpenAI` client; its `maxRetries` and `timeout` apply. */
  readonly client?: OpenAI;
  /** Any OpenAI-compatible server. @default OPENAI_BASE_URL, read by the client, then the API of OpenAI */
  readonly baseURL?: string;
  /** Servers without keys still need some text here. @default OPENAI_API_KEY, read by the client */
  readonly apiKey?: string;
}

/** How a model is asked, in any role. */
export interface AskingOptions {
  /** The server's default unless given: some models refuse it. */
  readonly temperature?: number;
  /** The most tokens of one answer. The server's default unless given. */
  readonly maxOutputTokens?: number;
  /**
   * `schema`: the server enforces a JSON schema. `json`: the schema is in the prompt and the server only enforces JSON,
   * for servers and models that do not support schemas, or not together with tools. @default 'schema'
   */
  readonly structuredOutputs?: 'schema' | 'json';
  /** A longer answer is not read. Minimum: 1. @default 400_000 */
  readonly maxAnswerCharacters?: number;
  /** How many rounds of tool calls the model may make before it has to answer. Minimum: 1. @default 8 */
  readonly maxToolRounds?: number;
  /** How much of one tool result the model sees. Minimum: 1. @default 20_000 */
  readonly maxToolOutputCharacters?: number;
  /** How much history a model sees: pass your `policy.context`. @default the defaults of a policy */
  readonly context?: Partial<ContextPolicy>;
  /** Adds `costUsd` to the usage. */
  readonly pricing?: Pricing;
  /** Sent with every request, such as `reasoning_effort`; parameters set by planwright override it. */
  readonly extraParameters?: Readonly<Record<string, unknown>>;
}

/** One model in one role. */
export interface ModelOptions extends ConnectionOptions, AskingOptions {
  readonly model: string;
  readonly tools?: readonly OpenAiTool[];
}

/** A model in one of the orchestrator's own roles. */
export interface RoleOptions extends ModelOptions {
  /** Added to the instructions of the role: the project's conventions, for example. */
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

/** Checks the options and fills in the defaults; a mistake throws here, not in the middle of a run. */
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
  const message = 'Expected either a client, or a baseURL and an apiKey';
  return [{ code: 'invalid-option', path: 'client', message }];
};
