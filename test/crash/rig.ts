import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { defineAgent } from '../../src/agents/agent.js';
import type { JournalEntry } from '../../src/journal/entry.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { RunFilter, RunStore } from '../../src/model/run-store.js';
import type { RigOrder, RigProcessOptions } from './rig-process.js';

/* Starts and ends the processes of a rig, and reads what they left in the store. */

export interface RigProcess {
  readonly logPath: string;
  signal(signal: NodeJS.Signals): void;
  order(order: RigOrder): void;
  /** Resolves when the process has ended on request; rejects when it has died. */
  readonly ended: Promise<void>;
}

export const startRigProcess = async (
  program: string,
  options: RigProcessOptions,
): Promise<RigProcess> => {
  const child: ChildProcess = fork(program, [JSON.stringify(options)], { execArgv: [] });
  const ended = once(child, 'exit').then(([code, signal]) => {
    if (code !== 0) throw new Error(`${options.name} ended with ${String(code ?? signal)}`);
  });
  // A test that ends before the process no longer waits for it.
  ended.catch(() => undefined);
  await Promise.race([once(child, 'message'), ended]);
  return {
    logPath: options.logPath,
    signal: (signal) => {
      child.kill(signal);
    },
    order: (order) => {
      if (child.connected) child.send(order);
    },
    ended,
  };
};

const POLL_MS = 100;

/** Lets the processes finish their runs, and ends them. Returns the runs that are still unfinished. */
export const drain = async (
  processes: readonly RigProcess[],
  store: RunStore,
  patienceMs: number,
): Promise<readonly string[]> => {
  for (const each of processes) each.order('drain');
  const unfinished = async (): Promise<readonly string[]> =>
    (await store.list({ ended: false })).map(({ header }) => header.runId);
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    await sleep(POLL_MS);
    if ((await unfinished()).length === 0) break;
  }
  for (const each of processes) each.order('close');
  await Promise.all(processes.map(({ ended }) => ended));
  return unfinished();
};

/** Every journal in the store, as a later owner reads it. */
export const readJournals = async (
  store: RunStore,
): Promise<ReadonlyMap<string, readonly JournalEntry[]>> => {
  const idle = defineAgent({ name: 'worker', description: 'Is not called', run: () => '' });
  const orchestrator = composeOrchestrator({ agents: [idle], store }, undefined);
  const journals = new Map<string, readonly JournalEntry[]>();
  for (let after: RunFilter['after']; ;) {
    const page = await store.list(after === undefined ? {} : { after });
    for (const { header } of page) {
      const run = await orchestrator.connect(header.runId);
      journals.set(header.runId, run.journal());
    }
    after = page.at(-1)?.header;
    if (after === undefined) return journals;
  }
};
