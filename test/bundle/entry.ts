import { createActor } from 'xstate';

import { createOrchestrator, defineAgent, presets, systemClock } from '../../src/index.js';

/* What a front end would bundle: one run by the kernel and one by XState's own interpreter. */

const greeter = defineAgent({
  name: 'greeter',
  description: 'Greets',
  run: async (call) => `Hello from ${call.step.id}`,
});

const orchestrator = createOrchestrator({
  agents: [greeter],
  planner: () => ({
    analysis: 'Two greetings',
    steps: [
      { id: 'first', agent: 'greeter', task: 'Greet the first time' },
      { id: 'second', agent: 'greeter', task: 'Greet the second time', dependsOn: ['first'] },
    ],
  }),
  policy: presets.boundedReplan(),
});

export const runByKernel = async (): Promise<string> => {
  const report = await orchestrator.start({ goal: 'Greet twice' }).done;
  return `${report.status}: ${report.successfulSteps.join(', ')}`;
};

export const runByXState = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const actor = createActor(orchestrator.machine, {
      input: { goal: 'Greet twice' },
      clock: systemClock(),
    });
    actor.subscribe({
      complete: () => resolve(actor.getSnapshot().output?.status ?? 'no output'),
      error: reject,
    });
    actor.start();
  });
