// Runs the tests of a project: `node --test` in a child process.
import { join, relative, sep } from 'node:path';

import { z } from 'zod';

import { runNode } from './child.js';

export interface TestOutcome {
  /** Relative to the project. */
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'leftOut';
  /** The failure; empty when it passed. */
  readonly problem: string;
}

export interface TestRun {
  readonly tests: readonly TestOutcome[];
  /** Why there is no result: the run did not end, or no test was found. */
  readonly problem: string | null;
}

/** A slower run counts as hanging. */
const TIMEOUT_MS = 30_000;
const PROBLEM_CHARACTERS_MAX = 300;

const outcomeSchema = z.object({
  file: z.string(),
  name: z.string(),
  outcome: z.enum(['passed', 'failed', 'leftOut']),
  problem: z.string(),
});

const reporter = join(import.meta.dirname, 'reporter.js');

export interface TestRunOptions {
  readonly signal: AbortSignal;
  /** @default 30_000 */
  readonly timeoutMs?: number;
}

/** Runs all tests of the project in `folder`. */
export const runTests = async (
  folder: string,
  { signal, timeoutMs = TIMEOUT_MS }: TestRunOptions,
): Promise<TestRun> => {
  const parameters = ['--test', `--test-reporter=${reporter}`];
  const { output, errorOutput, isTimedOut } = await runNode(parameters, {
    folder,
    timeoutMs,
    signal,
  });
  const tests = output.split('\n').flatMap((line) => outcomeIn(line, folder));
  if (isTimedOut) {
    return { tests, problem: `The tests did not end within ${timeoutMs / 1_000} seconds` };
  }
  if (tests.length > 0) return { tests, problem: null };
  return { tests, problem: `No test was run. ${errorOutput.slice(0, PROBLEM_CHARACTERS_MAX)}` };
};

export const isPassed = (run: TestRun): boolean =>
  run.problem === null && run.tests.every(({ outcome }) => outcome !== 'failed');

export const failedTests = (run: TestRun): TestOutcome[] =>
  run.tests.filter(({ outcome }) => outcome === 'failed');

/** '7 passed, 5 failed' */
export const countsOf = (run: TestRun): string => {
  const passed = run.tests.filter(({ outcome }) => outcome === 'passed').length;
  const counts = `${passed} passed, ${failedTests(run).length} failed`;
  return run.problem === null ? counts : `${counts}. ${run.problem}`;
};

/** One line for one failed test. */
export const failureText = ({ file, name, problem }: TestOutcome): string =>
  `${file}: ${name}: ${problem}`;

/** The lines of the reporter; all other output is ignored. */
const outcomeIn = (line: string, folder: string): TestOutcome[] => {
  const read = reported(line);
  if (read === null) return [];
  const { file, name, outcome, problem } = read;
  // Slashes everywhere, so that a task can name the file on every system.
  const place = relative(folder, file).replaceAll(sep, '/');
  const text = problem.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '');
  return [{ file: place, name, outcome, problem: text.slice(0, PROBLEM_CHARACTERS_MAX) }];
};

const reported = (line: string): TestOutcome | null => {
  try {
    return outcomeSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
};
