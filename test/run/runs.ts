import type { Agent } from '../../src/agents/agent.js';
import type { JournalEntry } from '../../src/journal/entry.js';
import { readJournal } from '../../src/journal/read-journal.js';
import type { Fact } from '../../src/model/facts.js';
import type {
  OrchestratorOptions,
  StartInput,
} from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Run } from '../../src/run/run.types.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';

export type Options = Partial<OrchestratorOptions<readonly Agent[]>>;

export interface Started {
  readonly clock: VirtualClock;
  readonly run: Run;
  readonly errors: unknown[];
}

/** A run of three short steps by default. */
export const started = (options: Options = {}, input: Partial<StartInput> = {}): Started => {
  const clock = virtualClock();
  const errors: unknown[] = [];
  const orchestrator = composeOrchestrator(
    {
      agents: [slowAgent('worker', clock, 100)],
      clock,
      onError: (error) => errors.push(error),
      ...options,
    },
    undefined,
  );
  const run = orchestrator.start({
    goal: 'The goal of the run',
    runId: 'run',
    ...(options.planner === undefined ? { plan: { steps: steps('a', 'b<a', 'c<b') } } : {}),
    ...input,
  });
  return { clock, run, errors };
};

export const factsOf = (run: Run): readonly Fact[] => run.journal().flatMap((entry) => entry.facts);

/** A fact without its time. */
export const bodiesOf = (facts: readonly Fact[]): unknown[] =>
  facts.map((fact) => ({ ...fact, at: 0 }));

/** As a store returns entries: equal, and sharing no objects. */
export const jsonCopy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** A store that has a run up to a given entry. */
export const storeWith = async (
  original: RunStore,
  runId: string,
  entryCount: number,
): Promise<RunStore> => {
  const stored = await original.read(runId);
  if (stored === undefined) throw new Error(`There is no run '${runId}'`);
  const store = memoryStore();
  await store.create(stored.header);
  for (const entry of jsonCopy(stored.entries.slice(0, entryCount))) {
    const ended = stored.ended && entry.sequence === stored.entries.length - 1;
    const { state } = stored;
    const kept = state?.sequence === entry.sequence + 1 ? { state: jsonCopy(state.body) } : {};
    await store.append(runId, entry.sequence, [entry], { ended, ...kept });
  }
  return store;
};

/** What a synchronous store has of a run. */
export const journalIn = (store: RunStore, runId: string): readonly JournalEntry[] => {
  const stored = store.read(runId);
  if (stored === undefined || stored instanceof Promise) throw new Error('There is no run');
  return readJournal(stored).entries;
};
