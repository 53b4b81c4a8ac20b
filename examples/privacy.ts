import { z } from 'zod';

import { createOrchestrator, defineAgent, definePolicy, secret } from '../src/index.js';
import { memoryStore } from '../src/services/stores/index.js';

const login = defineAgent({
  name: 'login',
  description: 'Gets a session',
  output: z.object({ user: z.string(), token: secret(z.string()) }),
  run: () => ({ user: 'ada', token: 'abc-123' }),
});
const caller = defineAgent({
  name: 'caller',
  description: 'Calls a service',
  run: ({ dependencies }) => {
    console.log(JSON.stringify(dependencies[0]?.output)); // {"user":"ada","token":"abc-123"}
    throw new Error('GET https://host/?key=abc-123 failed');
  },
});

const store = memoryStore();
const orchestrator = createOrchestrator({
  agents: [login, caller],
  store,
  redact: (text) => text.replaceAll(/key=[^& ]+/g, 'key=...'),
  policy: definePolicy({ retry: { attempts: 1 } }),
});
const report = await orchestrator.start({
  goal: 'Call the service',
  runId: 'call',
  plan: {
    steps: [
      { id: 'login', agent: 'login', task: 'Log in' },
      { id: 'call', agent: 'caller', task: 'Call it', dependsOn: ['login'] },
    ],
  },
}).done;
console.log(JSON.stringify(report.steps[0]?.output)); // {"user":"ada","token":"[redacted]"}
console.log(report.steps[1]?.reason); // Error: GET https://host/?key=... failed
console.log(JSON.stringify(await store.read('call')).includes('abc-123')); // false

console.log(await orchestrator.deleteEnded({ olderThanMs: 30 * 86_400_000 })); // 0
console.log(await orchestrator.delete('call')); // true
