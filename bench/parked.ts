/*
 * The cost of runs that wait for a person: `npm run bench:parked -- 10000 sqlite`. Prints statements a second, the
 * share of one core, and the heap for each run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defineAgent } from '../src/agents/agent.js';
import { createOrchestrator } from '../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../src/policy/policy.js';
import { memoryStore } from '../src/services/memory-store.js';
import type { RunStore } from '../src/model/run-store.js';
import { sqliteStore } from '../src/services/stores/sqlite/sqlite-store.js';

const [countText = '10000', kind = 'sqlite', secondsText = '20'] = process.argv.slice(2);
const count = Number(countText);
const seconds = Number(secondsText);
const folder = mkdtempSync(join(tmpdir(), 'planwright-parked-'));

const inner: RunStore =
  kind === 'memory' ? memoryStore() : sqliteStore({ path: join(folder, 'runs.db') });

let statements = 0;
const names = new Map<string, number>();
const store = Object.fromEntries(
  (Object.entries(inner) as [string, (...parameters: unknown[]) => unknown][]).map(
    ([name, ask]) => [
      name,
      (...parameters: unknown[]) => {
        statements += 1;
        names.set(name, (names.get(name) ?? 0) + 1);
        return ask(...parameters);
      },
    ],
  ),
) as unknown as RunStore;

const worker = defineAgent({ name: 'worker', description: 'Works', run: () => 'done' });
const orchestrator = createOrchestrator({
  agents: [worker],
  store,
  policy: definePolicy({
    approval: { agents: ['worker'], timeoutMs: 80_000_000 },
    time: { limitMs: 86_400_000 },
  }),
});
const plan = { steps: [{ id: 'a', task: 'Work', agent: 'worker' as const }] };
const collect = (): void => globalThis.gc?.();
let runsWithQuestion = 0;
const start = (runId: string): void => {
  const run = orchestrator.start({ goal: 'The goal', runId, plan });
  // A fact may be told before `subscribe` returns.
  let stop: () => void = () => undefined;
  stop = run.subscribe(({ type }) => {
    if (type !== 'approval.requested') return;
    runsWithQuestion += 1;
    stop();
  });
};

const settle = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
start('warm-up');
await settle(1_000);
collect();
const heapBefore = process.memoryUsage().heapUsed;
for (let index = 0; index < count; index += 1) {
  start(`run-${index}`);
  if (index % 100 === 0) await settle(0);
}
// Until every run waits for its approval.
for (let before = -1; before !== runsWithQuestion;) {
  before = runsWithQuestion;
  await settle(2_000);
}
collect();
const heapPerRun = (process.memoryUsage().heapUsed - heapBefore) / count;
statements = 0;
names.clear();
const cpuBefore = process.cpuUsage();
await settle(seconds * 1_000);
const { user, system } = process.cpuUsage(cpuBefore);
const share = (user + system) / (seconds * 1e6);
process.stdout.write(
  `${count} parked runs in ${kind}: ${(statements / seconds).toFixed(2)} statements a second, ` +
    `${(share * 100).toFixed(2)} % of a core, ${(heapPerRun / 1024).toFixed(1)} KiB of heap each\n`,
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(names))}\n`);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
