/**
 * The port behind which runs are remembered. A store keeps, for every run, a header and a journal that only
 * grows; it understands neither. Whoever has both can resume the run.
 */

/** What every entry of a journal has, whatever else is in it. Entries are JSON, and never change. */
export interface StoredEntry {
  /** Position in the journal, from 0 without gaps. */
  readonly sequence: number;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
}

/** What is known of a run before anything happens, and never changes. */
export interface RunHeader {
  /** Version of what is stored; a reader refuses one that it does not know. */
  readonly format: 1;
  readonly runId: string;
  readonly goal: string;
  /** The plan that came with the goal; without it a run of which nothing is written yet could not begin again. */
  readonly plan?: unknown;
  /** Tells whether the run may go on under the policy at hand. */
  readonly policyFingerprint: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A run as it was when it was read. */
export interface StoredRun<Entry extends StoredEntry = StoredEntry> {
  readonly header: RunHeader;
  readonly entries: readonly Entry[];
  readonly ended: boolean;
}

/** A run in a list: everything but its journal. */
export interface RunSummary {
  readonly header: RunHeader;
  readonly entryCount: number;
  readonly ended: boolean;
}

/** Which runs to list; they come in the order of their ids. */
export interface RunFilter {
  /** Only runs that have ended, or only runs that have not. */
  readonly ended?: boolean;
  /** Only runs with a greater id: the last one of the page before. */
  readonly after?: string;
  /**
   * At most this many, a positive integer.
   *
   * @default 1000
   */
  readonly limit?: number;
}

/** What goes along with entries. */
export interface AppendOptions {
  /** The token of the writer's claim; left out when the run is not claimed. */
  readonly token?: number;
  /** These are the last entries: the run has ended, and its journal is closed. */
  readonly ended?: boolean;
}

/** The right to write to a run, until its lease is over and somebody else takes it. */
export interface RunClaim {
  /** Grows with every owner the run gets, so that an owner who was replaced can be told from his successor. */
  readonly token: number;
}

/** A store in memory answers at once; only promises need awaiting. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Keeps runs. Every method is atomic. It throws, or returns a promise that rejects, and then nothing has changed.
 */
export interface RunStore<Entry extends StoredEntry = StoredEntry> {
  /** Begins a journal. Refuses an id that is taken with RunConflictError. */
  create(header: RunHeader): MaybePromise<void>;

  /**
   * Adds all entries or none. Returns when they are durable.
   *
   * Refuses with RunConflictError when `expectedSequence` is not the number of entries stored, when the token is
   * not the one of the latest claim (or is missing while there is one), and when the run has ended; with
   * RunNotFoundError when there is no such run.
   */
  append(
    runId: string,
    expectedSequence: number,
    entries: readonly Entry[],
    options?: AppendOptions,
  ): MaybePromise<void>;

  /** The run as it is now; undefined when there is no such run. */
  read(runId: string): MaybePromise<StoredRun<Entry> | undefined>;

  /** A page of runs. */
  list(filter?: RunFilter): MaybePromise<readonly RunSummary[]>;

  /**
   * Makes `owner` the only writer of a run for `leaseMs` from `now` on. Undefined when the run is unknown, has
   * ended, or is leased to somebody else at `now`. The same owner gets its token again and a new lease, so an
   * owner is one driver, not one process: its name is a random id.
   *
   * The end of a lease takes nothing away: the owner may write until somebody else has claimed the run.
   */
  claim(
    runId: string,
    owner: string,
    leaseMs: number,
    now: number,
  ): MaybePromise<RunClaim | undefined>;

  /** Gives a claim back. Ignored when the token is not the one of the latest claim. */
  release(runId: string, token: number): MaybePromise<void>;

  /** Forgets a run, ended or not. Ignored when there is no such run. */
  delete(runId: string): MaybePromise<void>;
}
