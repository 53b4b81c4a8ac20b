import { createOrchestrator, defineAgent } from '../src/index.js';
import { memoryStore } from '../src/services/stores/index.js';

const asked: string[] = [];
const cook = defineAgent({
  name: 'cook',
  description: 'Cooks one course',
  run: ({ step, key, dependencies }) => {
    asked.push(key);
    if (step.id === 'soup') throw new Error('The pot is broken');
    return `${step.id} after ${dependencies.map(({ output }) => JSON.stringify(output)).join()}`;
  },
});

const orchestrator = createOrchestrator({ agents: [cook], store: memoryStore() });
const dinner = await orchestrator.start({
  goal: 'A dinner of three courses',
  runId: 'dinner',
  plan: {
    steps: [
      { id: 'salad', agent: 'cook', task: 'Make a salad' },
      { id: 'soup', agent: 'cook', task: 'Make a soup', dependsOn: ['salad'] },
      { id: 'cake', agent: 'cook', task: 'Bake a cake', dependsOn: ['soup'] },
    ],
  },
}).done;
console.log(dinner.status, dinner.skippedSteps.join()); // failed cake

// Why did the cake not run?
const { causes } = await orchestrator.explain('dinner', 'cake');
console.log(causes.map(({ kind }) => kind).join(' < ')); // skipped < dependency < failed < call-failed
console.log(causes.at(-1)?.text); // The call of cook for step 'soup' failed at try 3: threw: Error: The pot is broken

// Without a step: why did the run end as it did?
const { causes: ofRun } = await orchestrator.explain('dinner');
console.log(ofRun.map(({ kind }) => kind).join(' < ')); // run-ended < failed
console.log(ofRun.at(-1)?.text); // Step 'soup' had failed: threw: Error: The pot is broken

// The run when the soup was requested.
const replay = await orchestrator.replay('dinner');
const call = replay.facts.find((fact) => fact.type === 'agent.called' && fact.stepId === 'soup');
const { record, open } = replay.goTo(call?.sequence ?? 0);
console.log(record.steps.map(({ id, status }) => `${id} ${status}`).join(', ')); // salad completed, soup running, cake pending
console.log(open.calls?.map(({ key }) => key).join()); // dinner/soup/1/worker

// What if the soup had succeeded? The salad is reused; only the cake is baked.
asked.length = 0;
const whatIf = await orchestrator.fork('dinner', {
  atSequence: replay.moment.sequence,
  runId: 'what-if',
  changes: { answers: [{ key: 'dinner/soup/1/worker', returns: 'a fine soup' }] },
});
const better = await whatIf.done;
console.log(better.status, better.steps.at(-1)?.output); // completed cake after "a fine soup"
console.log(asked.join()); // what-if/cake/1/worker
