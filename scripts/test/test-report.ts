import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly slowestFiles: readonly { readonly name: string; readonly wallMs: number }[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

const SLOWEST_COUNT = 10;

/** The report of vitest; undefined when vitest did not start or died before writing it. */
export const readTestReport = (file: string): TestReport => {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
    const files = report.testResults.map(({ name, startTime, endTime }) => ({
      name: relative(process.cwd(), name),
      wallMs: endTime - startTime,
    }));
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests,
      slowestFiles: files
        .toSorted((one, other) => other.wallMs - one.wallMs)
        .slice(0, SLOWEST_COUNT),
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0, slowestFiles: [] };
  }
};
