import { OpenAI } from 'openai';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';

import type { ScriptedAnswer } from '../../examples/supervised-run/scripted-server.js';
import { completion } from '../../examples/supervised-run/scripted-server.js';
import type { OpenAiRequestCode } from '../../src/services/openai/index.js';
import { OpenAiRequestError, openaiSupervisor } from '../../src/services/openai/index.js';
import { goodVerdict, reviewRequest } from './requests.js';
import type { TestServer } from './servers.js';
import { API_KEY, serverSaying } from './servers.js';

vi.setConfig({ testTimeout: 30_000 }); // real servers and real waits, on a machine that may be busy

/* Servers that misbehave, called by the real client. */

const ok: ScriptedAnswer = { json: goodVerdict };

const status = (
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = { error: { message: `Status ${code}` } },
): ScriptedAnswer => ({
  respond: (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  },
});

const respondWith = (respond: (response: ServerResponse) => void): ScriptedAnswer => ({ respond });

/** Promises half of a body and no more. */
const cutBody = respondWith((response) => {
  const text = JSON.stringify(completion({ number: 1, model: 'm', messages: [] }, { text: 'Hi' }));
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(text.length),
  });
  response.write(text.slice(0, 40), () => response.destroy());
});

const supervisorOf = ({ client }: TestServer) => openaiSupervisor({ client, model: 'scripted' });

const failureOf = async (answer: unknown): Promise<OpenAiRequestError> => {
  const thrown = await Promise.resolve(answer).then(
    () => null,
    (error: unknown) => error,
  );
  expect(OpenAiRequestError.isInstance(thrown)).toBe(true);
  return thrown as OpenAiRequestError;
};

describe('a request', () => {
  it('waits as long as a 429 demands, and continues', async () => {
    const server = await serverSaying(status(429, { 'retry-after': '0.3' }), ok);
    const startedAt = performance.now();
    expect(await supervisorOf(server)(reviewRequest())).toMatchObject({ score: 85 });
    expect(performance.now() - startedAt).toBeGreaterThan(290);
    expect(server.requests).toHaveLength(2);
  });

  it('understands Retry-After as a date', async () => {
    const date = new Date(Date.now() - 1_000).toUTCString();
    const server = await serverSaying(status(429, { 'retry-after': date }), ok);
    expect(await supervisorOf(server)(reviewRequest())).toMatchObject({ score: 85 });
  });

  it('does not wait for an hour', async () => {
    const server = await serverSaying(status(429, { 'retry-after': '3600' }), ok);
    const failure = await failureOf(supervisorOf(server)(reviewRequest()));
    expect(failure).toMatchObject({ code: 'rate-limited', status: 429 });
    expect(failure.message).toContain('Status 429');
    expect(server.requests).toHaveLength(1);
  });

  it('is retried after a 500 and after a broken connection', async () => {
    const broken = respondWith((response) => response.destroy());
    const server = await serverSaying(status(500, { 'retry-after-ms': '1' }), broken, ok);
    expect(await supervisorOf(server)(reviewRequest())).toMatchObject({ score: 85 });
    expect(server.requests).toHaveLength(3);
  });

  it('is retried when the body is cut, which the client alone does not do', async () => {
    const server = await serverSaying(cutBody, ok);
    expect(await supervisorOf(server)(reviewRequest())).toMatchObject({ score: 85 });
    expect(server.requests).toHaveLength(2);
  });

  it('is tried as often as the client’s setting says, and then fails', async () => {
    const server = await serverSaying(cutBody);
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: API_KEY, maxRetries: 1 });
    const failure = await failureOf(openaiSupervisor({ client, model: 'm' })(reviewRequest()));
    expect(failure.code).toBe('cut-off');
    expect(server.requests).toHaveLength(2);
  });

  it.each<[number, OpenAiRequestCode]>([
    [400, 'request-rejected'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'request-rejected'],
    [422, 'request-rejected'],
  ])('is not retried after a %d', async (code, expected) => {
    const server = await serverSaying(status(code), ok);
    const failure = await failureOf(supervisorOf(server)(reviewRequest()));
    expect(failure).toMatchObject({ name: 'OpenAiRequestError', code: expected, status: code });
    expect(server.requests).toHaveLength(1);
  });

  it('obeys a server that says whether to retry', async () => {
    const never = await serverSaying(status(500, { 'x-should-retry': 'false' }), ok);
    expect((await failureOf(supervisorOf(never)(reviewRequest()))).code).toBe('server-error');
    const again = status(400, { 'x-should-retry': 'true', 'retry-after-ms': '1' });
    const patient = await serverSaying(again, ok);
    expect(await supervisorOf(patient)(reviewRequest())).toMatchObject({ score: 85 });
  });

  it('is not retried when the quota is spent', async () => {
    const spent = { error: { message: 'No quota', code: 'insufficient_quota' } };
    const server = await serverSaying(status(429, {}, spent), ok);
    expect((await failureOf(supervisorOf(server)(reviewRequest()))).code).toBe('rate-limited');
    expect(server.requests).toHaveLength(1);
  });

  it('never shows the API key, though the server does', async () => {
    const server = await serverSaying(
      status(401, {}, { error: { message: `Bad key ${API_KEY}!` } }),
    );
    const failure = await failureOf(supervisorOf(server)(reviewRequest()));
    expect(failure.message).toContain('Bad key [redacted]!');
  });

  it('that hangs ends when it is aborted', async () => {
    const server = await serverSaying(respondWith(() => undefined));
    const controller = new AbortController();
    const asked = supervisorOf(server)(reviewRequest({ signal: controller.signal }));
    await vi.waitUntil(() => server.requests.length === 1);
    controller.abort();
    expect((await failureOf(asked)).code).toBe('aborted');
  });

  it('that hangs in the middle of its body ends when it is aborted', async () => {
    let isCut = false;
    const server = await serverSaying(
      respondWith((response) => {
        response.on('close', () => (isCut = true));
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":');
      }),
    );
    const controller = new AbortController();
    const asked = supervisorOf(server)(reviewRequest({ signal: controller.signal }));
    await vi.waitUntil(() => server.requests.length === 1);
    controller.abort();
    expect((await failureOf(asked)).code).toBe('aborted');
    // The server sees it, too: the connection is not left open.
    await vi.waitUntil(() => isCut);
  });

  it('that waits for its next try ends immediately when it is aborted, and leaves no timer', async () => {
    const server = await serverSaying(status(429, { 'retry-after': '50' }));
    const controller = new AbortController();
    const asked = supervisorOf(server)(reviewRequest({ signal: controller.signal }));
    await vi.waitUntil(() => server.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const armed = timers();
    controller.abort();
    expect((await failureOf(asked)).code).toBe('aborted');
    expect(timers()).toBeLessThan(armed);
  });

  it('is not made when it was aborted before', async () => {
    const server = await serverSaying(ok);
    const asked = supervisorOf(server)(reviewRequest({ signal: AbortSignal.abort() }));
    expect((await failureOf(asked)).code).toBe('aborted');
  });

  it('fails when the server is unreachable', async () => {
    const server = await serverSaying(ok);
    await server.close();
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: API_KEY, maxRetries: 0 });
    const failure = await failureOf(openaiSupervisor({ client, model: 'm' })(reviewRequest()));
    expect(failure).toMatchObject({ code: 'connection-failed', status: null });
  });
});

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('a response', () => {
  it('is read no further than its bound', async () => {
    const chunk = 'x'.repeat(64 * 1_024);
    let sent = 0;
    let isClosed = false;
    const server = await serverSaying(
      respondWith((response) => {
        response.on('close', () => (isClosed = true));
        const send = (): void => {
          if (response.destroyed) return;
          sent += chunk.length;
          if (response.write(chunk)) setImmediate(send);
          else response.once('drain', send);
        };
        response.writeHead(200, { 'content-type': 'application/json' });
        send();
      }),
    );
    const { client } = server;
    const asked = openaiSupervisor({ client, model: 'm', maxAnswerCharacters: 100_000 });
    const failure = await failureOf(asked(reviewRequest()));
    expect(failure.code).toBe('body-too-large');
    await vi.waitUntil(() => isClosed);
    // 6 bytes a character and 1 MiB besides, and what was in the buffers of two sockets.
    expect(sent).toBeLessThan(600_000 + 1_048_576 + 16 * 1_048_576);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer, string]>([
    [
      'a web page',
      respondWith((response) => response.writeHead(200).end('<!doctype html><p>Proxy</p>')),
      'is not JSON',
    ],
    ['an error with status 200', status(200, {}, { error: { message: 'No model' } }), 'No model'],
    ['an error as a text', status(200, {}, { error: 'No such model' }), 'No such model'],
    ['anything else', status(200, {}, { choices: 'many' }), 'expected array'],
  ])('that is %s is not a completion', async (_, answer, told) => {
    const server = await serverSaying(answer);
    const failure = await failureOf(supervisorOf(server)(reviewRequest()));
    expect(failure.code).toBe('not-a-completion');
    expect(failure.message).toContain(told);
    expect(failure.message).toContain('base URL');
  });

  it('without usage counts as zero', async () => {
    const message = { role: 'assistant', content: JSON.stringify(goodVerdict) };
    const server = await serverSaying(status(200, {}, { choices: [{ message }] }));
    expect(await supervisorOf(server)(reviewRequest())).toEqual({
      score: 85,
      issues: [],
      feedback: 'Go on',
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it('may come through an observer that returns plain promises', async () => {
    const server = await serverSaying(ok);
    const { client } = server;
    const create = client.chat.completions.create.bind(client.chat.completions);
    const observed = vi
      .spyOn(client.chat.completions, 'create')
      .mockImplementation(((...parameters: Parameters<typeof create>) =>
        Promise.resolve(create(...parameters))) as typeof create);
    expect(await supervisorOf(server)(reviewRequest())).toMatchObject({ score: 85 });
    expect(observed).toHaveBeenCalledTimes(1);
  });
});
