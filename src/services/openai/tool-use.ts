import { zodFunction } from 'openai/helpers/zod';

import { checkedByUser } from '../../model/check.js';
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';

import type { JsonValue } from '../../canonical-json.js';
import { canonicalJson } from '../../canonical-json.js';
import { toFailure } from '../../failure.js';
import { orAborted, throwIfAborted } from './abort.js';
import { looseSchema } from './answer-format.js';
import type { Completion, RequestedToolCall } from './completion.js';
import { schemaIssues } from './issues.js';
import type { AskingSettings } from './options.js';
import { parseJson } from './parse-json.js';
import { dataBlock, excerpt } from './prompts/data-block.js';
import type { Secrets } from './secrets.js';
import type { OpenAiTool, ToolCall } from './tool.js';

/** More calls in one message are refused: rounds are bounded, so this bounds all tool calls. */
const CALLS_PER_ROUND = 16;

/** The tools in the form that a server expects. */
export const toolDefinitions = (tools: readonly OpenAiTool[]): ChatCompletionFunctionTool[] =>
  tools.map(({ name, description, parameters }) => {
    try {
      return zodFunction({ name, description, parameters });
    } catch {
      // Parameters that strict mode does not support, such as optional ones; the arguments are checked here anyway.
      const loose = { name, description, parameters: looseSchema(parameters), strict: false };
      return { type: 'function', function: loose };
    }
  });

/** Makes the model's tool calls one after the other, and returns their results. */
export const useTools = async (
  completion: Completion,
  settings: AskingSettings,
  call: ToolCall,
  secrets: Secrets,
): Promise<ChatCompletionMessageParam[]> => {
  const messages: ChatCompletionMessageParam[] = [requestMessage(completion)];
  for (const [index, requested] of completion.toolCalls.entries()) {
    const result =
      index < CALLS_PER_ROUND
        ? await resultOf(requested, settings.tools, call, secrets)
        : { error: `Not done: at most ${CALLS_PER_ROUND} tool calls at once` };
    const shown = excerpt(result, settings.maxToolOutputCharacters);
    messages.push({
      role: 'tool',
      tool_call_id: requested.id,
      content: dataBlock('tool-result', shown),
    });
  }
  return messages;
};

const requestMessage = ({ content, toolCalls }: Completion): ChatCompletionMessageParam => ({
  role: 'assistant',
  content: content === '' ? null : content,
  tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  })),
});

/** An invalid tool call or a failing tool is a result, too: the model can correct itself. */
const resultOf = async (
  { name, arguments: text }: RequestedToolCall,
  tools: readonly OpenAiTool[],
  call: ToolCall,
  secrets: Secrets,
): Promise<JsonValue> => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const known = tools.map((candidate) => candidate.name);
    return { error: `There is no tool ${JSON.stringify(name.slice(0, 80))}`, tools: known };
  }
  const given = parseJson(text.trim() === '' ? '{}' : text);
  if (!given.ok) return { error: `The arguments are not JSON: ${given.message}` };
  const parsed = checkedByUser(tool.parameters, secrets.inAnswer(given.value));
  if (!parsed.success) {
    const issues = schemaIssues(parsed.error).map(({ path, message }) => ({ path, message }));
    return { error: 'The arguments do not fit the parameters', issues };
  }
  return run(tool, parsed.data, call);
};

const run = async (tool: OpenAiTool, parameters: unknown, call: ToolCall): Promise<JsonValue> => {
  throwIfAborted(call.signal);
  try {
    const working = Promise.resolve(tool.run(parameters as never, call));
    const result: unknown = await orAborted(working, call.signal);
    const plain = canonicalJson(result ?? null, { maxBytes: RESULT_BYTES });
    return plain.ok ? plain.value : { error: `The result cannot be shown: ${plain.message}` };
  } catch (thrown) {
    throwIfAborted(call.signal);
    const { name, message } = toFailure(thrown);
    return { error: `${name}: ${message}` };
  }
};

/** The most bytes held in memory before the result is cut for the model. */
const RESULT_BYTES = 16 * 1_024 * 1_024;
