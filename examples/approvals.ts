import { askHuman, createOrchestrator, defineAgent, done, presets } from '../src/index.js';

const publisher = defineAgent({
  name: 'publisher',
  description: 'Publishes a text where a person wants it',
  run: ({ feedback }) => {
    const answer = feedback.find(({ from }) => from === 'human');
    if (answer !== undefined) return done(`published on ${answer.text}`);
    return askHuman({ question: 'Where?', payload: ['the blog', 'the list'] });
  },
});

const orchestrator = createOrchestrator({
  agents: [publisher],
  policy: presets.dynamic({ approval: { agents: ['publisher'], timeoutMs: 60_000 } }),
});

const run = orchestrator.start({
  goal: 'Publish the release notes',
  plan: { steps: [{ id: 'publish', agent: 'publisher', task: 'Publish the release notes' }] },
});

for await (const fact of run.facts()) {
  if (fact.type !== 'approval.requested') continue;
  console.log(fact.question);
  // Or run.reject(fact.requestId, { reason: 'why', by: 'Ada' }). A text alone is the answer or the reason.
  await run.approve(fact.requestId, { answer: 'the blog', by: 'Ada' });
}

const report = await run.done;
console.log(report.steps[0]?.output); // published on the blog
console.log(report.approvals.map(({ outcome, by }) => `${outcome} by ${by}`).join(', ')); // granted by Ada, granted by Ada
