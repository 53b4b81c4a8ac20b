import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { root } from './manifest.js';

/** Long enough for a busy machine; a limit for a hang. */
const commandTimeoutMs = 300_000;

/** The same for a test or a hook of several commands. */
export const patienceMs = 2 * commandTimeoutMs;

/** The output of a command; any exit code but 0 is an error with the whole output. */
export const printedBy = (
  command: string,
  args: readonly string[],
  folder: string,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = {
      cwd: folder,
      timeout: commandTimeoutMs,
      maxBuffer: 64 * 1024 * 1024,
      shell: process.platform === 'win32', // npm is a .cmd file there
    };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}${stderr}`, { cause: error }));
    });
  });

/** The output of a JavaScript file under this Node. */
export const printedByNode = (
  file: string,
  args: readonly string[],
  folder: string,
): Promise<string> => printedBy(process.execPath, [file, ...args], folder);

/** The compilers that users have: the newer one builds the package, and the older one must understand it too. */
const compilers = {
  'TypeScript 6': ['typescript'],
  // Its threads duplicate much of the work, and are not needed for so little.
  'TypeScript 7': ['typescript-7', '--singleThreaded'],
} as const;

export type Compiler = keyof typeof compilers;

/** Compiles the given options in a folder; a type error is an error with the compiler's output. */
export const compiledBy = async (
  compiler: Compiler,
  options: readonly string[],
  folder: string,
): Promise<void> => {
  const [name, ...always] = compilers[compiler];
  const file = join(root, 'node_modules', name, 'bin/tsc');
  await printedByNode(file, [...always, ...options], folder);
};
