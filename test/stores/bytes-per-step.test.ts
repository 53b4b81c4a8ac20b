import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { presets } from '../../src/policy/presets.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { temporaryFolder } from './temporary-folder.js';

/* What a run takes in the tables of SQLite: the bytes of every value in its rows. */

const OUTPUT_BYTES = 1_024;

const folder = temporaryFolder();

afterAll(() => folder.dispose());

const worker = defineAgent({
  name: 'worker',
  description: 'Says a lot',
  run: async ({ step }) => `${step.id} `.padEnd(OUTPUT_BYTES, 'x'),
});

/** A file with one completed run of so many steps, each with an output of 1 KB. */
const completedRun = async (stepCount: number): Promise<string> => {
  const path = folder.newPath();
  const store = sqliteStore({ path });
  const orchestrator = createOrchestrator({
    agents: [worker],
    store,
    policy: presets.boundedReplan({ limits: { maxSteps: 1_000, maxAgentCalls: null } }),
  });
  const steps = Array.from({ length: stepCount }, (_, index) => ({
    id: `s${index}`,
    agent: 'worker' as const,
    task: `Do the work of step ${index}`,
    dependsOn: index === 0 ? [] : [`s${index - 1}`],
  }));
  const report = await orchestrator.start({ goal: 'Measure', plan: { steps } }).done;
  expect(report.successfulSteps).toHaveLength(stepCount);
  await store.close?.();
  return path;
};

/** All values of all rows of a table, in bytes; a number counts as 8. */
const bytesIn = (database: Database.Database, table: string): number =>
  (database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[])
    .flatMap((row) => Object.values(row))
    .reduce<number>(
      (sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 8),
      0,
    );

describe('the rows of a run in SQLite', () => {
  it('take at most two and a half times the output per step, however many steps there are', async () => {
    const perStep: number[] = [];
    for (const stepCount of [10, 100, 1_000]) {
      const database = new Database(await completedRun(stepCount), { readonly: true });
      const bytes = ['runs', 'entries', 'states', 'commands'].map((table) =>
        bytesIn(database, table),
      );
      database.close();
      perStep.push(bytes.reduce((sum, count) => sum + count, 0) / stepCount);
    }
    expect(Math.max(...perStep)).toBeLessThanOrEqual(2.5 * OUTPUT_BYTES);
    expect(perStep[2]).toBeLessThanOrEqual(1.02 * (perStep[1] ?? 0));
    expect(perStep[1]).toBeLessThanOrEqual(1.02 * (perStep[0] ?? 0));
  }, 60_000);
});
