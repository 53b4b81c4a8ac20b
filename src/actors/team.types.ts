import type { Planner, Supervisor, Tester, Summarizer, Dispatcher } from '../agents/roles.js';
import type { Agent } from '../agents/agent.js';
import type { JsonValue } from '../canonical-json.js';
import type { CallInput, CallOutcome, Subject } from '../model/calls.js';

/** Everybody who can be called, and the bounds their answers are held to. */
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
  /** Applied to what a plan says before it is quoted and cut. Leaves texts as they are unless given. */
  readonly redactText?: RedactText | undefined;
}

/** Takes out of a text what must not be written down. */
export type RedactText = (text: string) => string;

/** Finds an output by the key of the call that gave it. */
export type OutputLookup = (key: string) => JsonValue | undefined;

/** What a call is made with besides its input. */
export interface CallSurroundings {
  readonly signal: AbortSignal;
  readonly outputs: OutputLookup;
  /**
   * Asked right before the user's code is called: a promise to wait for when this process may have lost its run to another
   * one. The signal is aborted when it has.
   */
  readonly confirm?: (() => Promise<void> | undefined) | undefined;
}

/** Makes one try of one call. Never rejects. */
export type Perform = (input: CallInput, surroundings: CallSurroundings) => Promise<CallOutcome>;
