import { OpenAI } from 'openai';
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
} from 'openai/resources/chat/completions';

import { orAborted } from './abort.js';
import { boundedBody } from './body.js';
import type { Completion } from './completion.js';
import { completionOf, notACompletion } from './completion.js';
import type { ConnectionOptions } from './options.js';
import { withRetries } from './retry.js';
import type { ToolCall } from './tool.js';

/** The way to one server. */
export interface Connection {
  readonly complete: (request: CompletionRequest) => Promise<Completion>;
}

export interface CompletionRequest {
  readonly parameters: ChatCompletionCreateParamsNonStreaming;
  readonly call: ToolCall;
  readonly maxBodyBytes: number;
}

/** A client of the user's, or one that reads what it is not told from the environment, as the official client does. */
export const clientOf = ({ client, baseURL, apiKey }: ConnectionOptions): OpenAI =>
  client ??
  new OpenAI({
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });

export const connectionOf = (options: ConnectionOptions): Connection => {
  const client = clientOf(options);
  return {
    complete: (request) => {
      const { key, signal } = request.call;
      return withRetries(() => orAborted(exchange(client, request), signal), {
        maxRetries: client.maxRetries,
        signal,
        key,
        secret: secretOf(client),
      });
    },
  };
};

/** One request and its response. `chat.completions.parse` would lose the usage of an answer that does not fit. */
const exchange = async (
  client: OpenAI,
  { parameters, call, maxBodyBytes }: CompletionRequest,
): Promise<Completion> => {
  // A controller of its own: the client leaves its listeners on the signal, and a call may have many rounds.
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  call.signal.addEventListener('abort', abort, { once: true });
  if (call.signal.aborted) abort();
  try {
    const pending = client.chat.completions.create(parameters, {
      signal: controller.signal,
      maxRetries: 0,
    });
    return completionOf(await bodyOf(pending, maxBodyBytes));
  } finally {
    call.signal.removeEventListener('abort', abort);
  }
};

/** Observers that wrap a client hand out plain promises; then the client has read the body already. */
type Pending = Promise<ChatCompletion> & { readonly asResponse?: () => Promise<Response> };

const bodyOf = async (pending: Pending, maxBytes: number): Promise<unknown> => {
  if (typeof pending.asResponse !== 'function') return pending;
  const text = await boundedBody(await pending.asResponse(), maxBytes);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw notACompletion(undefined, `${JSON.stringify(text.slice(0, 200))} is not JSON`);
  }
};

/** Short ones are the placeholders of local servers, and would be replaced in ordinary words. */
const secretOf = ({ apiKey }: OpenAI): string | null =>
  typeof apiKey === 'string' && apiKey.length >= 12 ? apiKey : null;
