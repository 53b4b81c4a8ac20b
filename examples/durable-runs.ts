import { createOrchestrator, defineAgent, RunClaimedError } from '../src/index.js';
import { memoryStore } from '../src/services/stores/index.js';

const store = memoryStore(); // or sqliteStore({ path: 'runs.db' }) from planwright/store/sqlite
const calls: string[] = [];
const worker = defineAgent({
  name: 'worker',
  description: 'Works until it is told to stop',
  run: async ({ key, step, signal }) => {
    calls.push(key);
    if (step.id === 'long' && calls.length < 3) {
      await new Promise((_, stop) => signal.addEventListener('abort', stop));
    }
    return `did ${step.id}`;
  },
});
/** Like two processes that share a store. */
const [first, second] = [1, 2].map(() =>
  createOrchestrator({ agents: [worker], store, durability: { leaseMs: 30_000 } }),
);
if (first === undefined || second === undefined) throw new Error('There are two');

const plan = {
  steps: [
    { id: 'short', agent: 'worker', task: 'Do the short part' },
    { id: 'long', agent: 'worker', task: 'Do the long part', dependsOn: ['short'] },
  ],
} as const;
const run = first.start({ goal: 'Two parts', runId: 'parts', plan });
for await (const fact of run.facts()) {
  if (fact.type === 'agent.called' && fact.stepId === 'long') break;
}

// The first process owns the run. The second is refused and makes no call ...
const refused = await second.resume('parts').catch((error: unknown) => error);
console.log(RunClaimedError.isInstance(refused) && refused.code); // already-claimed
// ... but it may read the run and send it commands through the store.
const elsewhere = await second.connect('parts');
console.log(await elsewhere.say('Take your time').then(({ accepted }) => accepted)); // true
console.log(elsewhere.record().conversation.join()); // Take your time
// It follows the run, too: `facts`, `subscribe` and `done` read what becomes durable.
const ended = elsewhere.done;

// On SIGTERM: calls in flight get a moment to finish, and the run is released.
await first.close({ graceMs: 10 });
const { status, reason, isFinal } = await run.done;
console.log(status, reason, isFinal); // detached stopped: the orchestrator was closed false

// `recover()` resumes runs without an owner. The call in flight is repeated under the same key.
const [taken] = await second.recover();
console.log((await taken?.done)?.status, calls.join(' ')); // completed parts/short/1/worker parts/long/1/worker parts/long/1/worker
console.log((await ended).status, (await ended).isFinal); // completed true

// Every run of the store, newest first: filter by status, labels and time.
const { runs } = await second.runs({ status: 'completed', limit: 20 });
console.log(runs.map(({ runId, openApprovals }) => `${runId}: ${openApprovals}`).join()); // parts: 0
