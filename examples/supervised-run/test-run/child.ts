import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';

/** The result of a child process. */
export interface ChildResult {
  readonly output: string;
  readonly errorOutput: string;
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
}

export interface ChildOptions {
  readonly folder: string;
  readonly timeoutMs: number;
  /** Kills the child and its own children. */
  readonly signal: AbortSignal;
}

/** Output of a child beyond this is not kept. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;

const running = new Set<ChildProcess>();

/** Runs this Node with arguments and without the secrets of our own environment. Rejects when aborted. */
export const runNode = async (
  parameters: readonly string[],
  { folder, timeoutMs, signal }: ChildOptions,
): Promise<ChildResult> => {
  signal.throwIfAborted();
  const child = spawn(process.execPath, parameters, {
    cwd: folder,
    env: safeEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: test runners start children too, and this process handles Ctrl-C.
    detached: process.platform !== 'win32',
  });
  running.add(child);
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    killGroup(child);
  }, timeoutMs);
  const abort = (): void => {
    killGroup(child);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    const result = await resultOf(child);
    signal.throwIfAborted();
    return { ...result, isTimedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    running.delete(child);
    // Children that it left behind are killed too.
    killGroup(child);
  }
};

/** No child process outlives this one. */
export const killAllChildren = (): void => {
  for (const child of running) killGroup(child);
};

const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

const resultOf = (child: ChildProcess): Promise<Omit<ChildResult, 'isTimedOut'>> =>
  new Promise((resolve, reject) => {
    const output = collected(child.stdout);
    const errorOutput = collected(child.stderr);
    child.once('error', reject);
    child.once('close', (exitCode) => {
      resolve({ output: output(), errorOutput: errorOutput(), exitCode });
    });
  });

const collected = (stream: NodeJS.ReadableStream | null): (() => string) => {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(0, OUTPUT_CHARACTERS_MAX);
  });
  return () => text;
};

/** A model wrote the code under test, so it gets no secrets. */
const safeEnvironment = (): NodeJS.ProcessEnv => {
  const names = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'LANG', 'TZ'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
};
