import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { DEMO_TIMEOUT_MS, mainFile, plainEnvironment, startProcess } from './demo-process.js';

/* The demo in a pseudo-terminal, which `script` of util-linux makes. */

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);
if (!hasScript) {
  process.stderr.write(
    'test/examples/terminal.test.ts: no `script` of util-linux, so it is skipped\n',
  );
}

const inTerminal = async (
  options: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number | null; output: string }> => {
  const command = `stty rows 30 cols 100; ${process.execPath} --import tsx ${mainFile} --pace 0 ${options}`;
  const demo = startProcess(
    'script',
    ['-qec', command, '/dev/null'],
    plainEnvironment({ SHELL: '/bin/sh', ...environment }),
  );
  return { exitCode: await demo.exitCode, output: demo.output() };
};

describe.skipIf(!hasScript)('npm start on a terminal', () => {
  it(
    'paints in place on a screen of its own, gives it back, and ends with story and report',
    async () => {
      const { exitCode, output } = await inTerminal('');
      expect(exitCode, output).toBe(0);
      const start = output.indexOf('\u001B[?1049h');
      const end = output.indexOf('\u001B[?1049l');
      expect(start).toBeGreaterThan(0);
      expect(end).toBeGreaterThan(start);
      const painted = output.slice(start, end);
      expect(painted).toContain('Escalation');
      expect(painted).toContain('fix-money');
      expect(painted).toContain('scripted model');
      // Not one line is fed while frames are painted: that would scroll.
      expect(painted).not.toContain('\n');
      expect(output.lastIndexOf('\u001B[?25h')).toBeGreaterThan(output.lastIndexOf('\u001B[?25l'));
      expect(output.lastIndexOf('\u001B[?7h')).toBeGreaterThan(output.lastIndexOf('\u001B[?7l'));
      const rest = output.slice(end);
      expect(rest).toContain('adopted: fix-money');
      expect(rest).toContain('completed');
      expect(rest).toContain('12 passed, 0 failed');
      expect(rest).toContain('\u001B[32m');
    },
    DEMO_TIMEOUT_MS,
  );

  it(
    'has no colour with NO_COLOR',
    async () => {
      const { exitCode, output } = await inTerminal('', { NO_COLOR: '1' });
      expect(exitCode, output).toBe(0);
      expect(output).toContain('\u001B[?1049h');
      // Every colour but the reset at the end of a line.
      // eslint-disable-next-line no-control-regex -- control characters are the point
      expect(output.match(/\u001B\[[1-9]\d*m/g)).toBeNull();
    },
    DEMO_TIMEOUT_MS,
  );

  it.each([
    ['--plain', { NO_COLOR: '1' }],
    ['', { TERM: 'dumb' }],
  ])(
    'is plain lines when asked to, or when the terminal can do no more: %j %j',
    async (option, environment) => {
      const { exitCode, output } = await inTerminal(option, environment);
      expect(exitCode, output).toBe(0);
      expect(output).not.toContain('\u001B');
      expect(output).toContain('adopted: fix-money');
    },
    DEMO_TIMEOUT_MS,
  );
});
