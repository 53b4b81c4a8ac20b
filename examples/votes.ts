import { createOrchestrator, defineAgent, done, presets } from '../src/index.js';

const judge = defineAgent({
  name: 'judge',
  description: 'Says whether a text is a question',
  // A model may answer differently each time; this one is wrong the first time.
  run: ({ step }) => done({ isQuestion: step.vote?.number !== 1 }, { confidence: 0.8 }),
});

const orchestrator = createOrchestrator({ agents: [judge], policy: presets.dynamic() });

const report = await orchestrator.start({
  goal: 'Is "Where to?" a question?',
  plan: {
    steps: [
      {
        id: 'judge',
        agent: 'judge',
        task: 'Say whether it is a question',
        votes: { count: 3, choose: 'majority' },
      },
    ],
  },
}).done;

const [step] = report.steps;
console.log(JSON.stringify(step?.output)); // {"isQuestion":true}
console.log(step?.votes?.cast.length, step?.votes?.winner); // 3 2
