import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import type { Demo } from './demo-process.js';
import { DEMO_TIMEOUT_MS, mainFile, plainEnvironment, startProcess } from './demo-process.js';

/* The demo in a pseudo-terminal, which `script` of util-linux makes. */

/** Without `script` there is no output at all, whatever the types say. */
const version = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout as string | null;
const hasScript = version?.includes('util-linux') === true;
if (!hasScript) {
  process.stderr.write(
    'test/examples/terminal.test.ts: no `script` of util-linux here, so it is skipped\n',
  );
}

const startInTerminal = (environment: Readonly<Record<string, string>> = {}): Demo => {
  const command = `stty rows 30 cols 100; ${process.execPath} --import tsx ${mainFile} --pace 0`;
  const around = plainEnvironment({ SHELL: '/bin/sh', ...environment });
  return startProcess('script', ['-qec', command, '/dev/null'], around);
};

/** The alternate screen, the cursor and line wrapping are all restored. */
const expectTerminalRestored = (output: string): void => {
  for (const [on, off] of [
    ['\u001B[?1049l', '\u001B[?1049h'],
    ['\u001B[?25h', '\u001B[?25l'],
    ['\u001B[?7h', '\u001B[?7l'],
  ] as const) {
    expect(output.indexOf(off)).toBeGreaterThan(0);
    expect(output.lastIndexOf(on)).toBeGreaterThan(output.lastIndexOf(off));
  }
};

describe.skipIf(!hasScript)('npm start on a terminal', () => {
  it(
    'paints in place on the alternate screen, restores the terminal, and ends with log and report',
    async () => {
      const demo = startInTerminal();
      expect(await demo.exitCode, demo.output()).toBe(0);
      const output = demo.output();
      expectTerminalRestored(output);
      const start = output.indexOf('\u001B[?1049h');
      const end = output.indexOf('\u001B[?1049l');
      const painted = output.slice(start, end);
      for (const text of ['Escalation', 'Replans', 'scripted model', 'fix-money']) {
        expect(painted).toContain(text);
      }
      // There is no line feed while frames are painted: that would scroll.
      expect(painted).not.toContain('\n');
      const rest = output.slice(end);
      for (const text of ['adopted: fix-money', 'goal-achieved', '12 passed, 0 failed']) {
        expect(rest).toContain(text);
      }
      expect(rest).toContain('\u001B[32m');
    },
    DEMO_TIMEOUT_MS,
  );

  it(
    'restores the terminal when it is stopped with Ctrl-C, and has no colour with NO_COLOR',
    async () => {
      const demo = startInTerminal({ NO_COLOR: '1' });
      await demo.printed('fix-money');
      demo.child.stdin?.write('\u0003');
      expect(await demo.exitCode, demo.output()).toBe(130);
      const output = demo.output();
      expectTerminalRestored(output);
      expect(output).toContain('aborted  Stopped with Ctrl-C');
      // The reset at the end of a painted line is no colour.
      expect(output.match(/\u001B\[[1-9]\d*m/g)).toBeNull();
    },
    DEMO_TIMEOUT_MS,
  );
});
