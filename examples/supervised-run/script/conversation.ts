// Reads a request as a model does: from its messages only.
import type { ScriptedMessage, ScriptedRequest } from '../scripted-server.js';

export interface Conversation {
  readonly system: string;
  readonly question: string;
  /** The number of earlier answers of the model. */
  readonly turn: number;
  /** The named blocks of the question. */
  data(name: string): unknown;
  /** The result of a tool in this conversation; the arguments, where given, have to be in the call. */
  toolResult(name: string, argument?: string): unknown;
}

export const conversationOf = ({ messages }: ScriptedRequest): Conversation => {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  const question = messages.find(({ role }) => role === 'user')?.content ?? '';
  const blocks = blocksIn(question);
  return {
    system,
    question,
    turn: messages.filter(({ role }) => role === 'assistant').length,
    data: (name) => blocks.get(name),
    toolResult: (name, argument = '') => toolResultIn(messages, name, argument),
  };
};

/** The text of a file, as a tool returned it in this conversation. */
export const fileIn = (conversation: Conversation, path: string): string => {
  const text = conversation.toolResult('read_file', path);
  if (typeof text !== 'string') throw new Error(`${path} was not read: ${JSON.stringify(text)}`);
  return text;
};

const BLOCK = /<data name="(?<name>[^"]+)">\n(?<json>.*)\n<\/data>/g;

const blocksIn = (text: string): Map<string, unknown> =>
  new Map(
    [...text.matchAll(BLOCK)].map(({ groups }) => [
      groups?.['name'] ?? '',
      JSON.parse(groups?.['json'] ?? 'null') as unknown,
    ]),
  );

const toolResultIn = (
  messages: readonly ScriptedMessage[],
  name: string,
  argument: string,
): unknown => {
  const call = messages
    .flatMap(({ tool_calls: calls }) => calls ?? [])
    .findLast((made) => made.function.name === name && made.function.arguments.includes(argument));
  const result = messages.find(
    (message) => message.role === 'tool' && message.tool_call_id === call?.id,
  );
  return call === undefined ? undefined : blocksIn(result?.content ?? '').get('tool-result');
};
