import { setTimeout as sleep } from 'node:timers/promises';

import { createOrchestrator, defineAgent, definePolicy } from '../src/index.js';

const slow = defineAgent({
  name: 'slow',
  description: 'Asks a slow service once; its limits hold for its calls only',
  timeoutMs: 50,
  retry: { attempts: 1 },
  maxTokensPerCall: 4_000,
  run: async ({ maxTokens, signal }) => {
    console.log(`at most ${maxTokens} tokens`); // at most 4000 tokens
    await sleep(60_000, undefined, { signal });
    return 'too late';
  },
  fallback: () => 'the answer of yesterday',
});

const orchestrator = createOrchestrator({
  agents: [slow],
  policy: definePolicy({ retry: { attempts: 3 }, time: { stepTimeoutMs: 30_000 } }),
  onError: (error, context) => {
    console.log(context?.agent, context?.code, context?.key); // slow timeout report/ask/1/worker
  },
});

const report = await orchestrator.start({
  goal: 'Ask the service',
  runId: 'report',
  plan: { steps: [{ id: 'ask', agent: 'slow', task: 'Ask it' }] },
}).done;
const [step] = report.steps;
console.log(step?.status, step?.usedFallback, step?.output); // completed true the answer of yesterday
