import { afterEach, describe, expect, it, vi } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { AgentCallError } from '../../src/errors.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import * as z from 'zod';

const plan = { steps: [{ id: 'a', agent: 'worker', task: 'Do it' }] } as const;
const policy = definePolicy({ retry: { attempts: 2, backoffMs: 1, maxBackoffMs: 1 } });

class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly code = 'invalid-key';
}

const failing = (thrown: unknown) =>
  defineAgent({
    name: 'worker',
    description: 'Fails',
    run: (): string => {
      throw thrown;
    },
  });

describe('onError', () => {
  it('hears every failed try with the original error and the call', async () => {
    const heard: unknown[][] = [];
    const original = new KeyError('The key is wrong');
    const orchestrator = createOrchestrator({
      agents: [failing(original)],
      policy,
      onError: (...given) => {
        heard.push(given);
      },
    });
    const run = orchestrator.start({ goal: 'Do it', runId: 'r', plan });
    await run.done;
    expect(heard.map(([error]) => error)).toEqual([original, original]);
    expect(heard[0]?.[0]).toBe(original);
    expect(heard.map(([, context]) => context)).toEqual(
      ['r/a/1/worker', 'r/a/1/worker#2'].map((key) => {
        return { runId: 'r', stepId: 'a', agent: 'worker', role: 'worker', key, code: 'threw' };
      }),
    );
  });

  it('hears a refused answer as an AgentCallError with its reason', async () => {
    const heard: unknown[] = [];
    const agent = defineAgent({
      name: 'worker',
      description: 'Returns the wrong type',
      output: z.object({ count: z.number() }),
      run: () => ({ count: 'one' }) as never,
    });
    const orchestrator = createOrchestrator({
      agents: [agent],
      policy,
      onError: (error) => {
        heard.push(error);
      },
    });
    await orchestrator.start({ goal: 'Do it', plan }).done;
    expect(heard).toHaveLength(2);
    expect(heard[0]).toBeInstanceOf(AgentCallError);
    expect(heard[0]).toMatchObject({ failure: 'invalid-output' });
  });
});

describe('a fact about a failed try', () => {
  it('keeps name, message, code and the redacted head of the stack', async () => {
    const orchestrator = createOrchestrator({
      agents: [failing(new KeyError('The key k-123 is wrong'))],
      policy,
      redact: (text) => text.replaceAll('k-123', '[key]').replaceAll('on-error', '[file]'),
      onError: () => undefined,
    });
    const run = orchestrator.start({ goal: 'Do it', plan });
    await run.done;
    const failed = run
      .journal()
      .flatMap(({ facts }) => facts)
      .find(({ type }) => type === 'agent.failed');
    expect(failed).toMatchObject({
      reason: 'KeyError: The key [key] is wrong',
      error: { name: 'KeyError', code: 'invalid-key' },
    });
    expect(failed).toHaveProperty('error.stack', expect.stringMatching(/^at .*\[file\]/));
    expect(JSON.stringify(run.journal())).not.toContain('k-123');
  });
});

describe('without onError', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('the first error is printed to stderr, in one line that says what to do', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const orchestrator = createOrchestrator({
      agents: [failing(new KeyError('The key\nis wrong'))],
      policy,
    });
    await orchestrator.start({ goal: 'Do it', runId: 'r', plan }).done;
    await orchestrator.start({ goal: 'Do it', plan }).done;
    expect(printed.mock.calls).toEqual([
      [
        'planwright: worker failed in run r: KeyError: The key is wrong (only the first error is printed: ' +
          'pass onError to createOrchestrator to get all of them)',
      ],
    ]);
  });
});
