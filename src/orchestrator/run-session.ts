import { OrchestratorClosedError, RunClaimedError, RunNotFoundError } from '../errors.js';
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

/** How often a session tries to resume a run that another process owns. */
const RETRY_MS = 1_000;

class Session implements RunSession {
  readonly #origin: RunOrigin;
  readonly #actor: SessionActor;
  readonly #options: SessionOptions;
  #sequence: number;
  #run: Run | undefined;
  #isStopped = false;
  #release = (): void => undefined;

  constructor(origin: RunOrigin, actor: SessionActor, options: SessionOptions) {
    this.#origin = origin;
    this.#actor = actor;
    this.#options = options;
    this.#sequence = origin.sequence ?? 0;
    void this.#open(origin.sequence === undefined);
  }

  command(event: { readonly type: string }): void {
    void this.#perform(event as Command);
  }

  origin(): RunOrigin {
    const journal = this.#options.journal?.();
    const { input } = this.#origin;
    return { input, sequence: this.#sequence, ...(journal === undefined ? {} : { journal }) };
  }

  stop(): void {
    this.#isStopped = true;
    this.#release();
    this.#options.close?.();
  }

  async #open(isNew: boolean): Promise<void> {
    const { orchestrator } = this.#options;
    const { input } = this.#origin;
    try {
      if (isNew) this.#follow(orchestrator.start(input));
      else this.#follow(await orchestrator.resume(input.runId));
    } catch (error) {
      if (RunClaimedError.isInstance(error)) this.#openLater();
      else if (RunNotFoundError.isInstance(error) && !isNew && this.#sequence === 0) {
        // The snapshot was persisted before the run was durable.
        await this.#open(true);
      } else this.#fail(error);
    }
  }

  #openLater(): void {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    this.#release();
    this.#run = undefined;
    const timer = clock.setTimeout(() => void this.#open(false), RETRY_MS);
    this.#release = () => clock.clearTimeout(timer);
  }

  /** A program that closes its orchestrator may persist the actor afterwards: that is no error. */
  #fail(error: unknown): void {
    if (!OrchestratorClosedError.isInstance(error)) this.#actor.change({ status: 'error', error });
  }

  /**
   * The snapshot has the record after the last emitted fact; `run.record()` may be ahead. A resumed run repeats its
   * facts: those that the actor has emitted before are left out.
   */
  #follow(run: Run): void {
    if (this.#isStopped) return;
    this.#run = run;
    const builder = createRecordBuilder(this.#origin.input);
    this.#release = run.subscribe((fact) => {
      builder.add(fact);
      if (fact.sequence <= this.#sequence) return;
      this.#sequence = fact.sequence;
      this.#actor.change({ context: builder.record() });
      this.#actor.emit(fact);
    });
    void this.#finish(run);
  }

  /** A run that could not be started, because its id is in use or the store is away, is an error of the actor. */
  async #finish(run: Run): Promise<void> {
    try {
      await run.started;
      const output = await run.done;
      // The run goes on in another process, and so does the actor.
      if (!output.isFinal) {
        this.#openLater();
        return;
      }
      this.#actor.change({ status: 'done', output, context: run.record() });
    } catch (error) {
      this.#fail(error);
    }
    this.#options.close?.();
  }

  async #perform(command: Command): Promise<void> {
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

const performOn = (run: RunCommands, command: Command): Promise<CommandResult> => {
  switch (command.type) {
    case 'approval.grant':
      return run.approve(command.requestId, command.answer);
    case 'approval.reject':
      return run.reject(command.requestId, command.reason);
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
