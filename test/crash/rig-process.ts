import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { defineAgent } from '../../src/agents/agent.js';
import { toFailure } from '../../src/failure.js';
import type { Fact } from '../../src/model/facts.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Run } from '../../src/run/run.types.js';
import { postgresStore } from '../../src/services/stores/postgres/postgres-store.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import { steps } from '../scenarios/team.js';
import { describeFact } from './rig-log.js';
import type { StoreAddress } from './store-address.js';

/*
 * A process under load, for the rigs: it starts runs, resumes those without an owner, and logs, durably and with the
 * time, every call it makes, every answer it gets and every fact it is told. It ends on request.
 */

export interface RigProcessOptions {
  readonly name: string;
  readonly store: StoreAddress;
  readonly logPath: string;
  readonly leaseMs: number;
  readonly recoverEveryMs: number;
  readonly runsAtOnce: number;
}

/** `drain`: starts no more runs. `close`: releases its runs and ends. */
export type RigOrder = 'drain' | 'close';

/** The longest that an agent takes; each call takes a random part of it. */
const AGENT_MS = 10;

const options = JSON.parse(process.argv[2] ?? '{}') as RigProcessOptions;
// Every line is on the disk before the process continues.
const log = openSync(options.logPath, 'as');
/** One clock for all processes of a machine, which setting the time does not change. */
const write = (kind: string, ...rest: readonly (string | number)[]): void => {
  writeSync(log, `${[process.hrtime.bigint(), kind, ...rest].join(' ')}\n`);
};

const worker = defineAgent({
  name: 'worker',
  description: 'Works for a moment',
  run: async ({ key, step }) => {
    write('called', key);
    await sleep(Math.random() * AGENT_MS);
    write('answered', key);
    return `did ${step.id}`;
  },
});

const store =
  options.store.kind === 'sqlite'
    ? sqliteStore({ path: options.store.path })
    : postgresStore({ url: options.store.url, schema: options.store.schema });
const orchestrator = composeOrchestrator(
  {
    agents: [worker],
    store,
    durability: { leaseMs: options.leaseMs, pollMs: 200 },
    onError: (error) => write('error', toFailure(error).code ?? toFailure(error).name),
  },
  undefined,
);

const live = { isDraining: false, isClosing: false };
const running = new Set<Promise<void>>();

const follow = (run: Run): Promise<void> => {
  run.subscribe((fact: Fact) => write('told', run.runId, describeFact(fact)));
  const following = run.done.then(({ status, reason }) => {
    write('ended', run.runId, status, reason.replaceAll(/\s+/g, '-'));
  });
  running.add(following);
  void following.finally(() => running.delete(following));
  return following;
};

const plan = { steps: steps('a', 'b<a', 'c<a', 'd<b,c', 'e<d') };

/** Another process may claim a run between its creation and its claim here: then it continues there. */
const startRun = async (runId: string): Promise<void> => {
  try {
    await follow(orchestrator.start({ goal: 'The goal', runId, plan }));
  } catch (error) {
    write('refused', runId, toFailure(error).code ?? toFailure(error).name);
  }
};

const startRuns = async (lane: number): Promise<void> => {
  for (let number = 0; !live.isDraining; number += 1) {
    const runId = `${options.name}-${lane}-${number}`;
    write('started', runId);
    await startRun(runId);
  }
};

const recoverRuns = async (): Promise<void> => {
  while (!live.isClosing) {
    await sleep(options.recoverEveryMs);
    try {
      for (const run of await orchestrator.recover()) {
        write('resumed', run.runId);
        void follow(run);
      }
    } catch (error) {
      write('error', toFailure(error).code ?? toFailure(error).name);
    }
  }
};

const lanes = Array.from({ length: options.runsAtOnce }, (_, lane) => startRuns(lane));
const recovering = recoverRuns();

const close = async (): Promise<void> => {
  live.isDraining = true;
  live.isClosing = true;
  await recovering;
  await orchestrator.close();
  await Promise.all([...lanes, ...running]);
  await store.close?.();
  process.exit();
};

process.on('unhandledRejection', (error) => {
  write('unhandled', toFailure(error).message.replaceAll(/\s+/g, '-'));
});
process.on('message', (order: RigOrder) => {
  live.isDraining = true;
  if (order === 'close') void close();
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
