import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/* A TypeScript file as its own process, for measurements and signals that the test process cannot take. */

export interface OwnProcess {
  readonly child: ChildProcess;
  /** Its lines of JSON, as they arrive. */
  readonly messages: AsyncIterable<unknown>;
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

export const startProcess = (file: URL, ...args: readonly string[]): OwnProcess => {
  const options = ['--expose-gc', '--import', 'tsx', fileURLToPath(file), ...args];
  const child = spawn(process.execPath, options, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 'unknown');
    });
  });
  return { child, messages: parsed(child.stdout), ended };
};

/** All output of a process until it exits; any exit code other than 0 is an error. */
export const runProcess = async (file: URL, ...args: readonly string[]): Promise<unknown[]> => {
  const { messages, ended } = startProcess(file, ...args);
  const all: unknown[] = [];
  for await (const message of messages) all.push(message);
  const end = await ended;
  if (end !== 0) throw new Error(`The process ended with ${end}`);
  return all;
};

async function* parsed(output: NodeJS.ReadableStream): AsyncGenerator<unknown, void, undefined> {
  for await (const line of createInterface({ input: output })) yield JSON.parse(line) as unknown;
}
