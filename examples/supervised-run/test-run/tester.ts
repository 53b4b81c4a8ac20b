import type { Tester, TestRequest, TestResult } from '../../../src/index.js';
import type { TestOutcome, TestRun } from './run-tests.js';
import { failureText, runTests } from './run-tests.js';

/** The test results before the first change. */
export interface TesterOptions {
  readonly folder: string;
  readonly before: TestRun;
  /** Called only for the fix plan, when tests have failed. */
  readonly adviser: Tester;
}

/**
 * A tester that runs the tests. Their results decide, not the model: the tests of the files that a task names
 * must pass, and no test may fail that has passed before. The model only writes the fix plan.
 */
export const runningTester = ({ folder, before, adviser }: TesterOptions): Tester => {
  let accepted = before;
  return async (request) => {
    const testRun = await runTests(folder, { signal: request.signal });
    const failures = failuresOf(testRun, request.step.task, accepted);
    if (failures.length === 0) {
      accepted = testRun;
      return { passed: true, failures };
    }
    const { fixPlan, usage } = await adviser(withFailures(request, failures));
    return { passed: false, failures, ...given({ fixPlan, usage }) };
  };
};

/** The failures of a step, one line each. */
export const failuresOf = (testRun: TestRun, task: string, accepted: TestRun): string[] => {
  if (testRun.problem !== null) return [testRun.problem];
  const isNamed = ({ file }: TestOutcome): boolean => task.includes(file);
  const failing = testRun.tests.filter(({ outcome }) => outcome === 'failed');
  const named = failing.filter(isNamed);
  const broken = failing.filter((test) => !isNamed(test) && hasPassed(accepted, test));
  const lost = accepted.tests.filter(
    (test) => test.outcome === 'passed' && !testRun.tests.some((other) => isSame(test, other)),
  );
  return [
    ...named.map(failureText),
    ...broken.map((test) => `${failureText(test)} (it passed before)`),
    ...lost.map(({ file, name }) => `${file}: ${name}: it passed before and is missing now`),
  ];
};

const hasPassed = (testRun: TestRun, test: TestOutcome): boolean =>
  testRun.tests.some((other) => other.outcome === 'passed' && isSame(test, other));

const isSame = (left: TestOutcome, right: TestOutcome): boolean =>
  left.file === right.file && left.name === right.name;

const withFailures = (request: TestRequest, failures: readonly string[]): TestRequest => ({
  ...request,
  output: { work: request.output, failures },
});

const given = ({
  fixPlan,
  usage,
}: {
  readonly fixPlan: TestResult['fixPlan'] | undefined;
  readonly usage: TestResult['usage'] | undefined;
}): Pick<TestResult, 'fixPlan' | 'usage'> => ({
  ...(fixPlan === undefined ? {} : { fixPlan }),
  ...(usage === undefined ? {} : { usage }),
});
