import { OpenAI } from 'openai';
import { describe, expect, it, vi } from 'vitest';

import { OpenAiRequestError, openaiSupervisor } from '../../src/services/openai/index.js';
import type { EchoServer } from './canary-server.js';
import { echoServer, sendEndlessly, sendJson, sendMessage } from './canary-server.js';
import { goodVerdict, reviewRequest } from './requests.js';

vi.setConfig({ testTimeout: 30_000 });

const clientOf = ({ baseURL }: EchoServer): OpenAI =>
  new OpenAI({ baseURL, apiKey: 'sk-test-0123456789abcdef', maxRetries: 0 });

const failureOf = async (answer: unknown): Promise<OpenAiRequestError> => {
  const thrown = await Promise.resolve(answer).then(
    () => null,
    (error: unknown) => error,
  );
  expect(OpenAiRequestError.isInstance(thrown)).toBe(true);
  return thrown as OpenAiRequestError;
};

const content = JSON.stringify(goodVerdict);

describe('the body of an error', () => {
  it.each([400, 401, 500, 503])('is read no further than its bound: status %d', async (status) => {
    let sent = { bytes: 0 };
    let isClosed = false;
    const server = await echoServer((response) => {
      response.on('close', () => (isClosed = true));
      sent = sendEndlessly(response, status, 'It failed because ');
    });
    const asked = openaiSupervisor({ client: clientOf(server), model: 'm' })(reviewRequest());
    const failure = await failureOf(asked);
    expect(failure).toMatchObject({ status });
    expect(failure.message).toContain('It failed because');
    await vi.waitUntil(() => isClosed);
    // What was in the buffers of two sockets.
    expect(sent.bytes).toBeLessThan(16 * 1_048_576);
  });

  it('keeps its status and its headers, which decide what follows', async () => {
    const server = await echoServer((response, { number }) => {
      if (number > 1) sendMessage(response, { content });
      else sendJson(response, 503, 'x'.repeat(200_000), { 'retry-after-ms': '1' });
    });
    const client = clientOf(server).withOptions({ maxRetries: 1 });
    const verdict = await openaiSupervisor({ client, model: 'm' })(reviewRequest());
    expect(verdict).toMatchObject({ score: 85 });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a redirect', () => {
  it.each([307, 308])('of a server to itself is followed: status %d', async (status) => {
    const server = await echoServer((response, { url }) => {
      if (url.endsWith('/moved')) sendMessage(response, { content });
      else response.writeHead(status, { location: `${url}/moved` }).end();
    });
    const verdict = await openaiSupervisor({ client: clientOf(server), model: 'm' })(
      reviewRequest(),
    );
    expect(verdict).toMatchObject({ score: 85 });
    expect(server.requests[1]?.body.messages.length).toBeGreaterThan(0);
  });

  it('without end is followed a few times', async () => {
    const server = await echoServer((response, { url }) =>
      response.writeHead(307, { location: url }).end(),
    );
    const asked = openaiSupervisor({ client: clientOf(server), model: 'm' })(reviewRequest());
    expect(await failureOf(asked)).toMatchObject({ code: 'request-rejected', status: 307 });
    expect(server.requests).toHaveLength(4);
  });

  it.each([301, 302, 303, 307, 308])(
    'to another server is refused with a message, and nothing is sent there: status %d',
    async (status) => {
      const other = await echoServer((response) => sendMessage(response, { content }));
      const server = await echoServer((response, { url }) =>
        response.writeHead(status, { location: `${other.origin}${url}` }).end(),
      );
      const asked = openaiSupervisor({ client: clientOf(server), model: 'm' })(reviewRequest());
      const failure = await failureOf(asked);
      expect(failure).toMatchObject({ code: 'request-rejected', status });
      expect(failure.message).toContain(`redirects the request to ${other.origin}`);
      expect(failure.message).toContain('base URL');
      expect(other.requests).toEqual([]);
    },
  );
});

describe('a client of the user', () => {
  it('is unchanged for the user’s own calls: its redirects, its bodies', async () => {
    const other = await echoServer((response) =>
      sendJson(response, 200, { choices: [], note: 'x'.repeat(5_000_000) }),
    );
    const server = await echoServer((response, { url, number }) => {
      if (number === 1) sendMessage(response, { content });
      else response.writeHead(307, { location: `${other.origin}${url}` }).end();
    });
    const client = clientOf(server);
    const supervisor = openaiSupervisor({ client, model: 'm', maxAnswerCharacters: 1_000 });
    expect(await supervisor(reviewRequest())).toMatchObject({ score: 85 });
    const own = await client.chat.completions.create({ model: 'm', messages: [] });
    expect(JSON.stringify(own).length).toBeGreaterThan(5_000_000);
  });

  it('is called through its own fetch, wrapped once for all roles', async () => {
    const server = await echoServer((response) => sendMessage(response, { content }));
    const fetching = vi.fn(fetch);
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'sk-other', fetch: fetching });
    const roles = [1, 2, 3].map(() => openaiSupervisor({ client, model: 'm' }));
    await roles[2]?.(reviewRequest());
    expect(fetching).toHaveBeenCalledTimes(1);
  });

  it('that is frozen is refused with a message, before anything runs', async () => {
    const server = await echoServer((response) => sendMessage(response, { content }));
    const client = clientOf(server);
    Object.freeze(client);
    expect(() => openaiSupervisor({ client, model: 'm' })).toThrow('got a frozen one');
  });
});
