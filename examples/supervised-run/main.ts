// npm start: a supervised run on a small project with failing tests. See --help.
import { HELP, readArguments, UsageError } from './arguments.js';
import { listenForInterruption } from './interrupt.js';
import { runSession } from './session.js';
import { killAllChildren } from './test-run/child.js';

const atExit: (() => void)[] = [killAllChildren];

// Cleans up on every exit: no child, no folder, no hidden cursor is left.
process.once('exit', () => {
  for (const action of atExit.toReversed()) action();
});

// The reader of the output has ended, as in `npm start | head`.
process.stdout.on('error', () => process.exit(1));

const start = async (): Promise<number> => {
  const options = readArguments(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(HELP);
    return 0;
  }
  const interruption = listenForInterruption();
  try {
    return await runSession(options, {
      output: process.stdout,
      environment: process.env,
      interruption,
      atExit: (action) => atExit.push(action),
    });
  } catch (error) {
    const exitCode = interruption.exitCode();
    if (exitCode === null) throw error;
    // Stopped before the run started: there is no report.
    process.stdout.write(' Stopped before the run started; nothing was changed.\n');
    return exitCode;
  }
};

try {
  process.exitCode = await start();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\nTry: npm start -- --help\n`);
  process.exitCode = 2;
}
// A call to a model may still be in flight; its answer is not needed. The output is flushed first.
process.stdout.write('', () => process.exit());
