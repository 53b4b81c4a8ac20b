import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { finished } from './finished.js';
import { bundledCommand, workshop } from './planted-bug.js';

/* The command as its own process: the output in a shell, a pipe or a terminal. */

const PATIENCE_MS = 300_000;

const { folder, close } = workshop();
let command = '';

beforeAll(async () => {
  command = await bundledCommand(folder, []);
}, PATIENCE_MS);

afterAll(close);

const write = (name: string, source: string): string => {
  const path = join(folder, name);
  writeFileSync(path, source);
  return path;
};

describe('the command as a process', () => {
  it('exits with 0 when the policy is proved, without colours or progress', async () => {
    const page = join(folder, 'proof.html');
    const args = ['prove', 'fixed', '--steps', '1', '--html', page];
    const { code, stdout, stderr } = await finished(command, args, folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^PROVED\n/);
    expect(stdout).not.toContain('\u001B');
    expect(existsSync(page)).toBe(true);
  });

  it('exits with 2 when it cannot start, and prints nothing to stdout', async () => {
    const { code, stdout, stderr } = await finished(command, ['prove', 'fixd'], folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Did you mean fixed?');
    expect(stderr).not.toContain('    at ');
  });

  it('tolerates a reader that closes the pipe', async () => {
    const args = ['prove', 'fixed', '--steps', '1'];
    const { code, stderr } = await finished(command, args, folder, ({ stdout }) => {
      stdout?.destroy();
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('stops immediately on an interrupt, and leaves no partial page', async () => {
    const page = join(folder, 'never.html');
    const module = write(
      'endless.mjs',
      `console.error('here');
       export const policy = { limits: { maxSteps: 8, maxReplans: 8, maxParallel: 4, maxDepth: 4 } };`,
    );
    const args = ['prove', module, '--steps', '8', '--html', page];
    const { code, signal, stdout } = await finished(command, args, folder, (child) => {
      child.stderr?.once('data', () => setTimeout(() => child.kill('SIGINT'), 100));
    });
    expect({ code, signal, stdout }).toEqual({ code: null, signal: 'SIGINT', stdout: '' });
    expect(existsSync(page)).toBe(false);
  });
});
