import type { OpenAI } from 'openai';

import { readSafely } from '../../failure.js';

/* Finds secrets in the configuration of a client, and in its requests. */

/** Headers, query parameters and parameters that are never secret, whatever their length. */
const PUBLIC_NAMES = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'connection', 'content-length'],
  ...['content-type', 'host', 'user-agent', 'openai-beta', 'http-referer', 'referer', 'origin'],
  ...['x-title', 'x-request-id', 'traceparent', 'tracestate', 'idempotency-key'],
  ...['api-version', 'prompt_cache_key'],
]);
const PUBLIC_PREFIX = 'x-stainless-';

/** Names of credentials, whatever their length. */
const CREDENTIAL_WORDS = [
  ...['auth', 'key', 'token', 'secret', 'pass', 'cookie', 'credential', 'signature', 'session'],
] as const;

/** Other values count as secrets when they are too long for an ordinary word. */
const SECRET_CHARACTERS_MIN = 8;

/** The credentials that a client is configured with, as far as they can be read; its key is the last one it fetched. */
export const configuredSecrets = (client: OpenAI): readonly string[] => {
  const options = readSafely(client, '_options');
  const keys = ['apiKey', 'adminAPIKey', 'webhookSecret', 'organization', 'project'];
  return [
    ...keys.flatMap((name) => texts(readSafely(client, name))),
    ...texts(readSafely(options, 'apiKey')),
    ...namedSecrets(headerEntries(readSafely(options, 'defaultHeaders'))),
    ...namedSecrets(entriesOf(readSafely(options, 'defaultQuery'))),
    ...texts(readSafely(client, 'baseURL')).flatMap(urlSecrets),
  ];
};

/** Whether a function returns the key: its errors may contain the key. */
export const hasKeyFunction = (client: OpenAI): boolean =>
  typeof readSafely(readSafely(client, '_options'), 'apiKey') === 'function';

/** The credentials in one request. */
export const sentSecrets = (url: string, headers: Headers): readonly string[] => [
  ...namedSecrets([...headers.entries()]),
  ...urlSecrets(url),
];

/** Some gateways take the model provider's key as a request parameter. */
export const parameterSecrets = (parameters: object): readonly string[] =>
  entriesOf(parameters).flatMap(([name, value]) => {
    if (ASKED.has(name)) return [];
    if (typeof value === 'object' && value !== null) return parameterSecrets(value);
    return typeof value === 'string' && isCredential(name) ? [value] : [];
  });

/** Parameters with content, which are not configuration. */
const ASKED = new Set(['messages', 'tools', 'response_format', 'model']);

const namedSecrets = (entries: readonly (readonly [string, unknown])[]): readonly string[] =>
  entries.flatMap(([name, value]) =>
    texts(value).flatMap((text) => {
      if (isCredential(name)) return [text, ...credentialsIn(text)];
      return isPublic(name) || text.length < SECRET_CHARACTERS_MIN ? [] : [text];
    }),
  );

const isPublic = (name: string): boolean =>
  PUBLIC_NAMES.has(name.toLowerCase()) || name.toLowerCase().startsWith(PUBLIC_PREFIX);

const isCredential = (name: string): boolean =>
  !isPublic(name) && CREDENTIAL_WORDS.some((word) => name.toLowerCase().includes(word));

/** `Bearer token` holds a token, `Basic …` a password, `a=1; b=2` two cookies. */
const credentialsIn = (value: string): readonly string[] => {
  const scheme = value.indexOf(' ');
  const credential = scheme < 0 ? '' : value.slice(scheme + 1);
  const cookies = value.split(';').flatMap((part) => part.split('=').slice(1).join('='));
  const isBasic = value.toLowerCase().startsWith('basic ');
  return [credential, ...cookies, ...(isBasic ? passwordIn(credential) : [])].map((text) =>
    text.trim(),
  );
};

const passwordIn = (credential: string): readonly string[] => {
  try {
    const decoded = atob(credential);
    return [decoded, decoded.slice(decoded.indexOf(':') + 1)];
  } catch {
    return [];
  }
};

const urlSecrets = (text: string): readonly string[] => {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const { password, searchParams } = url;
  const decoded = (part: string): string => new URLSearchParams(`a=${part}`).get('a') ?? part;
  return [password, decoded(password), ...namedSecrets([...searchParams.entries()])];
};

/** Headers in every form that clients accept: an object, a list of pairs, `Headers`, or the client's own list. */
const headerEntries = (headers: unknown): readonly (readonly [string, unknown])[] => {
  const held = readSafely(headers, 'values');
  const list = held instanceof Headers ? held : headers;
  if (list instanceof Headers) return [...list.entries()];
  if (!Array.isArray(list)) return entriesOf(list);
  return list.flatMap((pair: unknown) =>
    Array.isArray(pair) ? [[String(pair[0]), pair[1]] as const] : [],
  );
};

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

const texts = (value: unknown): readonly string[] =>
  [value].flat(2).filter((item): item is string => typeof item === 'string' && item !== '');
