// Everything that must hold before a change is done, in one go: check, build, size, tests.
// Stops at the first stage that fails. The last line is always `N passed, N failed`, and `, N skipped` if any were.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const directory = mkdtempSync(join(tmpdir(), 'planwright-test-'));
const vitestReport = join(directory, 'vitest.json');

/** npm scripts, in order, with the arguments they get here. */
const stages: readonly (readonly [script: string, ...args: string[]])[] = [
  ['check'],
  ['build'],
  ['size'],
  ['test:unit', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
];

const allStagesPassed = await runStages();
const { passed, failed, skipped } = readCounts();
rmSync(directory, { recursive: true, force: true });

// A run without a single passed test has shown nothing, so it does not succeed either.
const succeeded = allStagesPassed && failed === 0 && passed > 0;
process.exitCode = succeeded ? 0 : 1;
// A stage can fail without a failing test: a lint error, a test file that does not load, an unhandled rejection.
const skippedText = skipped > 0 ? `, ${skipped} skipped` : '';
console.log(`${passed} passed, ${succeeded ? 0 : Math.max(1, failed)} failed${skippedText}`);

/** Runs the stages in order until one fails. */
async function runStages(): Promise<boolean> {
  for (const [script, ...args] of stages) {
    console.log(`\n=== ${script}`);
    const startedAt = performance.now();
    const stagePassed = await runScript(script, args);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`=== ${script} ${stagePassed ? 'passed' : 'FAILED'} in ${seconds} s`);
    if (!stagePassed) {
      return false;
    }
  }
  return true;
}

function runScript(script: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
      stdio: 'inherit',
      shell: process.platform === 'win32', // npm is a .cmd file there
    });
    child.once('error', reject);
    child.once('close', (exitCode) => {
      resolve(exitCode === 0);
    });
  });
}

/** The counts vitest wrote; none when it was not reached or died before writing. */
function readCounts(): Counts {
  try {
    const report = JSON.parse(readFileSync(vitestReport, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
    };
    const { numPassedTests, numFailedTests, numPendingTests } = report;
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}
