import { APIUserAbortError, OpenAI } from 'openai';
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
} from 'openai/resources/chat/completions';

import { orAborted } from './abort.js';
import type { Completion } from './completion.js';
import { completionOf, notACompletion } from './completion.js';
import { OpenAiRequestError } from './errors.js';
import { Exchange, guardClient } from './exchange.js';
import type { ConnectionOptions } from './options.js';
import { withRetries } from './retry.js';
import { configuredSecrets, hasKeyFunction, parameterSecrets } from './secret-sources.js';
import { Secrets } from './secrets.js';
import type { ToolCall } from './tool.js';

/** The way to one server. */
export interface Connection {
  /** Grows with every request: what it was sent with is never shown. */
  readonly secrets: Secrets;
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
  const secrets = secretsOf(client);
  guardClient(client);
  return {
    secrets,
    complete: (request) => {
      const { key, signal } = request.call;
      return withRetries(() => orAborted(complete(client, request, secrets), signal), {
        maxRetries: client.maxRetries,
        signal,
        key,
        secrets,
      });
    },
  };
};

/** One for all roles that share a client: a key that one of them was sent with may be told to another. */
const secretsOf = (client: OpenAI): Secrets => {
  const secrets = secretsByClient.get(client) ?? new Secrets();
  secretsByClient.set(client, secrets);
  return secrets;
};

const secretsByClient = new WeakMap<OpenAI, Secrets>();

/** One request and its response. `chat.completions.parse` would lose the usage of an answer that does not fit. */
const complete = async (
  client: OpenAI,
  { parameters, call, maxBodyBytes }: CompletionRequest,
  secrets: Secrets,
): Promise<Completion> => {
  // A controller of its own: the client leaves its listeners on the signal, and a call may have many rounds.
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  call.signal.addEventListener('abort', abort, { once: true });
  if (call.signal.aborted) abort();
  secrets.add(parameterSecrets(parameters));
  const exchange = new Exchange(secrets, maxBodyBytes);
  try {
    const pending = client.chat.completions.create(parameters, {
      signal: controller.signal,
      maxRetries: 0,
      fetchOptions: exchange.mark,
    });
    return completionOf(await bodyOf(pending));
  } catch (thrown) {
    throw exchange.refusal ?? keyFailure(client, exchange, thrown) ?? thrown;
  } finally {
    // Also what the client has fetched meanwhile: a key from a function, say.
    secrets.add(configuredSecrets(client));
    call.signal.removeEventListener('abort', abort);
  }
};

/** What a function says that was to give the key may hold the key, and no request has shown which it is. */
const keyFailure = (
  client: OpenAI,
  { isSent }: Exchange,
  thrown: unknown,
): OpenAiRequestError | undefined => {
  if (isSent || !hasKeyFunction(client) || thrown instanceof APIUserAbortError) return undefined;
  const message =
    'The client could not make the request, and why is not quoted because it may hold the key. Check the function that gives the key (apiKey, azureADTokenProvider)';
  return new OpenAiRequestError('request-rejected', { message });
};

/** Observers that wrap a client hand out plain promises; then the client has read the body already. */
type Pending = Promise<ChatCompletion> & { readonly asResponse?: () => Promise<Response> };

const bodyOf = async (pending: Pending): Promise<unknown> => {
  if (typeof pending.asResponse !== 'function') return pending;
  const text = await (await pending.asResponse()).text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw notACompletion(undefined, `${JSON.stringify(text)} is not JSON`);
  }
};
