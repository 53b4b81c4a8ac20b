import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { JournalFormat } from '../../journal/format/journal-format.js';
import { formatOf } from '../../journal/read-journal.js';
import { memoryStore } from '../../services/memory-store.js';
import type {
  AppendOptions,
  MaybePromise,
  PostedCommand,
  RunClaim,
  RunHeader,
  RunStore,
  StoredCommand,
  StoredEntry,
  StoredRun,
} from '../../model/run-store.js';
import { never } from './answering.js';
import { checkExpiries } from './expiry-checks.js';
import type { Life, Writing } from './life.js';
import type { Environment } from './environment.js';

interface Append {
  readonly runId: string;
  readonly entries: readonly StoredEntry[];
  readonly options: AppendOptions | undefined;
  readonly writing: Writing;
}

/** A command that was posted through the store. */
export interface PostedToStore {
  readonly id: string;
  readonly requestId: string | undefined;
  /** The true time when the store first had it. */
  readonly atMs: number;
  /** Its position among all requests to the store. */
  readonly place: number;
}

/** The store behind the network, which never fails, and its true content: what a later owner can read at any moment. */
export class Truth {
  readonly #environment: Environment;
  store: RunStore = memoryStore();
  /** The journal before it was encoded for the store. */
  readonly journal: JournalEntry[] = [];
  readonly facts: Fact[] = [];
  /** Commands from within the owner's process that were accepted. */
  acceptedHere = 0;
  /** Entries with a command from another process, by its id. */
  readonly judged = new Map<string, JournalEntry>();
  readonly posted = new Map<string, PostedToStore>();
  readonly #commandIds = new Map<string, string>();
  /** When each lease ends, by the store's time. */
  readonly #leases = new Map<string, number>();
  #claim: (RunClaim & { readonly owner: string; readonly life: Life }) | undefined;
  #format: JournalFormat | undefined;
  #places = 0;
  hasEnded = false;
  /** The command that was sent last. */
  latestCommandId = '';

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The process with the latest claim, if it has not released the run. */
  get owner(): Life | undefined {
    return this.#claim?.life;
  }

  get token(): number | undefined {
    return this.#claim?.token;
  }

  /** The run was never stored. */
  get isMissing(): boolean {
    return this.#format === undefined;
  }

  create(life: Life, header: RunHeader, owner: string | undefined): void {
    const isOwned = owner !== undefined && (life.isAlive || this.#environment.world.hasFleet);
    void this.store.create(header, isOwned ? owner : undefined);
    this.open(this.store, header);
    if (!isOwned) return;
    this.#claim = { token: 1, isTakeover: false, owner, life };
    life.claims += 1;
  }

  /** Opens the journal in a store; or in another store, with the remaining entries. */
  open(store: RunStore, header: RunHeader, entries: readonly StoredEntry[] = []): void {
    this.store = store;
    this.#format = formatOf(header);
    for (const list of [this.journal, this.facts]) list.length = 0;
    this.#keep(entries);
  }

  append(life: Life, request: Append): MaybePromise<void> {
    const { runId, entries, options, writing } = request;
    const environment = this.#environment;
    if (environment.crashesAt('before-write', life)) return never();
    void this.store.append(runId, writing.sequence, entries, options);
    this.hasEnded = options?.ended === true;
    if (this.hasEnded) environment.endedAtMs = environment.clock.now();
    const kept = this.#keep(entries);
    for (const entry of kept) {
      this.#noteCommand(entry);
      checkExpiries(environment, life, entry, writing);
    }
    environment.ledger.take(kept.flatMap(({ facts }) => facts));
    if (environment.crashesAt('after-write', life)) return never();
    // The answer waits until the process wakes.
    return environment.sleepsAtWrite(life, kept)
      ? new Promise((resolve) => life.after(0, resolve))
      : undefined;
  }

  read(runId: string, from?: number): StoredRun | undefined {
    return this.store.read(runId, from) as StoredRun | undefined;
  }

  renew(owner: string, leaseMs: number, now: number): void {
    const { hasStoreClock } = this.#environment.world;
    const untilMs = (hasStoreClock ? this.#environment.fairTime : now) + leaseMs;
    // A store without a clock is used on one machine, where no renewal overtakes another.
    if (!hasStoreClock && untilMs < (this.#leases.get(owner) ?? untilMs)) return;
    void this.store.renew(owner, leaseMs, now);
    this.#leases.set(owner, untilMs);
  }

  retire(owner: string): void {
    void this.store.retire(owner);
    this.#leases.delete(owner);
  }

  claim(life: Life, runId: string, owner: string, now: number): RunClaim | undefined {
    // A dead process has released its run: where the next one does not wait for a lease, it must not claim it again.
    if (!life.isAlive && !this.#environment.world.hasFleet) return undefined;
    const claim = this.store.claim(runId, owner, now) as RunClaim | undefined;
    if (claim === undefined) return undefined;
    this.#checkLease(owner, life);
    this.#claim = { ...claim, owner, life };
    life.claims += 1;
    if (this.#environment.world.hasFleet) return claim;
    // A dead process releases its run, so that the next one need not wait for a lease; it still counts as a takeover.
    return { ...claim, isTakeover: life.number > 0 };
  }

  release(runId: string, token: number): void {
    void this.store.release(runId, token);
    if (this.#claim?.token === token) this.#claim = undefined;
  }

  /** Releases the runs of a dead process, so that the world does not wait for its lease to end. */
  releaseAll(runId: string): void {
    if (this.#claim !== undefined) this.release(runId, this.#claim.token);
  }

  post(runId: string, command: StoredCommand): PostedCommand {
    const { id } = command;
    const at = this.#environment.storeTime(command.at);
    const answer = this.store.post(runId, { ...command, at }) as PostedCommand;
    if (!this.posted.has(id)) {
      const { requestId } = command.command as { readonly requestId?: string };
      const atMs = this.#environment.clock.now();
      this.posted.set(id, { id, requestId, atMs, place: this.#nextPlace() });
    }
    return answer;
  }

  inbox(runId: string): { readonly commands: readonly StoredCommand[]; readonly place: number } {
    const commands = this.store.inbox(runId) as readonly StoredCommand[];
    return { commands, place: this.#nextPlace() };
  }

  #nextPlace(): number {
    this.#places += 1;
    return this.#places;
  }

  /** The command under a reproducible id: those of orchestrators are random. */
  named(command: StoredCommand): StoredCommand {
    const id = this.#commandIds.get(command.id) ?? `command-${this.#commandIds.size}`;
    this.#commandIds.set(command.id, id);
    this.latestCommandId = id;
    return { ...command, id };
  }

  #checkLease(owner: string, life: Life): void {
    const before = this.#claim;
    if (before === undefined || before.owner === owner) return;
    const leftMs = (this.#leases.get(before.owner) ?? 0) - this.#environment.fairTime;
    const message = `life ${life.number} takes over from life ${before.life.number}, whose lease lasts another ${leftMs} ms`;
    this.#environment.expect(leftMs <= 0, 'leases-held', message);
  }

  #noteCommand(entry: JournalEntry): void {
    const { event, facts } = entry;
    if (event.kind !== 'commanded' || OF_PROCESSES.has(event.event.type)) return;
    if (event.commandId !== undefined) this.judged.set(event.commandId, entry);
    else if (!isRefused(facts)) this.acceptedHere += 1;
  }

  #keep(entries: readonly StoredEntry[]): readonly JournalEntry[] {
    const kept = entries.flatMap((entry) => this.#format?.decode(entry) ?? []);
    for (const entry of kept) {
      this.journal.push(entry);
      this.facts.push(...entry.facts);
    }
    return kept;
  }
}

/** Events that a process sends to its run, not commands of people. */
const OF_PROCESSES: ReadonlySet<string> = new Set(['run.recovered', 'run.upgraded']);

export const isRefused = (facts: readonly Fact[]): boolean =>
  facts.some(({ type }) => type === 'command.refused');
