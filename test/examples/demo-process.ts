import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export const mainFile = join(root, 'examples/supervised-run/main.ts');

/** A limit for a hang; nothing else here waits this long. */
export const DEMO_TIMEOUT_MS = 240_000;

/** The environment of a new user: no key, no settings. */
export const plainEnvironment = (
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  ...more,
});

export interface Demo {
  readonly child: ChildProcess;
  /** Everything that was printed so far. */
  output(): string;
  errorOutput(): string;
  /** Resolves when the text has been printed; rejects when the process ends without it. */
  printed(text: string): Promise<void>;
  readonly exitCode: Promise<number | null>;
}

/** Runs `npm start`, or any other command of this project, as a child process. */
export const startProcess = (
  command: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = plainEnvironment(),
): Demo => {
  const child = spawn(command, parameters, { cwd: root, env: environment });
  let [output, errorOutput] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errorOutput += chunk;
  });
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return {
    child,
    output: () => output,
    errorOutput: () => errorOutput,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (output.includes(text)) resolve();
        };
        child.stdout.on('data', look);
        child.once('close', () => {
          reject(new Error(`Ended without ${JSON.stringify(text)}:\n${output}${errorOutput}`));
        });
        look();
      }),
    exitCode,
  };
};

/** The demo as `npm start` runs it. */
export const startDemo = (
  options: readonly string[],
  environment: NodeJS.ProcessEnv = plainEnvironment(),
): Demo => startProcess(process.execPath, ['--import', 'tsx', mainFile, ...options], environment);

/** The folder that the demo prints as its working folder. */
export const folderIn = (output: string): string =>
  /Project: a copy in (?<folder>\S+)/.exec(output)?.groups?.['folder'] ?? 'no folder was named';

/** The processes that work in a folder; undefined where the system does not tell. */
export const processesIn = (folder: string): string[] | undefined => {
  if (!existsSync('/proc/self/cwd')) return undefined;
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
    } catch {
      // It has ended since, or belongs to another user.
      return false;
    }
  });
};
