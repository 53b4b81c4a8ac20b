/**
 * The port behind which runs are stored. A store keeps a header and an append-only journal for every run and interprets
 * neither. A process that has both can resume the run.
 */

/** The members that every entry of a journal has. Entries are JSON, and never change. */
export interface StoredEntry {
  /** Position in the journal, from 0 without gaps. */
  readonly sequence: number;
  /** When it happened, in whole milliseconds since the epoch. */
  readonly at: number;
  /** What happened, in one word (`started`, `answered`), for people who look into the store. */
  readonly kind: string;
}

/** The unchanging data of a run, known before its first entry. */
export interface RunHeader {
  /** Version of the stored format; a reader refuses an unknown one. */
  readonly format: number;
  readonly runId: string;
  readonly goal: string;
  /** The plan that came with the goal; without it a run without entries could not start again. */
  readonly plan?: unknown;
  /** The input that came with the goal. JSON. */
  readonly input?: unknown;
  /** Names and values for finding the run. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fingerprint of the policy that the run started with. */
  readonly policyFingerprint: string;
  /** Fingerprint of the charts that the run started with. */
  readonly chartFingerprint: string;
  /** Whole milliseconds since the epoch. */
  readonly startedAt: number;
  /** The run that this one was forked from, and the last fact that both share. */
  readonly parent?: { readonly runId: string; readonly sequence: number };
  /** The run whose completed outputs this one started with. */
  readonly carriedFrom?: string;
  /** Covers everything above. Only formats with checksums have it. */
  readonly checksum?: string;
}

/** The state of a run after some of its entries: a replay may start there instead of at the first entry. */
export interface StoredState {
  /** How many entries it covers. */
  readonly sequence: number;
  /** JSON. */
  readonly body: unknown;
}

/** A command that waits for the owner of a run. */
export interface StoredCommand {
  /** Given by the sender: the same id is kept once, however often it is posted. */
  readonly id: string;
  /**
   * When it was posted, in milliseconds since the epoch; by the store's clock where it has one. Shows whether the run
   * had an owner at that time; never compared with a deadline, which belongs to another clock.
   */
  readonly at: number;
  /** JSON. */
  readonly command: unknown;
}

/** A command that leaves the inbox, with the owner's answer as JSON. */
export interface TakenCommand {
  readonly id: string;
  readonly answer: unknown;
}

/** The status of a command when it is posted, for the first time or again. */
export interface PostedCommand {
  /** The answer of the owner; undefined while the command waits. */
  readonly answer?: unknown;
  /** The run has an owner whose lease has not ended. */
  readonly isOwned: boolean;
}

/** A run as it was when it was read. */
export interface StoredRun<Entry extends StoredEntry = StoredEntry> {
  readonly header: RunHeader;
  readonly entries: readonly Entry[];
  readonly ended: boolean;
  /** The token of the latest claim; undefined when the run has no owner. */
  readonly token?: number;
  /** The latest state that was given with an append. */
  readonly state?: StoredState;
}

/** The status of a run, for lists and for people who look into the store. */
export interface RunStanding {
  /** `running` until the run has ended, then how it ended, such as `completed`. A new run is `running`. */
  readonly status: string;
  /** The phase that the goal's own plan entered last; null before the first. */
  readonly phase: string | null;
  /** Why the run ended; null before. */
  readonly reason: string | null;
  /** How many questions wait for a person; 0 in a new run. */
  readonly openApprovals: number;
}

/** A run in a list: everything except its journal. */
export interface RunSummary extends RunStanding {
  readonly header: RunHeader;
  readonly entryCount: number;
  readonly ended: boolean;
  /** The time of the last entry, or of the start before the first. */
  readonly updatedAt: number;
}

/**
 * Which runs to list. In the order of ids, ASCII characters are ordered as JavaScript orders strings; the order of others
 * depends on the store, but every run is on exactly one page.
 */
export interface RunFilter {
  /** Only runs that have ended, or only runs that have not. */
  readonly ended?: boolean;
  /** Only runs with this status. */
  readonly status?: string;
  /** Only runs whose header has all of these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only runs that were started at this time or later, in milliseconds since the epoch. */
  readonly since?: number;
  /** By id, or by the time of the start, and by id where that is the same. @default 'id' */
  readonly order?: 'id' | 'newest' | 'oldest';
  /** Only runs behind this one in that order: the header of the last run of the previous page. It may be deleted. */
  readonly after?: Pick<RunHeader, 'runId' | 'startedAt'>;
  /**
   * At most this many, a positive integer.
   *
   * @default 1000
   */
  readonly limit?: number;
}

/** Options of an append. */
export interface AppendOptions {
  /** The token of the writer's claim; left out when the run is not claimed. */
  readonly token?: number;
  /** These are the last entries: the run has ended, and its journal is closed. */
  readonly ended?: boolean;
  /** Commands that these entries answer: they leave the inbox together with the append. */
  readonly taken?: readonly TakenCommand[];
  /** How these entries change the status of the run; missing members stay unchanged. */
  readonly standing?: Partial<RunStanding>;
  /** JSON: the state of the run after the last of these entries. It replaces the state stored before. */
  readonly state?: unknown;
  /** The run has made progress: its takeovers are counted from 0 again. */
  readonly hasProgressed?: boolean;
}

/** The right to write to a run until another owner claims it. */
export interface RunClaim {
  /** Grows with every claim, so that a replaced owner can be told from its successor. */
  readonly token: number;
  /** The previous owner did not release the run: its lease ended, most likely because its process died. */
  readonly isTakeover: boolean;
}

/** A run that an owner holds. */
export interface OwnedRun {
  readonly runId: string;
  readonly token: number;
}

/** Which runs of an owner to list. */
export interface OwnedFilter {
  /** Only runs with commands in the inbox. */
  readonly hasCommands?: boolean;
}

/** An unfinished run that can be claimed. */
export interface ClaimableRun {
  readonly runId: string;
  /** How often the run was taken over since it last made progress. */
  readonly takeovers: number;
}

/** A page of claimable runs, ordered by id. */
export interface ClaimableFilter extends Pick<RunFilter, 'limit'> {
  /** Only runs with a greater id than this: the last id of the previous page. */
  readonly after?: string;
}

/** An in-memory store answers synchronously; only promises need awaiting. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Keeps runs. Every method is atomic: all of it happens, or nothing.
 *
 * A method that fails throws, or returns a promise that rejects. StoreUnavailableError means that the outcome is
 * unknown: the store was unreachable or full, or its answer was lost, perhaps after the change was made. The caller
 * retries; every method may be retried. With every other error nothing has changed. Content that the store did not
 * write, or cannot read, causes a JournalCorruptError, and stays unchanged.
 *
 * Where a method takes `now`, a store with its own clock (a database server) uses that clock instead, so that machines
 * whose clocks differ agree on the owner of a run.
 */
export interface RunStore<Entry extends StoredEntry = StoredEntry> {
  /**
   * Starts a journal. Refuses an id that is in use with RunConflictError, and an invalid id (empty, longer than 1,000
   * characters, with a NUL or half a surrogate pair) with ConfigurationError.
   *
   * With an `owner` the run is claimed from the start, with token 1: no other process can claim it in between.
   */
  create(header: RunHeader, owner?: string): MaybePromise<void>;

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

  /** The run as it is now, with its entries from `from` on (default 0); undefined when there is no such run. */
  read(runId: string, from?: number): MaybePromise<StoredRun<Entry> | undefined>;

  /** A page of runs. */
  list(filter?: RunFilter): MaybePromise<readonly RunSummary[]>;

  /**
   * Extends the lease of an owner to `leaseMs` after `now`. An owner is one process (one orchestrator); one lease
   * covers all runs that it has claimed.
   *
   * The end of a lease alone revokes nothing: an owner may write to a run until another owner has claimed it.
   */
  renew(owner: string, leaseMs: number, now: number): MaybePromise<void>;

  /**
   * Makes `owner` the only writer of a run. Undefined when the run is unknown, has ended, or belongs to another owner
   * whose lease has not ended. An owner that claims its own run again gets a new token.
   *
   * A store that can tell whether an owner is alive, as a browser can of its tabs, may decide by that instead of by the
   * lease. Then the claim of a run whose owner is gone is not a takeover.
   */
  claim(runId: string, owner: string, now: number): MaybePromise<RunClaim | undefined>;

  /** The unfinished runs that an owner holds. */
  owned(owner: string, filter?: OwnedFilter): MaybePromise<readonly OwnedRun[]>;

  /**
   * A page of unfinished runs without an owner whose lease is valid. The cost does not depend on the number of owned
   * runs.
   */
  claimable(now: number, filter?: ClaimableFilter): MaybePromise<readonly ClaimableRun[]>;

  /** Releases a run. Ignored when the token is not that of the latest claim. */
  release(runId: string, token: number): MaybePromise<void>;

  /** Ends the lease of an owner at once. Ignored when it has none. */
  retire(owner: string): MaybePromise<void>;

  /**
   * Keeps a command for the owner of a run. Returns when it is durable.
   *
   * A command id that was posted before changes nothing and returns what is known of the command, also after the run
   * has ended: a sender that does not know whether its command arrived, or waits for the answer, posts it again. Refuses
   * with RunNotFoundError when there is no such run, with RunConflictError when it has ended, and with InboxFullError
   * when 10,000 commands are waiting.
   */
  post(runId: string, command: StoredCommand): MaybePromise<PostedCommand>;

  /** The posted commands that were not taken yet, in order; empty when there is no such run. */
  inbox(runId: string): MaybePromise<readonly StoredCommand[]>;

  /** Deletes a run with its journal and its inbox, ended or not. Ignored when there is no such run. */
  delete(runId: string): MaybePromise<void>;

  /**
   * Calls the listener soon after a command was posted to, or an entry appended to, a run, also by another process.
   * Several changes may cause one call, and a call may come without a change; it never passes an error. Calls may be
   * lost, so callers also poll, less often. Returns a function that stops it.
   */
  watch?(runId: string, listener: () => void): () => void;

  /** Closes files and connections. No method may be called afterwards. */
  close?(): MaybePromise<void>;
}
