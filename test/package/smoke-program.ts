// What a service does with the built package, on whichever Node runs it: smoke.test.ts runs it as a program of its own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { z } from 'zod';

import { createOrchestrator, defineAgent, presets } from '../../src/index.js';
import { openaiAgent } from '../../src/services/openai/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { simulate } from '../../src/testing.js';

/** A run that waits for an approval, is released to the file, and is resumed by a second orchestrator. */
const resumed = async (): Promise<unknown> => {
  const calls: string[] = [];
  const worker = defineAgent({
    name: 'worker',
    description: 'Writes down that it was called',
    output: z.object({ key: z.string() }),
    run: ({ key, step }) => {
      calls.push(step.id);
      return { key };
    },
  });
  const store = sqliteStore({ path: 'runs.db' });
  const create = () =>
    createOrchestrator({ agents: [worker], store, policy: presets.planAndExecute() });
  const first = create();
  const run = first.start({
    goal: 'Two parts',
    runId: 'parts',
    plan: {
      steps: [
        { id: 'one', agent: 'worker', task: 'Do the first part' },
        {
          id: 'two',
          agent: 'worker',
          task: 'Do the second part',
          dependsOn: ['one'],
          requiresApproval: true,
        },
      ],
    },
  });
  for await (const { type } of run.facts()) if (type === 'approval.requested') break;
  await first.close();
  const second = create();
  const again = await second.resume('parts');
  const [question] = again.record().openApprovals;
  await again.approve(question?.requestId ?? '');
  const { status, successfulSteps } = await again.done;
  await second.close();
  await store.close?.();
  return { status, successfulSteps, calls };
};

const worlds = async (): Promise<unknown> => {
  const { runs, failures } = await simulate({ seed: 1, runs: 20 });
  return { runs, failures };
};

/** An agent that calls a model: a server of this process with the same protocol. */
const asked = async (): Promise<unknown> => {
  const server = createServer((_request, response) => {
    const report = { kind: 'done', output: { answer: '42' }, confidence: 0.9 };
    const message = { role: 'assistant', content: JSON.stringify({ report }) };
    const choices = [{ index: 0, finish_reason: 'stop', message }];
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const thinker = openaiAgent({
    name: 'thinker',
    description: 'Answers questions',
    instructions: 'Answer',
    model: 'any',
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: 'none',
    output: z.object({ answer: z.string() }),
  });
  const orchestrator = createOrchestrator({ agents: [thinker] });
  const plan = { steps: [{ id: 'think', agent: 'thinker', task: 'What is it?' }] } as const;
  const { status, steps, usage } = await orchestrator.start({ goal: 'Answer', plan }).done;
  server.closeAllConnections();
  server.close();
  return { status, output: steps[0]?.output, usage };
};

process.stdout.write(
  JSON.stringify({ resumed: await resumed(), worlds: await worlds(), asked: await asked() }),
);
