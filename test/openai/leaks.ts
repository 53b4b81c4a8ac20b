import { AzureOpenAI, OpenAI } from 'openai';
import type { ClientOptions } from 'openai';
import { z } from 'zod';

import type { OpenAiAgentOptions } from '../../src/services/openai/index.js';
import { openaiTool } from '../../src/services/openai/index.js';
import type { EchoServer, Respond } from './canary-server.js';
import { sendEndlessly, sendJson, sendMessage, sendOutput } from './canary-server.js';

/* Twelve ways in which a key gets from a client into a journal, a report, an error or a log. */

/** One behaviour of a server or a client. */
export interface Leak {
  readonly respond: Respond;
  /** The text to search for. @default CANARY */
  readonly secret?: string;
  readonly client?: (server: EchoServer) => OpenAI;
  readonly agent?: Partial<OpenAiAgentOptions<string, unknown, never>>;
  /** The server that this leak redirects the client to: what arrives there is searched as well. */
  readonly redirectsTo?: Respond;
}

export const CANARY = 'sk-canary-4f9d/21+c0&7';

const clientWith =
  (options: ClientOptions = {}) =>
  ({ baseURL }: EchoServer): OpenAI =>
    new OpenAI({ baseURL, apiKey: CANARY, maxRetries: 0, ...options });

/** Shows the credentials of the request, wherever they were. */
const echoed: Respond = (response, { headers, url }) => {
  sendJson(response, 401, { error: { message: `Refused: ${JSON.stringify(headers)} ${url}` } });
};

const inAnswer =
  (text: string): Respond =>
  (response) => {
    sendOutput(response, text);
  };

const inContent =
  (content: string): Respond =>
  (response) => {
    sendMessage(response, { content });
  };

/** Every character as `\u0000`: unparsed text does not show it. */
const escaped = (text: string): string =>
  Array.from(text, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const repeatTool = openaiTool({
  name: 'repeat',
  description: 'Says it again',
  parameters: z.object({ text: z.string() }),
  run: ({ text }) => text,
});

/** First requests the tool, then answers with its result. */
const throughTool: Respond = (response, { number, body }) => {
  if (number > 1) {
    sendOutput(response, body.messages.at(-1)?.content ?? '');
    return;
  }
  const call = { name: 'repeat', arguments: JSON.stringify({ text: `Use ${CANARY}` }) };
  sendMessage(response, { tool_calls: [{ id: '1', type: 'function', function: call }] });
};

const throwing = (thrown: unknown) => (): Promise<Response> => {
  throw thrown;
};

const moved =
  (status: number, keepsKey = false): Respond =>
  (response, { url }) => {
    const query = keepsKey ? `?key=${encodeURIComponent(CANARY)}` : '';
    response.writeHead(status, { location: `${ELSEWHERE}${url}${query}` }).end();
  };

/** Stands for the second server until its port is known. */
export const ELSEWHERE = 'http://elsewhere.invalid';

const azure = ({ origin }: EchoServer): OpenAI =>
  new AzureOpenAI({ endpoint: origin, apiKey: CANARY, apiVersion: '2024-10-21', maxRetries: 0 });

const SHORT = 'k3y';

export const LEAKS: Readonly<Record<string, readonly Leak[]>> = {
  'an error body': [
    { respond: (response) => sendJson(response, 401, { error: { message: `Bad ${CANARY}` } }) },
    { respond: (response) => sendJson(response, 500, `<p>Bad ${CANARY}</p>`) },
    { respond: (response) => sendJson(response, 400, { error: { message: 'x', key: CANARY } }) },
    { respond: (response) => void sendEndlessly(response, 500, `Bad ${CANARY}`) },
    // The key is where a message used to be cut.
    { respond: (response) => sendJson(response, 403, `${'x'.repeat(990)}${CANARY}`) },
    { respond: (response) => sendJson(response, 403, `${'x'.repeat(1_940)}${CANARY}`) },
  ],
  'status 200 that is no completion': [
    { respond: (response) => sendJson(response, 200, { error: { message: `Bad ${CANARY}` } }) },
    { respond: (response) => sendJson(response, 200, { error: `Bad ${CANARY}` }) },
    { respond: (response) => response.writeHead(200).end(`<h1>Bad ${CANARY}</h1>`) },
    { respond: (response) => response.writeHead(200).end(`${'x'.repeat(190)}${CANARY}`) },
    {
      respond: (response) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: {"choices":[{"delta":{"content":"${CANARY}"}}]}\n\ndata: [DONE]\n\n`),
    },
  ],
  'an answer': [
    { respond: inAnswer(`The key is ${CANARY}.`) },
    { respond: inContent(`{"report":{"kind":"done","output":"${escaped(CANARY)}"}}`) },
    { respond: inContent(`{"report":{"kind":"blocked","reason":"${CANARY}"}}`) },
    {
      respond: inContent(
        JSON.stringify({ report: { kind: 'done', output: { [CANARY]: CANARY } } }),
      ),
      agent: { output: z.record(z.string(), z.string()) },
    },
    { respond: inContent(`{"report":{"kind":"handOff","agent":"${CANARY}","task":"x"}}`) },
  ],
  'an answer that cannot be used': [
    { respond: (response) => sendMessage(response, { content: null, refusal: `No: ${CANARY}` }) },
    {
      respond: (response) =>
        sendMessage(response, { content: null, refusal: `${'x'.repeat(490)}${CANARY}` }),
    },
    { respond: inContent(CANARY) },
    { respond: inContent(`{"report": ${CANARY}}`) },
    { respond: inContent(`{"report":{"kind":"${CANARY}"}}`) },
    {
      respond: inContent(JSON.stringify({ report: { kind: 'done', output: { [CANARY]: 1 } } })),
      agent: { output: z.strictObject({}) },
    },
  ],
  'the arguments of a tool call': [
    { respond: throughTool, agent: { tools: [repeatTool] } },
    {
      respond: (response) => {
        const call = { name: CANARY, arguments: `{"text": ${CANARY}` };
        sendMessage(response, { tool_calls: [{ id: '1', type: 'function', function: call }] });
      },
      agent: { tools: [repeatTool], maxToolRounds: 1 },
    },
  ],
  'the headers of a response': [
    {
      respond: (response) =>
        sendJson(response, 500, { error: { message: 'x' } }, { 'x-request-id': CANARY }),
    },
    {
      respond: (response) => {
        response.writeHead(502, `Bad ${CANARY}`, { 'www-authenticate': CANARY }).end();
      },
    },
  ],
  'a key that a function gives': [
    { respond: echoed, client: clientWith({ apiKey: () => Promise.resolve(CANARY) }) },
    { respond: inAnswer(CANARY), client: clientWith({ apiKey: () => Promise.resolve(CANARY) }) },
    {
      respond: echoed,
      client: clientWith({ apiKey: () => Promise.reject(new Error(`No use: ${CANARY}`)) }),
    },
    {
      respond: echoed,
      client: clientWith({ apiKey: () => Promise.resolve([CANARY] as unknown as string) }),
    },
    {
      respond: echoed,
      client: ({ origin }) =>
        new AzureOpenAI({
          endpoint: origin,
          azureADTokenProvider: () => Promise.resolve(CANARY),
          apiVersion: '2024-10-21',
          maxRetries: 0,
        }),
    },
  ],
  'a short key': [
    { respond: echoed, secret: SHORT, client: clientWith({ apiKey: SHORT }) },
    { respond: inAnswer(`It is ${SHORT}`), secret: SHORT, client: clientWith({ apiKey: SHORT }) },
    {
      respond: (response) => response.writeHead(200).end(`<h1>x${SHORT}x</h1>`),
      secret: SHORT,
      client: clientWith({ apiKey: SHORT }),
    },
    { respond: echoed, secret: 'elevenchars', client: clientWith({ apiKey: 'elevenchars' }) },
  ],
  'other credentials of a client': [
    {
      respond: echoed,
      client: clientWith({ apiKey: 'sk-other-key', defaultHeaders: { 'x-gateway': CANARY } }),
    },
    {
      respond: echoed,
      client: clientWith({
        apiKey: 'sk-other-key',
        defaultHeaders: { Cookie: `a=1; s=${CANARY}` },
      }),
    },
    {
      respond: inAnswer('user:k1y'),
      secret: 'k1y',
      client: clientWith({
        apiKey: 'sk-other-key',
        defaultHeaders: { Authorization: `Basic ${base64('user:k1y')}` },
      }),
    },
    { respond: echoed, client: clientWith({ apiKey: 'sk-other-key', organization: CANARY }) },
    { respond: echoed, client: clientWith({ apiKey: 'sk-other-key', project: CANARY }) },
    {
      respond: echoed,
      client: clientWith({ apiKey: 'sk-other-key', defaultQuery: { key: CANARY } }),
    },
    {
      respond: inAnswer(CANARY),
      client: ({ baseURL }) =>
        new OpenAI({
          baseURL: `${baseURL}?token=${encodeURIComponent(CANARY)}`,
          apiKey: 'sk-other-key',
          maxRetries: 0,
        }),
    },
    {
      respond: inAnswer(CANARY),
      client: clientWith({ apiKey: 'sk-other-key' }),
      agent: { extraParameters: { provider: { api_key: CANARY } } },
    },
  ],
  'a redirect to another origin': [
    { respond: moved(307), redirectsTo: echoed, client: azure },
    { respond: moved(302), redirectsTo: echoed, client: azure },
    { respond: moved(308, true), redirectsTo: echoed },
    {
      respond: moved(307),
      redirectsTo: inAnswer(CANARY),
      client: clientWith({ defaultHeaders: { 'x-api-key': CANARY } }),
    },
  ],
  'an error on this side': [
    {
      respond: echoed,
      client: clientWith({
        fetch: throwing(
          new TypeError(`fetch failed: ${CANARY}`, {
            cause: Object.assign(new Error(`cause ${CANARY}`, { cause: CANARY }), {
              headers: { authorization: CANARY },
            }),
          }),
        ),
      }),
    },
    { respond: echoed, client: clientWith({ fetch: throwing({ key: CANARY }) }) },
    // A header cannot have a line feed: the error about it quotes the header.
    { respond: echoed, client: clientWith({ apiKey: `${CANARY}\nx` }) },
    {
      respond: echoed,
      client: ({ baseURL }) =>
        new OpenAI({
          baseURL: baseURL.replace('//', `//user:${encodeURIComponent(CANARY)}@`),
          apiKey: 'sk-other-key',
          maxRetries: 0,
        }),
    },
    {
      respond: (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write(`{"key":"${CANARY}"`, () => response.destroy());
      },
    },
  ],
  'another form of the key': [
    { respond: inAnswer(base64(CANARY)) },
    { respond: inAnswer(base64(`user:${CANARY}`)) },
    { respond: inAnswer(base64(`xx${CANARY}yyy`)) },
    { respond: inAnswer(Buffer.from(`{"key":"${CANARY}"}`).toString('base64url')) },
    { respond: inAnswer(Buffer.from(CANARY).toString('hex')) },
    { respond: inAnswer(`https://host/?key=${encodeURIComponent(CANARY)}`) },
    { respond: inAnswer(`<b>${CANARY.replaceAll('&', '&amp;')}</b>`) },
    {
      respond: inAnswer(JSON.stringify({ key: 'quoted"canary\\key' })),
      secret: 'quoted"canary\\key',
      client: clientWith({ apiKey: 'quoted"canary\\key' }),
    },
  ],
};
