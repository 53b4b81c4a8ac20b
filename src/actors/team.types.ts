import type { Planner, Supervisor, Tester, Summarizer, Dispatcher } from '../agents/roles.js';
import type { Agent } from '../agents/agent.js';
import type { JsonValue } from '../canonical-json.js';
import type { CalledRun } from '../model/called-run.js';
import type { CallInput, CallOutcome, Subject } from '../model/calls.js';

/** Everything that can be called, and the bounds for its answers. */
export interface Callable {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly planner: Planner | undefined;
  readonly supervisor: Supervisor | undefined;
  readonly tester: Tester | undefined;
  readonly summarizer: Summarizer | undefined;
  readonly dispatcher: Dispatcher;
  readonly maxOutputBytes: number;
  readonly maxSteps: number;
  readonly maxVotes: number;
  readonly thresholds: Readonly<Record<Subject, number | null>>;
  /** Applied to the texts of a plan before they are quoted and cut. Texts stay unchanged when it is missing. */
  readonly redactText?: RedactText | undefined;
}

/** Redacts a text. */
export type RedactText = (text: string) => string;

/** Finds an output by the key of the call that gave it. */
export interface OutputLookup {
  (key: string): JsonValue | undefined;
  /** Whether the output came with a request instead of `done`. Without it, every output counts as finished. */
  readonly isPartial?: ((key: string) => boolean) | undefined;
}

/** The inputs of a call besides its request. */
export interface CallSurroundings {
  readonly run: CalledRun;
  readonly signal: AbortSignal;
  readonly outputs: OutputLookup;
  /**
   * Called right before the user's code. Returns a promise to wait for when this process may have lost the run to
   * another owner. The signal is aborted when it has.
   */
  readonly confirm?: (() => Promise<void> | undefined) | undefined;
  /** Called with what the user's code threw, so that people can see the original. */
  readonly threw?: ((thrown: unknown) => void) | undefined;
}

/** Makes one try of one call. Never rejects. */
export type Perform = (input: CallInput, surroundings: CallSurroundings) => Promise<CallOutcome>;
