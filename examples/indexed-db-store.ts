import type { Agent, Orchestrator } from '../src/index.js';
import { createOrchestrator, definePolicy } from '../src/index.js';
import { indexedDbStore } from '../src/services/stores/indexed-db/index.js';

/** Create it once per page. After a reload, `resume(runId)` continues the run. */
export const openPage = (name: string, worker: Agent<'worker', 'worker'>): Orchestrator =>
  createOrchestrator({
    agents: [worker],
    store: indexedDbStore({ name }),
    policy: definePolicy({ approval: { agents: ['worker'] } }),
  });
