import type { CallSurroundings, OutputLookup } from '../actors/team.types.js';

/** The signal is made when somebody asks for it: most agents never do, and it is the dearest part of a call. */
export class LazySurroundings implements CallSurroundings {
  readonly outputs: OutputLookup;
  readonly #controller: AbortController;

  constructor(controller: AbortController, outputs: OutputLookup) {
    this.#controller = controller;
    this.outputs = outputs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
