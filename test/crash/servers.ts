import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';

import type { Answer, Order, ServerOptions } from './server.js';

export interface Server {
  readonly pid: number;
  /** Sends a request; the answer arrives when it is done or refused. */
  ask(order: Order): Promise<Answer>;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a server and waits until it is ready. */
export const startServer = async (program: string, options: ServerOptions): Promise<Server> => {
  const child: ChildProcess = fork(program, [JSON.stringify(options)], { execArgv: [] });
  const waiting = new Map<string, (answer: Answer) => void>();
  const ready = new Promise<void>((resolve, reject) => {
    waiting.set('', () => {
      resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      reject(new Error(`The server ended with ${code}`));
    });
  });
  child.on('message', (answer) => {
    const { runId } = answer as Answer;
    waiting.get(runId)?.(answer as Answer);
    waiting.delete(runId);
  });
  await ready;
  return {
    pid: child.pid ?? 0,
    ask: (order) =>
      new Promise((resolve) => {
        waiting.set(order.runId, resolve);
        child.send(order);
      }),
    signal: (signal) => {
      child.kill(signal);
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve();
        });
        child.kill('SIGKILL');
      }),
  };
};
