import { execFile } from 'node:child_process';

/** Long enough for a machine that has other things to do; a hang still ends. */
const commandTimeoutMs = 300_000;

/** The same for a test or a hook of several commands. */
export const patienceMs = 2 * commandTimeoutMs;

/** What a command prints; anything but exit code 0 is an error that says everything it printed. */
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

/** What a JavaScript file prints under this Node. */
export const printedByNode = (
  file: string,
  args: readonly string[],
  folder: string,
): Promise<string> => printedBy(process.execPath, [file, ...args], folder);
