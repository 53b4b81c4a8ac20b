import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { defineAgent } from '../../src/agents/agent.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { toFailure } from '../../src/failure.js';
import type { Run } from '../../src/run/run.types.js';
import { steps } from '../scenarios/team.js';
import { openSqlite } from './open-sqlite.js';
import type { SqliteAddress } from './store-address.js';

/* A long-lived process: it starts and resumes runs on request, and reports the results. */

export interface ServerOptions {
  readonly store: SqliteAddress;
  /** Every call is logged here, with the process that made it. */
  readonly logPath: string;
  readonly leaseMs: number;
  readonly agentMs: number;
}

export interface Order {
  readonly verb: 'start' | 'resume';
  readonly runId: string;
  readonly stepIds?: readonly string[];
}

export interface Answer {
  readonly runId: string;
  /** How the run ended here; undefined when it was not resumed. */
  readonly status?: string;
  readonly reason?: string;
  /** Why it was not resumed. */
  readonly code?: string;
  /** Calls that this process made for it. */
  readonly calls: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ServerOptions;
const calls = new Map<string, number>();

const worker = defineAgent({
  name: 'worker',
  description: 'Takes its time',
  run: async ({ key, step }) => {
    const [runId = ''] = key.split('/');
    calls.set(runId, (calls.get(runId) ?? 0) + 1);
    appendFileSync(options.logPath, `called ${key} ${process.pid}\n`);
    await sleep(options.agentMs);
    return `did ${step.id}`;
  },
});

const { store } = openSqlite(options.store, () => undefined);
const orchestrator = composeOrchestrator(
  { agents: [worker], store, durability: { leaseMs: options.leaseMs } },
  undefined,
);

const obey = async ({ verb, runId, stepIds = [] }: Order): Promise<Run> =>
  verb === 'resume'
    ? orchestrator.resume(runId)
    : orchestrator.start({ goal: 'The goal', runId, plan: { steps: steps(...stepIds) } });

const answer = async (order: Order): Promise<Answer> => {
  const { runId } = order;
  try {
    const { status, reason } = await (await obey(order)).done;
    return { runId, status, reason, calls: calls.get(runId) ?? 0 };
  } catch (error) {
    return { runId, code: toFailure(error).code ?? 'unknown', calls: calls.get(runId) ?? 0 };
  }
};

process.on('message', (order: Order) => {
  void answer(order).then((given) => process.send?.(given));
});
process.on('disconnect', () => process.exit());
process.send?.({ runId: '', calls: 0 } satisfies Answer);
