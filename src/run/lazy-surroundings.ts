import type { CallSurroundings, OutputLookup } from '../actors/team.types.js';
import type { CalledRun } from '../model/called-run.js';

/** The signal is created on first use: most agents never use it, and it is the most expensive part of a call. */
export class LazySurroundings implements CallSurroundings {
  readonly run: CalledRun;
  readonly outputs: OutputLookup;
  readonly confirm: () => Promise<void> | undefined;
  readonly #controller: AbortController;

  constructor(
    run: CalledRun,
    controller: AbortController,
    outputs: OutputLookup,
    confirm: () => Promise<void> | undefined,
  ) {
    this.run = run;
    this.#controller = controller;
    this.outputs = outputs;
    this.confirm = confirm;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
