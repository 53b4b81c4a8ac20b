import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/*
 * A network between the driver and a real PostgreSQL server that fails on demand. Bytes go through real sockets in both
 * directions; the proxy understands only where an answer ends.
 */

/**
 * - `lose-answer`: the server does what it is asked, and the connection is reset before the answer arrives.
 * - `lose-request`: the connection is reset before the server has seen the request.
 * - `silence`: the connection stays open in both directions, and nothing goes through it any more.
 */
export type Fault = 'lose-answer' | 'lose-request' | 'silence';

export interface PostgresProxy {
  /** The address of the server through the proxy. */
  readonly url: string;
  /** The next `times` requests with the text in their SQL meet the fault, each with its connection. */
  strike(fault: Fault, text: string, times?: number): void;
  /** How many requests have met a fault. */
  strikes(): number;
  /** Open connections go silent; later ones work. */
  silenceOpen(): void;
  /** Resets all open connections. */
  resetOpen(): void;
  /** Every answer takes this much longer, from now on. */
  slowDown(delayMs: number): void;
  /** How many connections were made so far. */
  connections(): number;
  /** Removes all faults and delays. */
  heal(): void;
  close(): Promise<void>;
}

interface Plan {
  readonly fault: Fault;
  readonly text: string;
  times: number;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  state: 'open' | 'silent' | 'answer-is-lost';
}

/** The last message of every answer: ReadyForQuery, with the state of the transaction. */
const isComplete = (chunk: Buffer): boolean =>
  chunk.length >= 6 && chunk.subarray(-6, -1).equals(Buffer.from([0x5a, 0, 0, 0, 5]));

/** @param serverUrl as `startPostgres` returns it: the folder of a socket is its host */
export const startProxy = async (serverUrl: string): Promise<PostgresProxy> => {
  const folder = new URL(serverUrl.replace('@/', '@localhost/')).searchParams.get('host') ?? '';
  const plans: Plan[] = [];
  const links = new Set<Link>();
  const count = { strikes: 0, connections: 0 };
  let delayMs = 0;

  const cut = (link: Link): void => {
    links.delete(link);
    link.client.resetAndDestroy();
    link.server.destroy();
  };

  const onRequest = (link: Link, chunk: Buffer): void => {
    if (link.state === 'silent') return;
    const plan = plans.find(({ text, times }) => times > 0 && chunk.includes(text));
    if (plan !== undefined) {
      plan.times -= 1;
      count.strikes += 1;
    }
    if (plan?.fault === 'lose-request') cut(link);
    else if (plan?.fault === 'silence') link.state = 'silent';
    else {
      if (plan?.fault === 'lose-answer') link.state = 'answer-is-lost';
      link.server.write(chunk);
    }
  };

  const onAnswer = (link: Link, chunk: Buffer): void => {
    if (link.state === 'answer-is-lost' && isComplete(chunk)) cut(link);
    if (link.state !== 'open') return;
    if (delayMs === 0) link.client.write(chunk);
    else setTimeout(() => link.client.writable && link.client.write(chunk), delayMs);
  };

  const accept = (client: Socket): void => {
    count.connections += 1;
    const server = connect(join(folder, '.s.PGSQL.5432'));
    const link: Link = { client, server, state: 'open' };
    links.add(link);
    client.on('data', (chunk) => onRequest(link, chunk));
    server.on('data', (chunk) => onAnswer(link, chunk));
    // A server that goes away resets its connections; through a silent network not even that arrives.
    server.on('error', () => undefined);
    client.on('error', () => undefined);
    server.on('close', () => link.state === 'silent' || client.destroy());
    client.on('end', () => link.state === 'silent' || client.end());
    client.on('close', () => {
      links.delete(link);
      server.destroy();
    });
  };

  // Half-open is allowed, so that a FIN through a silent connection is not answered by this side.
  const listener = createServer({ allowHalfOpen: true }, accept).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `postgres://planwright@127.0.0.1:${port}/postgres`,
    strike: (fault, text, times = 1) => plans.push({ fault, text, times }),
    strikes: () => count.strikes,
    silenceOpen: () => {
      for (const link of links) link.state = 'silent';
    },
    resetOpen: () => {
      for (const link of links) cut(link);
    },
    slowDown: (ms) => {
      delayMs = ms;
    },
    connections: () => count.connections,
    heal: () => {
      plans.length = 0;
      delayMs = 0;
    },
    close: async () => {
      for (const link of links) cut(link);
      listener.close();
      await once(listener, 'close');
    },
  };
};
