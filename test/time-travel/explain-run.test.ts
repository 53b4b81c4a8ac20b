import { describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { needsContext } from '../../src/agents/report.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import { memoryStore } from '../../src/services/memory-store.js';

const worker = defineAgent({ name: 'worker', description: 'Works', run: () => 'done' });
const step = { id: 'a', agent: 'worker', task: 'Do it' } as const;

describe('explain without a step', () => {
  it('says why planning failed: every try of the planner, and what is wrong with each plan', async () => {
    const answers = [
      () => ({ steps: [{ id: 'a', agent: 'wrker', task: 'Do it' }] }),
      () => {
        throw new Error('401 Unauthorized');
      },
    ];
    const orchestrator = createOrchestrator({
      agents: [worker],
      planner: () => (answers.shift() ?? answers[0] ?? (() => ({ steps: [] })))() as never,
      policy: definePolicy({ retry: { attempts: 1 }, limits: { maxReplans: 1 } }),
      store: memoryStore(),
      onError: () => undefined,
    });
    const run = orchestrator.start({ goal: 'Do it' });
    const report = await run.done;
    expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
    expect(report.planningFailures).toMatchObject([
      { by: 'validation', try: null, issues: [{ code: 'unknown-agent', path: 'steps[0].agent' }] },
      { by: 'planner', try: 1, reason: 'Error: 401 Unauthorized' },
      { by: 'planner', try: null, reason: 'Error: 401 Unauthorized' },
    ]);
    const explanation = await orchestrator.explain(run.runId);
    expect(explanation.causes.map(({ kind }) => kind)).toEqual([
      'run-ended',
      'plan-rejected',
      'call-failed',
      'plan-rejected',
    ]);
    expect(explanation.text).toMatch(/steps\[0\]\.agent: .*wrker/);
    expect(explanation.text).toContain('Try 1 of the planner failed: Error: 401 Unauthorized');
  });

  it('names the bound at which a request was refused', async () => {
    const orchestrator = createOrchestrator({
      agents: [
        defineAgent({
          name: 'worker',
          description: 'Asks',
          run: () => needsContext('The schema', 'half'),
        }),
      ],
      policy: presets.boundedReplan(),
      store: memoryStore(),
    });
    const run = orchestrator.start({ goal: 'Do it', plan: { steps: [step] } });
    const report = await run.done;
    expect(report).toMatchObject({
      status: 'completed',
      reason: 'all-steps-completed: no-planner',
      allSucceeded: false,
      refused: [
        { what: 'replan', stepId: 'a', agent: 'worker', bound: 'no-planner', reason: 'The schema' },
      ],
    });
    const { causes } = await orchestrator.explain(run.runId);
    expect(causes.map(({ kind }) => kind)).toEqual(['run-ended', 'request-refused']);
  });

  it('says what an unfinished run waits for', async () => {
    const orchestrator = createOrchestrator({
      agents: [worker],
      policy: definePolicy({ approval: { agents: ['worker'] } }),
      store: memoryStore(),
    });
    const run = orchestrator.start({ goal: 'Do it', plan: { steps: [step] } });
    await run.started;
    await run.pause();
    const { status, causes } = await orchestrator.explain(run.runId);
    expect(status).toBe('running');
    expect(causes.map(({ kind }) => kind)).toEqual(['paused', 'waiting-for-approval']);
    await run.abort();
  });
});
