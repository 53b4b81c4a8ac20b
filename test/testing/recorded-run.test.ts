import { describe, expect, it } from 'vitest';

import type { AgentCall, OrchestratorOptions } from '../../src/index.js';
import { defineAgent, definePolicy, done, needsContext, requestReplan } from '../../src/index.js';
import {
  InvalidRecordingError,
  recordedRun,
  RecordingDriftError,
  virtualClock,
} from '../../src/testing.js';

/*
 * The first test is the example of docs/simulation.md: copy it, and import from 'planwright' and
 * 'planwright/testing'.
 */

interface Team {
  readonly answer?: (call: AgentCall) => unknown;
  readonly task?: string;
}

/** A planner and two agents in parallel; `calls` counts the real calls. */
const teamOf = ({ answer = ({ step }) => done(`Did ${step.id}`), task = 'Do it' }: Team = {}) => {
  const calls: string[] = [];
  const clock = virtualClock();
  const agent = (name: string, delayMs: number) =>
    defineAgent({
      name,
      description: name,
      run: async (call) => {
        calls.push(call.key);
        await clock.sleep(delayMs);
        return answer(call);
      },
    });
  const options: OrchestratorOptions<readonly ReturnType<typeof agent>[]> = {
    agents: [agent('slow', 300), agent('quick', 100)],
    planner: ({ key, revision }) => {
      calls.push(key);
      return {
        steps: [
          { id: `a${revision}`, agent: 'slow', task },
          { id: `b${revision}`, agent: 'quick', task },
        ],
      };
    },
    policy: definePolicy({ limits: { maxReplans: 1 }, retry: { attempts: 1 } }),
    clock,
  };
  return { options, calls, clock };
};

const recorded = async (team: Team = {}) => {
  const { options, clock, calls } = teamOf(team);
  const recording = recordedRun.record(options, { goal: 'Two things at once' });
  await clock.runUntil(recording);
  // As it is read from its file.
  const kept: unknown = JSON.parse(JSON.stringify((await recording).recording));
  return { kept, report: (await recording).report, calls };
};

describe('a recorded run', () => {
  it('is replayed without its agents, and ends the same', async () => {
    const { kept, report } = await recorded();
    const ci = teamOf();
    const replayed = await recordedRun.replay(kept, ci.options);
    expect(replayed.status).toBe('completed');
    expect(replayed.steps.map(({ output }) => output)).toEqual(
      report.steps.map(({ output }) => output),
    );
    expect(ci.calls).toEqual([]);
  });

  it('keeps the input and the labels of the run', async () => {
    const answer = ({ input, labels }: AgentCall): unknown => ({ input, labels });
    const { options, clock } = teamOf({ answer });
    const start = { goal: 'Two things', input: { ticket: 7 }, labels: { tenant: 'acme' } };
    const recording = recordedRun.record(options, start);
    await clock.runUntil(recording);
    const kept: unknown = JSON.parse(JSON.stringify((await recording).recording));
    const replayed = await recordedRun.replay(kept, teamOf().options);
    expect(replayed.labels).toEqual({ tenant: 'acme' });
    expect(replayed.steps[0]?.output).toEqual({ input: { ticket: 7 }, labels: { tenant: 'acme' } });
  });

  it('keeps answers, failures and the order in which answers arrived', async () => {
    const answer = ({ step }: AgentCall): unknown => {
      if (step.id === 'a0') throw new RangeError('Out of range');
      if (step.id === 'b0') return needsContext('More', { half: true }, { confidence: 0.5 });
      return step.id === 'b1' ? requestReplan({ reason: 'Once more' }, 'Part') : { plain: step.id };
    };
    const { kept, report } = await recorded({ answer });
    expect(report.steps.map(({ status }) => status)).toContain('failed');
    const replayed = await recordedRun.replay(kept, teamOf().options);
    expect(replayed.failedSteps).toEqual(report.failedSteps);
    expect(replayed.reason).toBe(report.reason);
  });

  const driftOf = async (kept: unknown, options: ReturnType<typeof teamOf>['options']) => {
    const error: unknown = await recordedRun
      .replay(kept, options)
      .catch((thrown: unknown) => thrown);
    if (!RecordingDriftError.isInstance(error)) throw new Error(`No drift: ${String(error)}`);
    expect(error.message).toContain(`the recording has ${error.difference.expected}`);
    expect(error.message).toContain(`this run has ${error.difference.actual}`);
    return error.difference;
  };

  it('throws when a call was not recorded, with the agent', async () => {
    const { kept } = await recorded();
    const { calls } = kept as { calls: unknown[] };
    const without = { ...(kept as object), calls: calls.slice(0, -1) };
    const difference = await driftOf(without, teamOf().options);
    expect(difference.path).toMatch(/^calls\.recorded\/[ab]0\/1\/worker$/);
    expect(difference.expected).toBe('"no such call"');
  });

  it('throws when an agent is called with another input', async () => {
    const { kept } = await recorded();
    const changed = JSON.parse(
      JSON.stringify(kept).replaceAll('"task":"Do it"', '"task":"Another"'),
    ) as {
      facts: unknown;
    };
    const { facts } = kept as { facts: unknown };
    const difference = await driftOf({ ...changed, facts }, teamOf().options);
    expect(difference.path).toMatch(/\.task$/);
    expect(difference).toMatchObject({ expected: '"Do it"', actual: '"Another"' });
  });

  it('throws when the policy leads to other facts from the same answers', async () => {
    const { kept } = await recorded();
    const { options } = teamOf();
    const policy = definePolicy({
      limits: { maxReplans: 1, maxParallel: 1 },
      retry: { attempts: 1 },
    });
    const difference = await driftOf(kept, { ...options, policy });
    expect(difference.path).toMatch(/^facts\.\d+$/);
  });

  it('is a file, whose content is validated', async () => {
    const { kept } = await recorded();
    for (const candidate of [
      null,
      'text',
      [],
      {},
      { ...(kept as object), format: 2 },
      { ...(kept as object), calls: [{ key: 1 }] },
      { ...(kept as object), extra: true },
      { ...(kept as object), facts: [{ type: 'no.such' }] },
    ]) {
      const error: unknown = await recordedRun
        .replay(candidate, teamOf().options)
        .catch((thrown: unknown) => thrown);
      expect(InvalidRecordingError.isInstance(error)).toBe(true);
    }
  });
});
