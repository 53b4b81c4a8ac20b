// Writes the journals of the present format that test/fixtures/journals does not have yet. Existing ones stay as they are:
// users have them in their stores.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { composeOrchestrator } from '../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../src/services/memory-store.js';
import { virtualClock } from '../src/testing/virtual-clock.js';
import { RECORDED_AT_MS, RECORDED_RUN_ID, recordedRuns } from '../test/fixtures/recorded-runs.js';
import { agreeTo, GOAL } from '../test/run/reference-run.js';

const journals = join(import.meta.dirname, '../test/fixtures/journals');

for (const [name, optionsOf] of Object.entries(recordedRuns)) {
  const clock = virtualClock({ startMs: RECORDED_AT_MS });
  const store = memoryStore();
  const orchestrator = composeOrchestrator({ ...optionsOf(clock, []), store }, undefined);
  const run = orchestrator.start({ goal: GOAL, runId: RECORDED_RUN_ID });
  agreeTo(run, clock);
  await clock.runUntil(run.done);
  const report = await run.done;
  const stored = await store.read(RECORDED_RUN_ID);
  if (stored === undefined) throw new Error(`There is no run of ${name}`);
  const folder = join(journals, `format-${stored.header.format}`);
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) continue;
  mkdirSync(folder, { recursive: true });
  const { header, entries, ended } = stored;
  writeFileSync(file, `${JSON.stringify({ header, entries, ended, report }, null, 2)}\n`);
  console.log(`${name}: ${entries.length} entries, ${report.status} (${report.reason})`);
}
