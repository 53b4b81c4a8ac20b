import { constants } from 'node:os';

/** npm passes Ctrl-C on to us although the terminal has told us already: two signals at once are one key. */
const SAME_KEY_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Null while nobody has interrupted; then the exit code that says so. */
  readonly exitCode: () => number | null;
}

/** The first signal asks for a clean end, the second forces one. */
export const listenForInterruption = (): Interruption => {
  const controller = new AbortController();
  let exitCode: number | null = null;
  let firstAt = 0;
  const interrupt = (name: NodeJS.Signals): void => {
    if (exitCode === null) {
      exitCode = 128 + constants.signals[name];
      firstAt = Date.now();
      controller.abort(new Error(`Stopped by ${name}`));
    } else if (Date.now() - firstAt > SAME_KEY_MS) {
      process.exit(exitCode);
    }
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return { signal: controller.signal, exitCode: () => exitCode };
};
