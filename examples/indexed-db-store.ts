import type { Agent, Orchestrator } from '../src/index.js';
import { createOrchestrator, definePolicy } from '../src/index.js';
import { indexedDbStore } from '../src/services/stores/indexed-db/index.js';

/** Create it once per page. */
export const openPage = (name: string, worker: Agent<'worker', 'worker'>): Orchestrator => {
  const orchestrator = createOrchestrator({
    agents: [worker],
    store: indexedDbStore({ name }),
    policy: definePolicy({ approval: { agents: ['worker'] } }),
  });
  // Resumes the runs of this page at once after a reload, and those of a tab within half a second after it was closed.
  orchestrator.recoverEvery(500);
  return orchestrator;
};
