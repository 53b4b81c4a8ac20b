import type { OpenAI } from 'openai';

import { ConfigurationError } from '../../errors.js';
import { boundedBody, bodyStart } from './body.js';
import { OpenAiRequestError } from './errors.js';
import { sentSecrets } from './secret-sources.js';
import type { Secrets } from './secrets.js';

/*
 * The fetch under every request made here. The client's own fetch reads error bodies to their end, whatever their
 * length, and follows redirects with the headers of the request: it drops `authorization` but keeps `api-key`.
 */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Marks the requests made here; the user's own requests through the same client are not affected. */
const EXCHANGE = Symbol('planwright.exchange');

/** Many times the length of an error message. */
const ERROR_BODY_BYTES = 65_536;

const REDIRECTS_MAX = 3;

/** One request of one client, and its outcome. */
export class Exchange {
  readonly #secrets: Secrets;
  readonly #maxBodyBytes: number;
  /** Whether the client has sent a request. */
  isSent = false;
  /** Why the response is withheld: the client reports it as a failed connection. */
  refusal: OpenAiRequestError | undefined;

  constructor(secrets: Secrets, maxBodyBytes: number) {
    this.#secrets = secrets;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** For the client's `fetchOptions`, which it passes to its fetch. */
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

/** Installs the fetch of this file in a client, once. */
export const guardClient = (client: OpenAI): void => {
  const { fetch: inner } = client as unknown as { readonly fetch?: Fetch };
  // A client-like object without a fetch reads its responses itself.
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

/** Follows redirects only within the same origin: the request carries the key. */
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

/** In a browser a redirect shows neither its status nor its target. */
const isRedirect = ({ type, status: code }: Response): boolean =>
  type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(code);

/** Other redirects turn a POST into a GET. */
const isRepeatable = ({ status: code }: Response): boolean => code === 307 || code === 308;

/** Without a location, an address that is not a server. */
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

/** The response with a body that was read already, and no other reference to the original body. */
const readResponse = ({ status: code, headers }: Response, text: string): Response => {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name);
  const hasBody = ![204, 205, 304].includes(code);
  return new Response(hasBody ? text : null, { status: code, headers: kept });
};
