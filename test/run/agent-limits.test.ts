import { describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { ConfigurationError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { steps } from '../scenarios/team.js';

const policy = definePolicy({
  retry: { attempts: 3, backoffMs: 1, maxBackoffMs: 1 },
  time: { stepTimeoutMs: 1_000 },
});

const hanging = (name: string, limits: object = {}) =>
  defineAgent({
    name,
    description: 'Never answers',
    ...limits,
    run: (): Promise<string> => new Promise(() => undefined),
  });

describe('the limits of an agent', () => {
  it('replace the timeout and the tries of the policy for its calls only', async () => {
    const clock = virtualClock();
    const agents = [hanging('slow'), hanging('quick', { timeoutMs: 10, retry: { attempts: 1 } })];
    const orchestrator = composeOrchestrator(
      { agents, policy, clock, onError: () => undefined },
      undefined,
    );
    const plan = { steps: steps('slow:a', 'quick:b') };
    const run = orchestrator.start({ goal: 'Wait', plan });
    await clock.runUntil(run.done);
    const [slow, quick] = (await run.done).steps;
    expect(quick).toMatchObject({ code: 'timeout', durationMs: 10 });
    expect(slow?.durationMs).toBeGreaterThan(3_000);
    const tries = run.journal().flatMap(({ facts }) => facts);
    expect(tries.filter((fact) => fact.type === 'agent.called').map(({ key }) => key)).toEqual(
      expect.arrayContaining([`${run.runId}/b/1/worker`, `${run.runId}/a/1/worker#3`]),
    );
    expect(run.record().metrics.agents).toMatchObject({ quick: { calls: 1 }, slow: { calls: 3 } });
  });

  it('cannot exceed the tries of the policy, so that its bounds hold', () => {
    const agents = [hanging('eager', { retry: { attempts: 4 } })];
    const create = () => composeOrchestrator({ agents, policy }, undefined);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(/agents\[0\]\.retry\.attempts.*at most 3/);
  });

  it('are checked where the agent is defined', () => {
    expect(() => hanging('a', { timeoutMs: 0 })).toThrow(/timeoutMs.*at least 1/);
    expect(() => hanging('a', { retry: { attempt: 2 } })).toThrow(/retry\.attempt.*attempts/);
    expect(() => hanging('a', { maxTokensPerCall: 1.5 })).toThrow(/maxTokensPerCall/);
  });

  it('tell the agent how many tokens a call may use', async () => {
    const agent = defineAgent({
      name: 'counting',
      description: 'Says its limit',
      maxTokensPerCall: 500,
      run: ({ maxTokens }) => ({ maxTokens }),
    });
    const orchestrator = composeOrchestrator({ agents: [agent] }, undefined);
    const report = await orchestrator.start({
      goal: 'Count',
      plan: { steps: steps('counting:a') },
    }).done;
    expect(report.steps[0]?.output).toEqual({ maxTokens: 500 });
  });
});
