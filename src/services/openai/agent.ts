import type * as z from 'zod/mini';

import type { Agent, AgentDefinition, AgentCall, FinishedOutput } from '../../agents/agent.js';
import { agentOf } from '../../agents/agent.js';
import type { JsonValue } from '../../canonical-json.js';
import type { AgentReport } from '../../agents/report.js';
import { unknownOptions } from '../../closest-name.js';
import type { Issue } from '../../errors.js';
import { ConfigurationError } from '../../errors.js';
import { unanswerableParts } from './answerable.js';
import { modelOf } from './ask.js';
import type { ModelOptions } from './options.js';
import { agentQuestion, agentSystem } from './prompts/agent.js';
import { reportFormat } from './wire/report.js';

export interface OpenAiAgentOptions<Name extends string, Output, Target extends string>
  extends
    ModelOptions,
    Pick<AgentDefinition<Name, Output, Target>, 'timeoutMs' | 'retry' | 'maxTokensPerCall'> {
  readonly name: Name;
  /** Shown to the planner. */
  readonly description: string;
  /** Told to the model: its role, its method, and what good work looks like. */
  readonly instructions: string;
  /** The shape of finished work; a text by default. */
  readonly output?: z.core.$ZodType<Output>;
  /** The agents it may hand work to, or ask for when the plan does not fit. @default none */
  readonly handOffTo?: readonly Target[];
  /** Used once, when every try failed and `retry.fallback` is on. */
  readonly fallback?: (call: AgentCall) => Output | Promise<Output>;
}

/**
 * An agent that asks a model. The model can return every kind of report: done, needsContext, requestReplan, blocked,
 * askHuman, and handOff to the agents in `handOffTo`.
 *
 * @example
 * const researcher = openaiAgent({
 *   name: 'researcher',
 *   description: 'Finds out how things work',
 *   instructions: 'Answer from the sources your tools give you, and name them.',
 *   model: 'gpt-5-mini',
 *   tools: [searchDocuments],
 *   output: z.object({ answer: z.string(), sources: z.array(z.string()) }),
 * });
 */
export const openaiAgent = <
  const Name extends string,
  Output = string,
  const Target extends string = never,
>(
  options: OpenAiAgentOptions<Name, Output, Target>,
): Agent<Name, Target, FinishedOutput<Output>, JsonValue> => {
  const issues = agentIssues(options);
  if (issues.length > 0) throw new ConfigurationError(issues);
  const { name, description, output, handOffTo = [], fallback } = options;
  const { timeoutMs, retry, maxTokensPerCall } = options;
  const { settings, ask } = modelOf(options);
  const format = reportFormat(output, handOffTo, settings.structuredOutputs);
  const system = agentSystem(options, handOffTo);
  return agentOf<Name, Output, Target>({
    name,
    description,
    ...(output === undefined ? {} : { output }),
    ...(fallback === undefined ? {} : { fallback }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(maxTokensPerCall === undefined ? {} : { maxTokensPerCall }),
    run: async (call) => {
      const question = agentQuestion(call, settings.context);
      const { value: reportWith, usage } = await ask({ system, question, format, call });
      // The format has checked output and targets; the compiler cannot know.
      return reportWith(usage) as AgentReport<Output, Target>;
    },
  });
};

const OPTIONS: Readonly<Record<keyof OpenAiAgentOptions<string, unknown, string>, true>> = {
  name: true,
  description: true,
  instructions: true,
  output: true,
  handOffTo: true,
  fallback: true,
  timeoutMs: true,
  retry: true,
  maxTokensPerCall: true,
  model: true,
  tools: true,
  client: true,
  baseURL: true,
  apiKey: true,
  temperature: true,
  maxOutputTokens: true,
  structuredOutputs: true,
  maxAnswerCharacters: true,
  maxToolRounds: true,
  maxToolOutputCharacters: true,
  context: true,
  pricing: true,
  extraParameters: true,
};

/** What the options of a model do not cover: {@link modelOf} checks those. */
const agentIssues = (options: unknown): Issue[] => {
  if (typeof options !== 'object' || options === null) {
    const message = 'Expected options: openaiAgent({ name, description, instructions, model })';
    return [{ code: 'invalid-options', path: '', message }];
  }
  const { instructions, output }: { readonly instructions?: unknown; readonly output?: unknown } =
    options;
  const issues = unknownOptions(options, Object.keys(OPTIONS));
  if (typeof instructions !== 'string' || instructions.trim() === '') {
    const message =
      'Expected a text that tells the model its role, its method and what good work is';
    issues.push({ code: 'invalid-option', path: 'instructions', message });
  }
  if (output !== undefined) issues.push(...unanswerableParts(output, 'output'));
  return issues;
};
