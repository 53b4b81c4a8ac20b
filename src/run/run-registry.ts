import type { JournalEntry } from '../journal/entry.js';
import { JournalMismatchError, RunConflictError, RunNotFoundError } from '../errors.js';
import type { RunHeader, RunStore, StoredRun } from '../services/run-store.js';
import type { Engine, ForkedRun } from '../time-travel/fork.types.js';
import type { RunParts } from './live-run.js';
import { LiveRun } from './live-run.js';
import type { Run } from './run.types.js';

/** What every run of one orchestrator is made of. */
export interface RegistryParts extends Omit<RunParts, 'runId' | 'goal' | 'onEnd'> {
  readonly store: RunStore<JournalEntry> | undefined;
  /** Tells whether a stored run was made under the policy at hand. */
  readonly policyFingerprint: string;
}

/** The runs of one orchestrator that live in this process, each of them once. */
export class RunRegistry {
  readonly #parts: RegistryParts;
  readonly #live = new Map<string, LiveRun>();
  /** Runs that are being read from the store. */
  readonly #resuming = new Map<string, Promise<Run>>();

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  start(runId: string, input: { readonly goal: string; readonly plan?: unknown }): Run {
    if (this.#live.has(runId) || this.#resuming.has(runId)) {
      throw new RunConflictError(`Run '${runId}' is already running`);
    }
    const { store, clock, policyFingerprint } = this.#parts;
    const { goal } = input;
    const startedAt = clock.now();
    const header: RunHeader = { format: 1, runId, policyFingerprint, startedAt, ...input };
    const run = this.#create(runId, goal);
    try {
      run.start({ ...input, runId }, store === undefined ? undefined : () => store.create(header));
    } catch (error) {
      this.#live.delete(runId);
      throw error;
    }
    return run;
  }

  /** The live run, or the one in the store; however often it is asked for at once, it is taken up once. */
  resume(runId: string): Promise<Run> {
    const live = this.#live.get(runId);
    if (live !== undefined) return Promise.resolve(live);
    const pending = this.#resuming.get(runId);
    if (pending !== undefined) return pending;
    const resuming = this.#takeUp(runId).finally(() => this.#resuming.delete(runId));
    this.#resuming.set(runId, resuming);
    return resuming;
  }

  /** A stored run as it is now; it is neither claimed nor changed. */
  async read(runId: string): Promise<StoredRun<JournalEntry>> {
    const { store } = this.#parts;
    const stored = await store?.read(runId);
    if (stored === undefined) throw new RunNotFoundError(notFoundMessage(runId, store));
    return stored;
  }

  /** Goes on with a run that was made of the journal of another one. */
  async adopt({ header, entries, ended, engine }: ForkedRun): Promise<Run> {
    const { runId, goal } = header;
    if (this.#live.has(runId) || this.#resuming.has(runId)) {
      throw new RunConflictError(`Run '${runId}' is already running`);
    }
    const { store } = this.#parts;
    await store?.create(header);
    await store?.append(runId, 0, entries, { ended });
    const run = this.#create(runId, goal, engine);
    run.resumeFrom(entries);
    return run;
  }

  /** Every unfinished run in the store that is not running here. */
  async recover(): Promise<readonly Run[]> {
    const runs: Run[] = [];
    for (let after: string | undefined; ;) {
      const filter = after === undefined ? { ended: false } : { ended: false, after };
      const page = (await this.#parts.store?.list(filter)) ?? [];
      const last = page.at(-1);
      if (last === undefined) return runs;
      for (const { header } of page) {
        const run = this.#live.has(header.runId) ? undefined : await this.#tryResume(header.runId);
        if (run !== undefined) runs.push(run);
      }
      after = last.header.runId;
    }
  }

  /** One run that cannot be taken up keeps nobody else from it. */
  async #tryResume(runId: string): Promise<Run | undefined> {
    try {
      return await this.resume(runId);
    } catch (error) {
      this.#parts.onError(error);
      return undefined;
    }
  }

  async #takeUp(runId: string): Promise<Run> {
    const { policyFingerprint } = this.#parts;
    const stored = await this.read(runId);
    checkPolicy(stored, policyFingerprint);
    const run = this.#create(runId, stored.header.goal);
    const { goal, plan } = stored.header;
    try {
      if (stored.entries.length > 0) run.resumeFrom(stored.entries);
      else run.start(plan === undefined ? { goal, runId } : { goal, runId, plan }, undefined);
    } catch (error) {
      this.#live.delete(runId);
      throw error;
    }
    return run;
  }

  #create(runId: string, goal: string, engine?: Engine): LiveRun {
    const onEnd = (): void => {
      this.#live.delete(runId);
    };
    const run = new LiveRun({ runId, goal, onEnd, ...this.#parts, ...engine });
    this.#live.set(runId, run);
    return run;
  }
}

const notFoundMessage = (runId: string, store: unknown): string =>
  store === undefined
    ? `Run '${runId}' is not running here, and there is no store to look for it: pass \`store\` to createOrchestrator`
    : `Run '${runId}' is not in the store`;

/** A run keeps the bounds it began with: under another policy its journal would lead elsewhere. */
const checkPolicy = ({ header, ended }: StoredRun, policyFingerprint: string): void => {
  if (ended || header.policyFingerprint === policyFingerprint) return;
  throw new JournalMismatchError(
    `Run '${header.runId}' was started under another policy: resume it with an orchestrator that has that policy`,
  );
};
