import { createActor, toPromise } from 'xstate';

import { createOrchestrator, defineAgent, systemClock } from '../src/index.js';

const greeter = defineAgent({
  name: 'greeter',
  description: 'Greets',
  run: ({ goal }) => `Hello, ${goal}`,
});
const orchestrator = createOrchestrator({
  agents: [greeter],
  planner: () => ({ steps: [{ id: 'greet', agent: 'greeter', task: 'Say hello to the goal' }] }),
});

const actor = createActor(orchestrator.machine, {
  input: { goal: 'world' },
  clock: systemClock(),
});
actor.on('plan.adopted', ({ steps }) => {
  console.log(steps.map(({ id }) => id).join(', ')); // greet
});
actor.start();

const outcome = await toPromise(actor);
console.log(outcome.status, outcome.reason); // completed all-steps-completed
console.log(outcome.outputKeys.join(', ')); // run/greet/1/worker
