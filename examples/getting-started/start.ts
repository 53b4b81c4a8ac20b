import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { createTeam } from './team.js';

const store = sqliteStore({ path: 'runs.db' });
const team = createTeam(store);

const run = team.start({ goal: 'statecharts', runId: 'article-1' });
for await (const fact of run.facts()) {
  if (fact.type === 'step.completed') console.log(`${fact.stepId} is done`);
  if (fact.type === 'approval.requested') {
    console.log(`waiting for an approval of ${fact.stepId}`);
    break;
  }
}

// The program ends here, as after Ctrl+C or a deploy. The run waits in runs.db.
await team.close();
await store.close?.();
