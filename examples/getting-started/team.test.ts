import assert from 'node:assert/strict';
import { test } from 'node:test';

import { outputsOf } from '../../src/index.js';
import { memoryStore } from '../../src/services/stores/index.js';
import { createTeam } from './team.js';

await test('nothing is published when a person says no', async () => {
  const run = createTeam(memoryStore()).start({ goal: 'statecharts' });
  run.subscribe(async (fact) => {
    if (fact.type === 'approval.requested') await run.reject(fact.requestId, 'Not today');
  });
  const report = await run.done;
  assert.deepEqual(outputsOf(report, 'publisher'), []);
  assert.equal(report.allSucceeded, false);
});

await test('a run cannot cost more than this, whatever the agents do', () => {
  const { plannerCalls, replans } = createTeam(memoryStore()).bounds();
  assert.deepEqual({ plannerCalls, replans }, { plannerCalls: 4, replans: 3 });
});
