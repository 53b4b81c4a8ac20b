import { describe, expect, it } from 'vitest';

import { blocked, createOrchestrator, definePolicy, done } from '../../src/index.js';
import { checkInvariants, script, scriptedAgents, virtualClock } from '../../src/testing.js';

/* The first test is the example of docs/simulation.md: copy it, and import from 'planwright' and 'planwright/testing'. */

const plan = { steps: [{ id: 's1', agent: 'coder', task: 'Write it' }] } as const;

describe('scripted agents', () => {
  it('are retried after a failure, in virtual time', async () => {
    const clock = virtualClock();
    const team = scriptedAgents(
      { coder: [script.fail(), script.answer(done('Second try'), { afterMs: 200 })] },
      { clock },
    );
    const orchestrator = createOrchestrator({
      agents: team.agents,
      policy: definePolicy({ retry: { attempts: 2, backoffMs: 0 } }),
      clock,
    });
    const run = orchestrator.start({ goal: 'Write it', plan });
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'completed', durationMs: 200 });
    expect(team.calls.map(({ call }) => call.step.attempt)).toEqual([1, 1]);
    expect(checkInvariants(run.journal(), { policy: orchestrator.policy })).toEqual([]);
  });

  const outcomeOf = async (coder: Parameters<typeof scriptedAgents<'coder'>>[0]['coder']) => {
    const clock = virtualClock();
    const team = scriptedAgents({ coder }, { clock });
    const policy = definePolicy({
      limits: { maxAttempts: 1, maxDepth: 0 },
      time: { stepTimeoutMs: 1_000 },
      retry: { attempts: 1 },
    });
    const run = createOrchestrator({ agents: team.agents, policy, clock }).start({
      goal: 'A goal',
      plan,
    });
    await clock.runUntil(run.done);
    const [step] = (await run.done).steps;
    return `${step?.status}: ${step?.reason ?? ''} ${JSON.stringify(step?.output ?? null)}`;
  };

  it('hang, answer late, answer garbage, throw, and give every answer', async () => {
    expect(await outcomeOf([script.hang()])).toContain('No answer in time');
    expect(await outcomeOf([script.late('Too late', 1_001)])).toContain('No answer in time');
    expect(await outcomeOf([script.answer('On time', { afterMs: 999 })])).toContain('"On time"');
    expect(await outcomeOf([script.garbage()])).toContain('failed');
    expect(await outcomeOf([script.fail(new RangeError('Out of it'))])).toContain('Out of it');
    expect(await outcomeOf([script.answer(blocked('No way'))])).toContain('No way');
  });

  it('have a script for each step, and throw when a call has none', async () => {
    expect(await outcomeOf({ s1: [script.answer('By step')] })).toContain('"By step"');
    expect(await outcomeOf({ s2: [script.answer('Elsewhere')] })).toContain(
      'The script of coder for s1 has no act 1',
    );
    expect(await outcomeOf([])).toContain('The script of coder has no act 1');
  });
});
