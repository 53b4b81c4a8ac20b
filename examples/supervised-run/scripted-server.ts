// A small OpenAI-compatible server on loopback that answers from a script.
//
// Only the answers of the model are scripted. All other parts are real: the official client, HTTP, the tools, the
// orchestrator. The server is not part of the package; the offline demo and the tests use it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as the client sent it. */
export interface ScriptedMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** The parts of a request that a script uses. */
export interface ScriptedRequest {
  /** 1 for the first request the server got. */
  readonly number: number;
  readonly model: string;
  readonly messages: readonly ScriptedMessage[];
  /** `plan`, `verdict`, `test_result` or `report` when a JSON schema was sent. */
  readonly schemaName: string | null;
  /** The whole body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

/** The answer of the model. */
export type ScriptedAnswer =
  | { readonly text: string; readonly finishReason?: 'stop' | 'length' | 'content_filter' }
  | { readonly json: unknown }
  | { readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[] }
  | { readonly refusal: string }
  /** The whole HTTP response, for servers that misbehave. */
  | { readonly respond: (response: ServerResponse) => void };

export type Script = (request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface ScriptedServer {
  /** The base URL for a client: `http://127.0.0.1:<port>/v1`. */
  readonly baseURL: string;
  /** Every request so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Starts the server on a free port of this machine. */
export const startScriptedServer = async (script: Script): Promise<ScriptedServer> => {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response, script, requests).catch((error: unknown) => {
      sendError(response, error);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};

const answer = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  script: Script,
  requests: ScriptedRequest[],
): Promise<void> => {
  if (incoming.method !== 'POST' || incoming.url?.endsWith('/chat/completions') !== true) {
    sendJson(response, 404, { error: { message: 'Only POST /v1/chat/completions is scripted' } });
    return;
  }
  const request = readRequest(await bodyOf(incoming), incoming.headers, requests.length + 1);
  requests.push(request);
  const said = await script(request);
  if ('respond' in said) said.respond(response);
  else sendJson(response, 200, completion(request, said));
};

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const readRequest = (
  text: string,
  headers: IncomingMessage['headers'],
  number: number,
): ScriptedRequest => {
  const body = JSON.parse(text) as Record<string, unknown>;
  const format = body['response_format'] as { json_schema?: { name?: string } } | undefined;
  return {
    number,
    model: String(body['model']),
    messages: body['messages'] as ScriptedMessage[],
    schemaName: format?.json_schema?.name ?? null,
    body,
    headers,
  };
};

/** A chat completion as the API of OpenAI gives it. Tokens are estimated: four characters each. */
export const completion = (
  request: Pick<ScriptedRequest, 'number' | 'model' | 'messages'>,
  said: Exclude<ScriptedAnswer, { respond: unknown }>,
): unknown => {
  const message = messageOf(said, request.number);
  const promptTokens = tokens(JSON.stringify(request.messages));
  const completionTokens = tokens(JSON.stringify(message));
  return {
    id: `chatcmpl-${request.number}`,
    object: 'chat.completion',
    created: 0,
    model: request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(said) }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
};

const tokens = (text: string): number => Math.ceil(text.length / 4);

const finishReasonOf = (said: Exclude<ScriptedAnswer, { respond: unknown }>): string => {
  if ('toolCalls' in said) return 'tool_calls';
  return 'text' in said ? (said.finishReason ?? 'stop') : 'stop';
};

const messageOf = (
  said: Exclude<ScriptedAnswer, { respond: unknown }>,
  number: number,
): Record<string, unknown> => {
  const base = { role: 'assistant', content: null as string | null, refusal: null };
  if ('text' in said) return { ...base, content: said.text };
  if ('json' in said) return { ...base, content: JSON.stringify(said.json) };
  if ('refusal' in said) return { ...base, refusal: said.refusal };
  const calls = said.toolCalls.map(({ name, arguments: value }, index) => ({
    id: `call_${number}_${index + 1}`,
    type: 'function',
    function: { name, arguments: typeof value === 'string' ? value : JSON.stringify(value) },
  }));
  return { ...base, tool_calls: calls };
};

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** A mistake in the script is not a server failure: the client must not retry. */
const sendError = (response: ServerResponse, error: unknown): void => {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = `The script has no answer: ${error instanceof Error ? error.message : String(error)}`;
  sendJson(response, 400, { error: { message } });
};
