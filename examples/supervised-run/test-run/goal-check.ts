import type { Supervisor } from '../../../src/index.js';
import { countsOf, failedTests, failureText, isPassed, runTests } from './run-tests.js';

/**
 * A supervisor that cannot accept a goal while tests fail: before it judges the goal the whole suite is run,
 * and when a test fails, the score is 0 and the model is not called.
 */
export const checkingGoal =
  (folder: string, supervisor: Supervisor): Supervisor =>
  async (request) => {
    if (request.subject !== 'goal') return supervisor(request);
    const testRun = await runTests(folder, { signal: request.signal });
    const counts = countsOf(testRun);
    if (!isPassed(testRun)) {
      const issues = failedTests(testRun).map(failureText);
      return { score: 0, issues: issues.slice(0, 100), feedback: `Test results: ${counts}` };
    }
    const output = { tests: counts };
    const evidence = { stepId: 'whole-suite', agent: 'tester', output, isWhole: true } as const;
    return supervisor({ ...request, results: [...request.results, evidence] });
  };
