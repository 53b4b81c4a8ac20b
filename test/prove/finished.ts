import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a JavaScript file under this Node to its end. */
export const finished = (
  file: string,
  args: readonly string[],
  folder: string,
  meet: (child: ChildProcess) => void = () => undefined,
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: folder });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
    meet(child);
  });
