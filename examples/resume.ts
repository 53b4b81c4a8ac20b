import { createOrchestrator, defineAgent } from '../src/index.js';
import { memoryStore } from '../src/services/stores/index.js';

const calls: string[] = [];
const worker = defineAgent({
  name: 'worker',
  description: 'Writes down that it was called',
  run: ({ key }) => {
    calls.push(key);
    return `did ${key}`;
  },
});
const plan = {
  steps: [
    { id: 'one', agent: 'worker', task: 'Do the first part' },
    { id: 'two', agent: 'worker', task: 'Do the second part', dependsOn: ['one'] },
  ],
} as const;

const store = memoryStore();
const orchestrator = createOrchestrator({ agents: [worker], store });
const first = await orchestrator.start({ goal: 'Two parts', runId: 'parts', plan }).done;
console.log(first.status, calls.join(' ')); // completed parts/one/1/worker parts/two/1/worker

// As if the process had died after its second entry: step one is done, step two was called and has not answered.
const stored = await store.read('parts');
if (stored === undefined) throw new Error('The run is not in the store');
const survived = memoryStore();
await survived.create(stored.header);
await survived.append('parts', 0, stored.entries.slice(0, 2));

calls.length = 0;
const restarted = createOrchestrator({ agents: [worker], store: survived });
const run = await restarted.resume('parts');
const second = await run.done;
console.log(second.status, calls.join(' ')); // completed parts/two/1/worker
