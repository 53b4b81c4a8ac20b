import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { DEMO_TIMEOUT_MS, folderIn, processesIn, startDemo, startProcess } from './demo-process.js';

const interruptFile = join(import.meta.dirname, '../../examples/supervised-run/interrupt.ts');

describe('Ctrl-C', () => {
  it(
    'ends a run with a report of what was done, and leaves no child and no folder',
    async () => {
      const demo = startDemo([]);
      // From here on the tester is running: a child process with its own children.
      await demo.printed('escalation none -> remind');
      const folder = folderIn(demo.output());
      expect(existsSync(folder)).toBe(true);
      demo.child.kill('SIGINT');
      expect(await demo.exitCode).toBe(130);
      expect(demo.output()).toContain('✘ aborted  Stopped with Ctrl-C');
      expect(demo.output()).toMatch(/fix-money +coder +cancelled: Stopped with Ctrl-C/);
      expect(demo.output()).toContain('src/money.js  +1 -1');
      expect(demo.output()).toMatch(/Tests after +not run\n/);
      expect(existsSync(dirname(folder))).toBe(false);
      expect(processesIn(folder) ?? []).toEqual([]);
    },
    DEMO_TIMEOUT_MS,
  );

  it(
    'ends the program before the run has begun, too',
    async () => {
      const demo = startDemo([]);
      await demo.printed('Project: a copy in');
      demo.child.kill('SIGINT');
      expect(await demo.exitCode).toBe(130);
      expect(existsSync(dirname(folderIn(demo.output())))).toBe(false);
    },
    DEMO_TIMEOUT_MS,
  );

  it(
    'counts once when the signal arrives several times at once, and ends everything when it is pressed again',
    async () => {
      const waiting = startProcess(process.execPath, [
        '--import',
        'tsx',
        '--input-type=module',
        '--eval',
        `const { listenForInterruption } = await import(${JSON.stringify(interruptFile)});
         const { signal } = listenForInterruption();
         signal.addEventListener('abort', () => console.log(String(signal.reason.message)));
         console.log('ready');
         setInterval(() => undefined, 1_000);`,
      ]);
      await waiting.printed('ready');
      waiting.child.kill('SIGINT');
      await waiting.printed('Stopped by SIGINT');
      waiting.child.kill('SIGINT');
      await delay(700);
      expect(waiting.child.exitCode).toBeNull();
      waiting.child.kill('SIGINT');
      expect(await waiting.exitCode).toBe(130);
      expect(waiting.output().match(/Stopped/g)).toHaveLength(1);
    },
    DEMO_TIMEOUT_MS,
  );
});
