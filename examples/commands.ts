import { setTimeout as sleep } from 'node:timers/promises';

import { createOrchestrator, defineAgent } from '../src/index.js';

const worker = defineAgent({
  name: 'worker',
  description: 'Takes a moment for every step',
  run: async ({ step, signal }) => {
    await sleep(20, undefined, { signal });
    return `did ${step.id}`;
  },
});

const run = createOrchestrator({ agents: [worker] }).start({
  goal: 'Three steps, one after the other',
  plan: {
    steps: [
      { id: 'first', agent: 'worker', task: 'Do the first part' },
      { id: 'second', agent: 'worker', task: 'Do the second part', dependsOn: ['first'] },
      { id: 'third', agent: 'worker', task: 'Do the third part', dependsOn: ['second'] },
    ],
  },
});

// A stream of all facts, from the first one on.
for await (const fact of run.facts()) {
  if (fact.type === 'step.started') break;
}

console.log(JSON.stringify(await run.pause())); // {"accepted":true}
console.log(JSON.stringify(await run.pause())); // {"accepted":false,"reason":"already-paused"}
console.log(JSON.stringify(await run.skip(['fourth']))); // {"accepted":false,"reason":"unknown-step"}
await run.skip(['second']);
await run.say('The second part is done already.');
await run.extendTime(60_000);
await run.unpause();

const report = await run.done;
console.log(report.successfulSteps.join(', ')); // first, third
console.log(report.skippedSteps.join(', ')); // second
console.log(run.record().conversation.join(', ')); // The second part is done already.
console.log(JSON.stringify(await run.abort('Too late'))); // {"accepted":false,"reason":"run-ended"}
