import { z } from 'zod';

import type { AgentCall } from '../src/index.js';
import { ConfigurationError, createOrchestrator, defineAgent } from '../src/index.js';

const ticket = z.object({ id: z.string(), priority: z.enum(['low', 'high']).default('low') });
type Ticket = z.infer<typeof ticket>;

const support = defineAgent({
  name: 'support',
  description: 'Answers a ticket',
  run: ({ input, labels, runId }: AgentCall<Ticket>) =>
    `${labels['tenant']}: answered ${input.id} (${input.priority}) in ${runId}`,
});

const orchestrator = createOrchestrator({
  agents: [support],
  input: ticket,
  planner: ({ input }) => ({
    steps: [{ id: 'answer', agent: 'support', task: `Answer ticket ${input.id}` }],
  }),
});

const run = orchestrator.start({
  goal: 'Answer the ticket',
  runId: 'ticket-7',
  input: { id: 'T-7' },
  labels: { tenant: 'acme' },
});
const report = await run.done;
console.log(report.steps[0]?.output); // acme: answered T-7 (low) in ticket-7
console.log(report.labels['tenant']); // acme

try {
  orchestrator.start({ goal: 'Answer the ticket', input: { id: 7, priority: 'odd' } as never });
} catch (error) {
  if (!ConfigurationError.isInstance(error)) throw error;
  console.log(error.issues.map(({ path }) => path).join(', ')); // input.id, input.priority
}
