import type { CallSurroundings, OutputLookup } from '../actors/team.types.js';

/** The signal is created on first use: most agents never use it, and it is the most expensive part of a call. */
export class LazySurroundings implements CallSurroundings {
  readonly outputs: OutputLookup;
  readonly confirm: () => Promise<void> | undefined;
  readonly threw: (thrown: unknown) => void;
  readonly #controller: AbortController;

  constructor(
    controller: AbortController,
    outputs: OutputLookup,
    confirm: () => Promise<void> | undefined,
    threw: (thrown: unknown) => void,
  ) {
    this.#controller = controller;
    this.outputs = outputs;
    this.confirm = confirm;
    this.threw = threw;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
