import {
  OrchestratorClosedError,
  RunClaimedError,
  RunNotFoundError,
  StoreUnavailableError,
} from '../errors.js';
import { toFailure } from '../failure.js';
import type { RecordBuilder } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { Command } from '../model/commands.js';
import type { RunStore } from '../model/run-store.js';
import type { CommandResult, Run, RunCommands } from '../run/run.types.js';
import type { Clock } from '../services/clock.js';
import { memoryStore } from '../services/memory-store.js';
import type { Orchestrator } from './create-orchestrator.js';
import type { RunOrigin, RunSession, RunSessions, SessionActor } from './run-logic.js';

export interface SessionParts {
  readonly clock: Clock;
  /** Undefined when the orchestrator has no store. */
  readonly stored: (() => Orchestrator) | undefined;
  /** The same orchestrator with another store. */
  readonly withStore: (store: RunStore) => Orchestrator;
}

/** A stored run goes on when its actor stops. Without a store the run stops with its actor, which keeps the journal. */
export const createSessions = ({ clock, stored, withStore }: SessionParts): RunSessions => {
  const owned = new Set<Orchestrator>();
  return {
    open: (origin, actor) => {
      if (stored !== undefined)
        return new Session(origin, actor, { clock, orchestrator: stored() });
      const { journal, input } = origin;
      const store = memoryStore();
      if (journal !== undefined) {
        void store.create(journal.header);
        void store.append(input.runId, 0, journal.entries);
      }
      const orchestrator = withStore(store);
      owned.add(orchestrator);
      const close = (): void => {
        owned.delete(orchestrator);
        void orchestrator.close({ graceMs: 0 });
      };
      const journalOfRun = (): RunOrigin['journal'] => journalIn(store, input.runId);
      return new Session(origin, actor, { clock, orchestrator, journal: journalOfRun, close });
    },
    close: (graceMs) => Promise.all([...owned].map((each) => each.close({ graceMs }))),
  };
};

/** A memory store answers synchronously. */
const journalIn = (store: RunStore, runId: string): RunOrigin['journal'] => {
  const stored = store.read(runId);
  if (stored === undefined || stored instanceof Promise) return undefined;
  return { header: stored.header, entries: stored.entries };
};

interface SessionOptions {
  readonly clock: Clock;
  readonly orchestrator: Orchestrator;
  readonly journal?: () => RunOrigin['journal'];
  /** Called when the run has ended, or the actor stops. */
  readonly close?: () => void;
}

/** How often a session tries to resume a run that another process owns, or that the store does not return. */
const RETRY_MS = 1_000;

class Session implements RunSession {
  readonly #origin: RunOrigin;
  readonly #actor: SessionActor;
  readonly #options: SessionOptions;
  readonly #builder: RecordBuilder;
  /** The last fact in the record, and the last one that the actor has emitted. */
  #built = 0;
  #sequence: number;
  /** The run, or a connection to it while another process owns it. */
  #run: Run | undefined;
  /** Settles when there is a run, or none can be had at present. */
  #opening: Promise<void>;
  #isStopped = false;
  #unsubscribe = (): void => undefined;
  #timer: unknown;

  constructor(origin: RunOrigin, actor: SessionActor, options: SessionOptions) {
    this.#origin = origin;
    this.#actor = actor;
    this.#options = options;
    this.#builder = createRecordBuilder(origin.input);
    this.#sequence = origin.sequence ?? 0;
    this.#opening = origin.sequence === undefined ? this.#start() : this.#resume();
  }

  command(event: { readonly type: string }): void {
    this.#perform(event as Command).catch((error: unknown) => {
      this.#refused(event.type, `undelivered: ${toFailure(error).message}`);
    });
  }

  origin(): RunOrigin {
    const journal = this.#options.journal?.();
    const { input } = this.#origin;
    return { input, sequence: this.#sequence, ...(journal === undefined ? {} : { journal }) };
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#options.clock.clearTimeout(this.#timer);
    this.#options.close?.();
  }

  async #start(): Promise<void> {
    try {
      const run = this.#options.orchestrator.start(this.#origin.input);
      this.#listenTo(run);
      void this.#finish(run);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #resume(): Promise<void> {
    const { orchestrator } = this.#options;
    const { runId } = this.#origin.input;
    try {
      const run = await orchestrator.resume(runId);
      this.#listenTo(run);
      void this.#finish(run);
    } catch (error) {
      if (RunClaimedError.isInstance(error)) await this.#connect();
      else if (StoreUnavailableError.isInstance(error)) this.#resumeLater();
      // The snapshot was persisted before the run was durable.
      else if (RunNotFoundError.isInstance(error) && this.#sequence === 0) await this.#start();
      else this.#fail(error);
    }
  }

  /** Another process owns the run. It may die, or end the run. */
  async #connect(): Promise<void> {
    const { orchestrator } = this.#options;
    try {
      if (this.#run === undefined)
        this.#listenTo(await orchestrator.connect(this.#origin.input.runId));
    } catch (error) {
      if (!StoreUnavailableError.isInstance(error)) this.#fail(error);
    }
    this.#resumeLater();
  }

  #resumeLater(): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.setTimeout(() => void this.#resume(), RETRY_MS);
  }

  /** A run tells its facts from the first: those that the actor has emitted before are left out. */
  #listenTo(run: Run): void {
    if (this.#isStopped) return;
    this.#unsubscribe();
    this.#run = run;
    this.#unsubscribe = run.subscribe((fact) => {
      if (fact.sequence > this.#built) this.#builder.add(fact);
      this.#built = Math.max(this.#built, fact.sequence);
      if (fact.sequence <= this.#sequence) return;
      this.#sequence = fact.sequence;
      // The record after this fact; `run.record()` may be ahead.
      this.#actor.change({ context: this.#builder.record() });
      this.#actor.emit(fact);
    });
  }

  /** A run that could not be started, because its id is in use or the store is away, is an error of the actor. */
  async #finish(run: Run): Promise<void> {
    try {
      await run.started;
      const output = await run.done;
      if (!output.isFinal) {
        // The run goes on in another process, and so does the actor.
        this.#run = undefined;
        this.#resumeLater();
        return;
      }
      this.#actor.change({ status: 'done', output, context: run.record() });
    } catch (error) {
      this.#fail(error);
    }
    this.#options.close?.();
  }

  /** A program that closes its orchestrator may persist the actor afterwards: that is no error. */
  #fail(error: unknown): void {
    if (!OrchestratorClosedError.isInstance(error)) this.#actor.change({ status: 'error', error });
  }

  async #perform(command: Command): Promise<void> {
    await this.#opening;
    const { orchestrator } = this.#options;
    const run = this.#run ?? (await orchestrator.connect(this.#origin.input.runId));
    const result = await performOn(run, command);
    if (!result.accepted && !isTold(result.reason)) this.#refused(command.type, result.reason);
  }

  /** A refusal that is not in the journal: it has the number of the last fact. */
  #refused(command: string, reason: string): void {
    const at = this.#options.clock.now();
    const sequence = this.#sequence;
    this.#actor.emit({ type: 'command.refused', command, reason, sequence, at });
  }
}

/** Refusals by a chart are facts. These are refusals by the run, before the command reached a chart. */
const isTold = (reason: string): boolean =>
  !/^(?:invalid-command|run-ended|inbox-full|unknown-run|store-unavailable)/.test(reason);

const personIn = ({ by }: { readonly by?: string | undefined }): { readonly by?: string } =>
  by === undefined ? {} : { by };

const performOn = (run: RunCommands, command: Command): Promise<CommandResult> => {
  switch (command.type) {
    case 'approval.grant':
      return run.approve(command.requestId, { answer: command.answer, ...personIn(command) });
    case 'approval.reject':
      return run.reject(command.requestId, { reason: command.reason, ...personIn(command) });
    case 'plan.skip':
      return run.skip(command.stepIds, command.reason);
    case 'plan.skipTo':
      return run.skipTo(command.stepId, command.reason);
    case 'conversation.say':
      return run.say(command.text);
    case 'run.pause':
      return run.pause();
    case 'run.unpause':
      return run.unpause();
    case 'time.extend':
      return run.extendTime(command.extraMs);
    case 'run.abort':
      return run.abort(command.reason);
    default:
      // The type of the events allows no other, but any code with the actor can send one.
      return Promise.resolve({ accepted: false, reason: 'invalid-command: unknown type' });
  }
};
