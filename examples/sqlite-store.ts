import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createOrchestrator, defineAgent } from '../src/index.js';
import { sqliteStore } from '../src/services/stores/sqlite/index.js';

const worker = defineAgent({
  name: 'worker',
  description: 'Works',
  run: ({ key }) => `did ${key}`,
});
const plan = { steps: [{ id: 'one', agent: 'worker', task: 'Do it' }] } as const;

const path = join(mkdtempSync(join(tmpdir(), 'planwright-')), 'runs.db');
const store = sqliteStore({ path });
const orchestrator = createOrchestrator({ agents: [worker], store });
await orchestrator.start({ goal: 'One part', runId: 'part', plan }).done;
await store.close?.();

// Later, in another process: the run is still there.
const reopened = sqliteStore({ path });
for (const { header, entryCount, status } of await reopened.list()) {
  console.log(header.runId, entryCount, status); // part 2 completed
}
const run = await createOrchestrator({ agents: [worker], store: reopened }).resume('part');
console.log((await run.done).steps[0]?.output); // did part/one/1/worker
await reopened.close?.();
