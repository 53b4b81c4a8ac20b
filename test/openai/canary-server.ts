import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface SeenRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly messages: readonly { readonly content: string | null }[] };
  /** 1 for the first. */
  readonly number: number;
}

export type Respond = (response: ServerResponse, request: SeenRequest) => void;

export interface EchoServer {
  readonly origin: string;
  readonly baseURL: string;
  readonly requests: readonly SeenRequest[];
}

/** A real server on loopback with scripted answers, on every path. */
export const echoServer = async (respond: Respond): Promise<EchoServer> => {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const body = (text === '' ? { messages: [] } : JSON.parse(text)) as SeenRequest['body'];
      const { url = '', headers } = incoming;
      const seen = { url, headers, body, number: requests.length + 1 };
      requests.push(seen);
      respond(response, seen);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return { origin, baseURL: `${origin}/v1`, requests };
};

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** A chat completion with this message. */
export const sendMessage = (response: ServerResponse, message: Record<string, unknown>): void => {
  sendJson(response, 200, { choices: [{ message: { role: 'assistant', ...message } }] });
};

/** Completed work, as a model writes it. */
export const sendOutput = (response: ServerResponse, output: string): void => {
  sendMessage(response, { content: JSON.stringify({ report: { kind: 'done', output } }) });
};

/** Sends data for as long as the connection lives, and counts how much was read. */
export const sendEndlessly = (
  response: ServerResponse,
  status: number,
  start: string,
): { bytes: number } => {
  const chunk = 'x'.repeat(64 * 1_024);
  const sent = { bytes: 0 };
  const send = (): void => {
    if (response.destroyed) return;
    sent.bytes += chunk.length;
    if (response.write(chunk)) setImmediate(send);
    else response.once('drain', send);
  };
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.write(start);
  send();
  return sent;
};
