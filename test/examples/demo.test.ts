import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { createScript } from '../../examples/supervised-run/script/script.js';
import { startScriptedServer } from '../../examples/supervised-run/scripted-server.js';
import { isPassed, runTests } from '../../examples/supervised-run/test-run/run-tests.js';
import { codeBlocks } from '../docs/markdown.js';
import { DEMO_TIMEOUT_MS, folderIn, plainEnvironment, startDemo } from './demo-process.js';

/* The main example: `npm start` as a new user runs it, from the first line to the exit code. */

const root = join(import.meta.dirname, '../..');
const sample = join(root, 'examples/supervised-run/sample-project');

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-demo-test-'));
  cleanUps.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** README.md shows some of the lines, in their order, without their durations. */
const expectShownInReadme = (output: string): void => {
  const [, startShown = ''] = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8'), 'text');
  const lines = startShown.trimEnd().split('\n').map(withoutTime);
  expect(lines.length).toBeGreaterThan(10);
  const printed = output.split('\n').map(withoutTime);
  let from = 0;
  for (const line of lines) {
    const start = line.replace(/…$/, '');
    const found = printed.findIndex((text, index) => index >= from && text.startsWith(start));
    expect(found, line).toBeGreaterThanOrEqual(0);
    from = found + 1;
  }
};

const withoutTime = (line: string): string => line.replace(/^ +\d+:\d\d /, '');

describe('npm start', () => {
  it(
    'repairs the project without a key: a wrong plan, a fix, one replan, and tests that pass',
    async () => {
      const demo = startDemo(
        ['--keep', '--width', '100'],
        plainEnvironment({ TMPDIR: temporaryFolder() }),
      );
      expect(await demo.exitCode, demo.output() + demo.errorOutput()).toBe(0);
      const output = demo.output();
      expect(output).toContain('Model: scripted. Only its answers are');
      expect(output).toContain('✔ completed  goal-achieved');
      expect(output).toContain('1 test fails: test/money.test.js: reads 1.10 to the cent');
      expect(output).toContain('fix plan: Math.ceil');
      expect(output).toMatch(/ Replans +1 of at most 2\n/);
      expect(output).toMatch(/ Fixes +1 after failed tests\n/);
      expect(output).toMatch(/ Tests before +6 passed, 6 failed\n/);
      expect(output).toMatch(/ Tests after +12 passed, 0 failed\n/);
      expect(output).toMatch(/ Escalation +none > remind > none\n/);
      expect(output).toContain('src/money.js  +1 -1');
      expect(demo.errorOutput()).toBe('');
      // Only lines: there is no terminal here.
      expect(output).not.toMatch(/[\u001B\r]/);
      expectShownInReadme(output);

      const folder = folderIn(output);
      const { signal } = new AbortController();
      expect(isPassed(await runTests(folder, { signal }))).toBe(true);
      for (const test of ['cart', 'money', 'receipt']) {
        const file = `test/${test}.test.js`;
        const original = readFileSync(join(sample, file), 'utf8');
        expect(readFileSync(join(folder, file), 'utf8')).toBe(original);
      }
    },
    DEMO_TIMEOUT_MS,
  );

  it(
    'calls the model that the environment names, with its key, on a copy of one of our projects',
    async () => {
      const server = await startScriptedServer(createScript(0));
      cleanUps.push(() => server.close());
      const place = temporaryFolder();
      const project = join(place, 'ours');
      cpSync(sample, project, { recursive: true });
      const demo = startDemo(
        ['--goal', 'Make the failing tests pass', '--project', project],
        plainEnvironment({
          TMPDIR: place,
          OPENAI_API_KEY: 'secret-of-the-user',
          OPENAI_BASE_URL: server.baseURL,
          OPENAI_MODEL: 'some-model',
        }),
      );
      expect(await demo.exitCode, demo.output() + demo.errorOutput()).toBe(0);
      const output = demo.output();
      expect(output).toContain(`Model: some-model at ${new URL(server.baseURL).host}`);
      expect(output).toContain('Goal: Make the failing tests pass\n');
      expect(output).not.toContain('scripted');
      expect(output).not.toContain('secret-of-the-user');
      expect(server.requests.length).toBeGreaterThan(20);
      for (const request of server.requests) {
        expect(request.model).toBe('some-model');
        expect(request.headers.authorization).toBe('Bearer secret-of-the-user');
      }
      // The copy has the result; the original is unchanged.
      const copy = folderIn(output);
      expect(output.replaceAll(/\n ?/g, '')).toContain(`The work is in ${copy}`);
      expect(readFileSync(join(copy, 'src/money.js'), 'utf8')).toContain('Math.round');
      expect(readFileSync(join(project, 'src/money.js'), 'utf8')).toContain('Math.floor');
    },
    DEMO_TIMEOUT_MS,
  );

  it(
    'ends with exit code 1 and the reason when the model cannot be reached',
    async () => {
      const server = await startScriptedServer(() => ({
        respond: (response) => {
          response.writeHead(401, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ error: { message: 'No such key' } }));
        },
      }));
      cleanUps.push(() => server.close());
      const demo = startDemo(
        [],
        plainEnvironment({ OPENAI_BASE_URL: server.baseURL, OPENAI_MODEL: 'some-model' }),
      );
      expect(await demo.exitCode).toBe(1);
      expect(demo.output()).toContain('No such key');
      expect(demo.output()).toContain('✘ failed  planning-failed');
      expect(demo.output()).toMatch(/Files changed\n +none\n/);
    },
    DEMO_TIMEOUT_MS,
  );
});
