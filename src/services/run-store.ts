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
  readonly format: number;
  readonly runId: string;
  readonly goal: string;
  /** The plan that came with the goal; without it a run of which nothing is written yet could not begin again. */
  readonly plan?: unknown;
  /** Tells whether the run may go on under the policy at hand. */
  readonly policyFingerprint: string;
  /** Tells whether the charts are still the ones the run began with. Journals from before it was kept have none. */
  readonly chartFingerprint?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The run this one is a what-if of, and the last fact that both share. */
  readonly parent?: { readonly runId: string; readonly sequence: number };
  /** The run whose completed outputs this one began with. */
  readonly carriedFrom?: string;
  /** Of everything above, and of the format that has checksums on. */
  readonly checksum?: string;
}

/** Where a run stood after some of its entries: replaying may begin there instead of at the first. */
export interface StoredState {
  /** How many entries it stands for. */
  readonly sequence: number;
  /** JSON. */
  readonly body: unknown;
}

/** A command that waits for whoever runs the run. */
export interface StoredCommand {
  /** Given by the sender: the same id is kept once, however often it is posted. */
  readonly id: string;
  /** When it was posted, in milliseconds since the epoch. */
  readonly at: number;
  /** JSON. */
  readonly command: unknown;
}

/** A run as it was when it was read. */
export interface StoredRun<Entry extends StoredEntry = StoredEntry> {
  readonly header: RunHeader;
  readonly entries: readonly Entry[];
  readonly ended: boolean;
  /** The latest state that was given with an append. */
  readonly state?: StoredState;
}

/** A run in a list: everything but its journal. */
export interface RunSummary {
  readonly header: RunHeader;
  readonly entryCount: number;
  readonly ended: boolean;
}

/**
 * Which runs to list; they come in the order of their ids. Letters, digits and the like are ordered as JavaScript
 * orders strings; where characters beyond ASCII belong is up to the store, but every run is on exactly one page.
 */
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
  /** Commands of the inbox that these entries have dealt with: they leave it together with the append. */
  readonly taken?: readonly string[];
  /** JSON: where the run stands after the last of these entries. It replaces the state stored before. */
  readonly state?: unknown;
}

/** The right to write to a run, until its lease is over and somebody else takes it. */
export interface RunClaim {
  /** Grows with every owner the run gets, so that an owner who was replaced can be told from his successor. */
  readonly token: number;
  /** How often the run was taken from an owner whose lease had run out: nearly always one who died. */
  readonly takeovers: number;
}

/** A store in memory answers at once; only promises need awaiting. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Keeps runs. Every method is atomic. It throws, or returns a promise that rejects, and then nothing has changed.
 *
 * A store that cannot be reached, or has no room left, says so with StoreUnavailableError; one that finds content it
 * did not write, or cannot read, with JournalCorruptError, and leaves it as it is.
 */
export interface RunStore<Entry extends StoredEntry = StoredEntry> {
  /**
   * Begins a journal. Refuses an id that is taken with RunConflictError, and one that no store could keep (empty,
   * longer than 1,000 characters, with a NUL or half a surrogate pair) with ConfigurationError.
   */
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

  /**
   * Keeps a command for whoever runs the run. Returns when it is durable.
   *
   * An id that was posted before changes nothing, also after it was taken: a sender who does not know whether his
   * command arrived posts it again. Refuses with RunNotFoundError when there is no such run, with RunConflictError
   * when it has ended, and with InboxFullError when 10,000 commands are waiting.
   */
  post(runId: string, command: StoredCommand): MaybePromise<void>;

  /** What was posted and not yet taken, in the order in which it came; nothing when there is no such run. */
  inbox(runId: string): MaybePromise<readonly StoredCommand[]>;

  /** Forgets a run with its journal and its inbox, ended or not. Ignored when there is no such run. */
  delete(runId: string): MaybePromise<void>;

  /**
   * Calls the listener soon after something was posted for, or appended to, a run, also by another process; perhaps
   * once for several of them, perhaps once too often, and never with an error. Returns how to stop. A store that
   * cannot tell has no `watch`, and whoever waits for a command looks into the inbox now and then.
   */
  watch?(runId: string, listener: () => void): () => void;

  /** Lets go of files and connections. Nothing may be asked of the store afterwards. */
  close?(): MaybePromise<void>;
}
