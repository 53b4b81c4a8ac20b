import { outputsOf } from '../../src/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { createTeam } from './team.js';

const store = sqliteStore({ path: 'runs.db' });
const team = createTeam(store);

// Another process: the journal is replayed, and no answered call is made again.
const run = await team.resume('article-1');
for (const { requestId, question } of run.record().openApprovals) {
  console.log(question);
  await run.approve(requestId);
}

const report = await run.done;
console.log(`${report.status}: ${report.reason}`);
console.log(outputsOf(report, 'publisher').join());

await team.close();
await store.close?.();
