import { describe, expect, it } from 'vitest';

import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

describe('agents that answer synchronously', () => {
  it('do not starve the event loop: timers of the program fire during runs', async () => {
    const worker = agentNamed('worker', () => 'done');
    const orchestrator = createOrchestrator({
      agents: [worker],
      store: memoryStore(),
      policy: definePolicy({ limits: { maxSteps: 3_000, maxAgentCalls: 100_000 } }),
    });
    const ids = Array.from({ length: 3_000 }, (_item, index) =>
      index === 0 ? 's0' : `s${index}<s${index - 1}`,
    );
    const run = orchestrator.start({ goal: 'G', plan: { steps: steps(...ids) } });
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 0);
    const { status } = await run.done;
    clearInterval(ticking);
    expect(status).toBe('completed');
    // Three thousand steps take far longer than the 25 milliseconds after which the event loop gets a turn.
    expect(turns).toBeGreaterThan(3);
  });
});
