import { constants } from 'node:os';

/** npm forwards Ctrl-C although the terminal has sent it already: two signals at once are one key press. */
const SAME_KEY_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Null before the first signal; then the exit code for it. */
  readonly exitCode: () => number | null;
}

/** The first signal requests a clean end, the second forces it. */
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
