import type { OpenAI } from 'openai';

import { ConfigurationError } from '../../errors.js';
import { boundedBody, bodyStart } from './body.js';
import { OpenAiRequestError } from './errors.js';
import { sentSecrets } from './secret-sources.js';
import type { Secrets } from './secrets.js';

/*
 * The fetch under every request that is made here. The client's own reads error bodies to their end, however long they
 * are, and follows redirects with the headers of the request, of which it drops `authorization` and keeps `api-key`.
 */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Marks the requests that are made here; what a user asks the same client is left alone. */
const EXCHANGE = Symbol('planwright.exchange');

/** What an error message has room for, many times over. */
const ERROR_BODY_BYTES = 65_536;

const REDIRECTS_MAX = 3;

/** One request of one client, and what became of it. */
export class Exchange {
  readonly #secrets: Secrets;
  readonly #maxBodyBytes: number;
  /** Whether the client got as far as sending something. */
  isSent = false;
  /** Why the response is not handed on: the client reports it as a connection that failed. */
  refusal: OpenAiRequestError | undefined;

  constructor(secrets: Secrets, maxBodyBytes: number) {
    this.#secrets = secrets;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** For the client's `fetchOptions`: it hands them on to its fetch. */
  get mark(): object {
    return { [EXCHANGE]: this };
  }

  async send(inner: Fetch, input: Parameters<Fetch>[0], init: RequestInit): Promise<Response> {
    this.isSent = true;
    const url = input instanceof Request ? input.url : String(input);
    this.#secrets.add(sentSecrets(url, new Headers(init.headers)));
    try {
      const response = await withinOrigin(inner, url, init);
      const text = response.ok
        ? await boundedBody(response, this.#maxBodyBytes)
        : await bodyStart(response, ERROR_BODY_BYTES);
      return readResponse(response, text);
    } catch (thrown) {
      if (thrown instanceof OpenAiRequestError) this.refusal = thrown;
      throw thrown;
    }
  }
}

/** Puts the fetch of this file under a client, once. */
export const guardClient = (client: OpenAI): void => {
  const { fetch: inner } = client as unknown as { readonly fetch?: Fetch };
  // Something that only looks like a client has no fetch, and reads what it reads.
  if (typeof inner !== 'function' || guarded.has(inner)) return;
  const outer: Fetch = (input, init = {}) => {
    const exchange = (init as { readonly [EXCHANGE]?: unknown })[EXCHANGE];
    return exchange instanceof Exchange ? exchange.send(inner, input, init) : inner(input, init);
  };
  guarded.add(outer);
  if (Reflect.set(client, 'fetch', outer)) return;
  const message = 'Expected a client whose fetch can be wrapped, got a frozen one';
  throw new ConfigurationError([{ code: 'invalid-option', path: 'client', message }]);
};

const guarded = new WeakSet<Fetch>();

/** Follows redirects of the server to itself, and no other: the request carries the key. */
const withinOrigin = async (inner: Fetch, url: string, init: RequestInit): Promise<Response> => {
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await inner(target, { ...init, redirect: 'manual' });
    if (!isRedirect(response)) return response;
    await response.body?.cancel().catch(() => undefined);
    const next = nextOf(response, target);
    const isFollowed = redirects < REDIRECTS_MAX && isRepeatable(response);
    if (!isFollowed || new URL(next).origin !== new URL(url).origin)
      throw redirected(response, next);
    target = next;
  }
};

/** In a browser a redirect shows neither its status nor where it leads. */
const isRedirect = ({ type, status: code }: Response): boolean =>
  type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(code);

/** Other redirects turn a POST into a GET. */
const isRepeatable = ({ status: code }: Response): boolean => code === 307 || code === 308;

/** Where nothing is said, somewhere that is no server. */
const nextOf = (response: Response, from: string): string => {
  const target = response.headers.get('location') ?? '';
  return target !== '' && URL.canParse(target, from) ? new URL(target, from).href : 'about:blank';
};

const redirected = (response: Response, next: string): OpenAiRequestError => {
  const { origin } = new URL(next);
  const where = origin === 'null' ? 'elsewhere' : `to ${origin}`;
  const message = `The server redirects the request ${where}, which is not followed because the request carries the API key. Set the base URL to the server that answers`;
  return new OpenAiRequestError('request-rejected', { message, status: response.status });
};

/** The response with a body that is read already, and nothing of the body before that. */
const readResponse = ({ status: code, headers }: Response, text: string): Response => {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name);
  const hasBody = ![204, 205, 304].includes(code);
  return new Response(hasBody ? text : null, { status: code, headers: kept });
};
