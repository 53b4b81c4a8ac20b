import { createOrchestrator, defineAgent } from '../src/index.js';
import type { Orchestrator } from '../src/index.js';
import { postgresStore } from '../src/services/stores/postgres/index.js';

const worker = defineAgent({
  name: 'worker',
  description: 'Works',
  run: ({ key }) => `did ${key}`,
});

/** Every process of a service calls this once; all of them share the runs. */
export const openService = (
  url: string,
): { readonly orchestrator: Orchestrator; readonly close: () => Promise<void> } => {
  const store = postgresStore({ url, schema: 'my_service' });
  const orchestrator = createOrchestrator({ agents: [worker], store });
  const close = async (): Promise<void> => {
    await orchestrator.close();
    await store.close?.();
  };
  return { orchestrator, close };
};
