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

/** The connection to one server. */
export interface Connection {
  /** Grows with every request: the credentials of a request are never shown. */
  readonly secrets: Secrets;
  readonly complete: (request: CompletionRequest) => Promise<Completion>;
}

export interface CompletionRequest {
  readonly parameters: ChatCompletionCreateParamsNonStreaming;
  readonly call: ToolCall;
  readonly maxBodyBytes: number;
}

/** The user's client, or a new one that reads missing options from the environment, as the official client does. */
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

/** Shared by all roles with the same client: an answer to one role may quote a key that another one sent. */
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
  // A separate controller: the client leaves its listeners on the signal, and a call may have many rounds.
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
    // Includes credentials that the client has fetched since: a key from a function, for example.
    secrets.add(configuredSecrets(client));
    call.signal.removeEventListener('abort', abort);
  }
};

/** The error of a key function may contain the key, and no request has shown yet which text that is. */
const keyFailure = (
  client: OpenAI,
  { isSent }: Exchange,
  thrown: unknown,
): OpenAiRequestError | undefined => {
  if (isSent || !hasKeyFunction(client) || thrown instanceof APIUserAbortError) return undefined;
  const message =
    'The client could not make the request. The cause is not quoted because it may contain the key. Check the function that returns the key (apiKey, azureADTokenProvider)';
  return new OpenAiRequestError('request-rejected', { message });
};

/** Observers that wrap a client return plain promises; then the client has read the body already. */
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
