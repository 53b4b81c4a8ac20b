import { createOrchestrator, defineAgent } from '../src/index.js';
import { memoryStore } from '../src/services/stores/index.js';

const calls: string[] = [];
const worker = defineAgent({
  name: 'worker',
  description: 'Records that it was called',
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

// A store as after a crash: step one is completed, the call of step two has no answer.
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
