import type { CallSurroundings, OutputLookup } from '../actors/team.types.js';
import type { CalledRun } from '../model/called-run.js';

/** The signal is created on first use: most agents never use it, and it is the most expensive part of a call. */
export class LazySurroundings implements CallSurroundings {
  readonly run: CalledRun;
  readonly outputs: OutputLookup;
  readonly confirm: () => Promise<void> | undefined;
  readonly threw: (thrown: unknown) => void;
  readonly #controller: AbortController;

  constructor(
    run: CalledRun,
    controller: AbortController,
    outputs: OutputLookup,
    confirm: () => Promise<void> | undefined,
    threw: (thrown: unknown) => void,
  ) {
    this.run = run;
    this.#controller = controller;
    this.outputs = outputs;
    this.confirm = confirm;
    this.threw = threw;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
