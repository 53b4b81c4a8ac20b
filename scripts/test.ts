// All checks that a change must pass: check, build, size, tests.
// Checks and tests run side by side, because none of them keeps two cores busy; the first stage that fails ends them all.
// The last line is always `N passed, N failed`, and `, N skipped` if any were.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Stage, StageResult } from './test/stage.js';
import { runLane } from './test/stage.js';
import { readTestReport } from './test/test-report.js';

const directory = mkdtempSync(join(tmpdir(), 'planwright-test-'));
const reportFile = join(directory, 'vitest.json');

/** npm scripts, in order. The tests of the package use what `build` has built. */
const buildAndTest: readonly Stage[] = [
  { script: 'build', args: [] },
  { script: 'size', args: [] },
  {
    script: 'test:unit',
    args: ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
  },
];
const check: readonly Stage[] = ['typecheck', 'lint', 'format:check', 'unused'].map((script) => ({
  script,
  args: [],
}));

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());

const lanes = await Promise.all([
  runLane(buildAndTest, { end, isLive: true }),
  // Printed when it is over: the output of parallel stages must not mix.
  runLane(check, { end, isLive: false }),
]);
const stages = lanes.flat();
const report = readTestReport(reportFile);
rmSync(directory, { recursive: true, force: true });

// A run without a passed test does not succeed.
const failedStages = stages.filter(({ outcome }) => outcome !== 'passed');
const succeeded = failedStages.length === 0 && report.failed === 0 && report.passed > 0;
process.exitCode = succeeded ? 0 : 1;

printCosts();
for (const { script, outcome, output } of failedStages) {
  if (outcome === 'failed') console.log(`\n=== ${script} FAILED\n${output}`);
}
// A stage can fail without a failing test: a lint error, a test file that does not load, an unhandled rejection.
const skippedText = report.skipped > 0 ? `, ${report.skipped} skipped` : '';
console.log(
  `${report.passed} passed, ${succeeded ? 0 : Math.max(1, report.failed)} failed${skippedText}`,
);

/** The time of each stage, so that growth is noticed early. */
function printCosts(): void {
  console.log('\n=== What it cost');
  for (const { script, wallMs, cpuMs } of stages.toSorted(byWallTime)) {
    const cpuText = cpuMs === undefined ? '' : `, ${seconds(cpuMs)} of a processor`;
    console.log(`${seconds(wallMs).padStart(8)}  ${script}${cpuText}`);
  }
  if (report.slowestFiles.length > 0) console.log('The test files that took longest:');
  for (const { name, wallMs } of report.slowestFiles)
    console.log(`${seconds(wallMs).padStart(8)}  ${name}`);
}

function byWallTime(one: StageResult, other: StageResult): number {
  return other.wallMs - one.wallMs;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
