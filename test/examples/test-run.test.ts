import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { checkingGoal } from '../../examples/supervised-run/test-run/goal-check.js';
import type { TestOutcome, TestRun } from '../../examples/supervised-run/test-run/run-tests.js';
import {
  countsOf,
  failedTests,
  failureText,
  isPassed,
  runTests,
} from '../../examples/supervised-run/test-run/run-tests.js';
import { failuresOf, runningTester } from '../../examples/supervised-run/test-run/tester.js';
import type { ReviewRequest, TestRequest, Verdict } from '../../src/index.js';
import { processesIn } from './demo-process.js';

const { signal } = new AbortController();
const RUN_MS = 60_000;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'planwright-test-run-test-'));
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const writeTests = (name: string, body: string): void => {
  const head =
    "import assert from 'node:assert/strict';\nimport { describe, test } from 'node:test';\n";
  writeFileSync(join(folder, 'test', `${name}.test.js`), head + body);
};

describe('the tests of a project', () => {
  it(
    'are reported one by one: passed, failed with the reason, or not loaded',
    async () => {
      writeTests(
        'a',
        `test('good', () => {});
         test('equal', () => { assert.equal(1 + 1, 3); });
         test('thrown', () => { throw new Error('two\\nlines'); });
         test.skip('later', () => {});
         describe('group', () => { test('inner', () => { assert.ok(0, 'own words'); }); });
         console.log('{"file":"no line of the reporter"');`,
      );
      writeTests('b', 'this is no code');
      const run = await runTests(folder, { signal });
      expect(isPassed(run)).toBe(false);
      expect(countsOf(run)).toBe('1 passed, 4 failed');
      const failures = failedTests(run).map(failureText);
      expect(failures.slice(0, 3)).toEqual([
        'test/a.test.js: equal: expected 3, got 2',
        'test/a.test.js: thrown: two\nlines',
        'test/a.test.js: group > inner: own words',
      ]);
      expect(failures[3]).toMatch(/^test\/b\.test\.js: the file itself: [^]*SyntaxError/);
      expect(failures.join()).not.toContain(folder);
    },
    RUN_MS,
  );

  it(
    'see no secret of the environment',
    async () => {
      vi.stubEnv('OPENAI_API_KEY', 'secret');
      vi.stubEnv('SOME_TOKEN', 'secret');
      writeTests(
        'a',
        "test('env', () => { assert.ok(!Object.values(process.env).includes('secret')); });",
      );
      expect(isPassed(await runTests(folder, { signal }))).toBe(true);
    },
    RUN_MS,
  );

  it(
    'are killed with all their child processes when they do not end in time',
    async () => {
      writeTests(
        'a',
        "test('hangs', async () => { await new Promise(() => setInterval(() => {}, 9)); });",
      );
      const run = await runTests(folder, { signal, timeoutMs: 1_500 });
      expect(isPassed(run)).toBe(false);
      expect(run.problem).toBe('The tests did not end within 1.5 seconds');
      await vi.waitFor(() => {
        expect(processesIn(folder) ?? []).toEqual([]);
      });
    },
    RUN_MS,
  );

  it(
    'are killed when they are aborted',
    async () => {
      const started = join(folder, 'started');
      writeTests(
        'a',
        `import { writeFileSync } from 'node:fs';
         test('hangs', async () => {
           writeFileSync(${JSON.stringify(started)}, 'yes');
           await new Promise(() => setInterval(() => {}, 9));
         });`,
      );
      const controller = new AbortController();
      const running = runTests(folder, { signal: controller.signal });
      await vi.waitFor(() => readFileSync(started), { timeout: RUN_MS });
      controller.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
      await vi.waitFor(() => {
        expect(processesIn(folder) ?? []).toEqual([]);
      });
      await expect(runTests(folder, { signal: controller.signal })).rejects.toThrow('enough');
    },
    RUN_MS,
  );

  it(
    'are not a success when there are none',
    async () => {
      const run = await runTests(folder, { signal });
      expect(isPassed(run)).toBe(false);
      expect(run.problem).toContain('No test was run');
    },
    RUN_MS,
  );
});

const outcome = (file: string, name: string, passed: boolean): TestOutcome => ({
  file: `test/${file}.test.js`,
  name,
  outcome: passed ? 'passed' : 'failed',
  problem: passed ? '' : 'wrong',
});
const runOf = (...tests: TestOutcome[]): TestRun => ({ tests, problem: null });

describe('the failures of a step', () => {
  const before = runOf(
    outcome('a', 'one', false),
    outcome('b', 'two', true),
    outcome('c', 'x', false),
  );

  it('are those of the test files that its task names', () => {
    const task = 'Make test/a.test.js pass';
    expect(failuresOf(before, task, before)).toEqual(['test/a.test.js: one: wrong']);
    const fixed = runOf(
      outcome('a', 'one', true),
      outcome('b', 'two', true),
      outcome('c', 'x', false),
    );
    expect(failuresOf(fixed, task, before)).toEqual([]);
  });

  it('are those that passed before, whatever the task names', () => {
    const broken = runOf(outcome('a', 'one', true), outcome('b', 'two', false));
    expect(failuresOf(broken, 'Make test/a.test.js pass', before)).toEqual([
      'test/b.test.js: two: wrong (it passed before)',
    ]);
    const lost = runOf(outcome('a', 'one', true), outcome('c', 'x', false));
    expect(failuresOf(lost, 'Something else', before)).toEqual([
      'test/b.test.js: two: it passed before and is missing now',
    ]);
  });

  it('are empty for a step that names no test and breaks none', () => {
    expect(failuresOf(before, 'Look around', before)).toEqual([]);
  });

  it('are only the timeout when the tests did not end', () => {
    expect(failuresOf({ tests: [], problem: 'Too slow' }, 'Look around', before)).toEqual([
      'Too slow',
    ]);
  });
});

const step = { id: 's1', task: 'Make test/a.test.js pass', attempt: 1 };
const run = { runId: 'run', labels: {}, input: null };
const request = { ...run, goal: 'g', depth: 0, key: 'k', signal };

describe('the tester', () => {
  it(
    'calls the model only when tests have failed',
    async () => {
      writeTests('a', "test('one', () => { assert.equal(1, 2); });");
      const adviser = vi.fn(() => ({
        passed: true,
        failures: ['made up'],
        fixPlan: { summary: 'Count again', steps: ['1'] },
        usage: { inputTokens: 3 },
      }));
      const before = await runTests(folder, { signal });
      const tester = runningTester({ folder, before, adviser });
      const testRequest: TestRequest = { ...request, step, output: 'done!', cycle: 0 };
      const failures = ['test/a.test.js: one: expected 2, got 1'];
      expect(await tester(testRequest)).toEqual({
        passed: false,
        failures,
        fixPlan: { summary: 'Count again', steps: ['1'] },
        usage: { inputTokens: 3 },
      });
      expect(adviser).toHaveBeenCalledExactlyOnceWith({
        ...testRequest,
        output: { work: 'done!', failures },
      });
      writeTests('a', "test('one', () => {});");
      expect(await tester(testRequest)).toEqual({ passed: true, failures: [] });
      expect(adviser).toHaveBeenCalledOnce();
      // Accepted work must not be broken by a later step.
      writeTests('a', "test('one', () => { throw new Error('again'); });");
      const other = { ...testRequest, step: { ...step, task: 'Look around' } };
      expect(await tester(other)).toMatchObject({
        passed: false,
        failures: ['test/a.test.js: one: again (it passed before)'],
      });
    },
    RUN_MS,
  );
});

describe('the supervisor', () => {
  const review = (subject: ReviewRequest['subject']): ReviewRequest => ({
    ...request,
    subject,
    threshold: 80,
    step: null,
    plan: null,
    results: [],
    failed: [],
    tests: null,
  });

  it(
    'rejects a goal while the tests fail, and is told their output when they pass',
    async () => {
      const model = vi.fn<(request: ReviewRequest) => Verdict>(() => ({ score: 100 }));
      const supervisor = checkingGoal(folder, model);
      writeTests('a', "test('one', () => { assert.equal(1, 2); });");
      expect(await supervisor(review('goal'))).toEqual({
        score: 0,
        issues: ['test/a.test.js: one: expected 2, got 1'],
        feedback: 'Test results: 0 passed, 1 failed',
      });
      expect(model).not.toHaveBeenCalled();
      expect(await supervisor(review('code'))).toEqual({ score: 100 });
      expect(model).toHaveBeenLastCalledWith(review('code'));
      writeTests('a', "test('one', () => {});");
      expect(await supervisor(review('goal'))).toEqual({ score: 100 });
      expect(model.mock.lastCall?.[0].results).toEqual([
        {
          stepId: 'whole-suite',
          agent: 'tester',
          output: { tests: '1 passed, 0 failed' },
          isWhole: true,
        },
      ]);
    },
    RUN_MS,
  );
});
