import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import type { Usage } from '../../src/index.js';
import type { ModelOptions, OpenAiTool } from '../../src/services/openai/index.js';
import { OpenAiRequestError, openaiAgent, openaiTool } from '../../src/services/openai/index.js';
import { answerFailure } from './failures.js';
import { agentCall, doneReport } from './requests.js';
import type { Answers } from './servers.js';
import { blocksIn, promptOf, serverSaying } from './servers.js';

vi.setConfig({ testTimeout: 30_000 }); // real servers and real waits, on a machine that may be busy

/* Tools called by a model: real functions, whatever the model sends. */

const add = openaiTool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ left: z.number(), right: z.number() }),
  run: ({ left, right }) => left + right,
});

const addCall = { toolCalls: [{ name: 'add', arguments: { left: 1, right: 2 } }] };
const ok = { json: doneReport('3') };

const asked = async (
  answers: readonly Answers[],
  tools: readonly OpenAiTool[] = [add],
  options: Partial<ModelOptions> = {},
) => {
  const server = await serverSaying(...answers);
  const agent = openaiAgent({
    client: server.client,
    model: 'scripted',
    name: 'worker',
    description: 'Works',
    instructions: 'Work.',
    tools,
    ...options,
  });
  return { server, answer: (call = agentCall()) => Promise.resolve(agent.run(call)) };
};

/** The results of the tool calls of the last round, as the last request shows them. */
const resultsIn = (messages: readonly { role: string; content: string | null }[]): unknown[] =>
  messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => blocksIn(content ?? '', 'tool-result'));

describe('a tool', () => {
  it('is described, run with validated arguments, and its result is shown as data', async () => {
    const { server, answer } = await asked([addCall, ok]);
    expect(await answer()).toMatchObject({ kind: 'done', output: '3' });
    const [first, second] = server.requests;
    expect(first!.body['tools']).toEqual([
      {
        type: 'function',
        function: expect.objectContaining({ name: 'add', strict: true }) as unknown,
      },
    ]);
    expect(second!.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
    expect(second!.messages[3]!.tool_call_id).toBe(second!.messages[2]!.tool_calls![0]!.id);
    expect(resultsIn(second!.messages)).toEqual([3]);
  });

  it('is told which agent and step it works for', async () => {
    const run = vi.fn(() => 'fine');
    const look = openaiTool({ name: 'look', description: '', parameters: z.object({}), run });
    const { answer } = await asked([{ toolCalls: [{ name: 'look', arguments: '' }] }, ok], [look]);
    const call = agentCall();
    await answer(call);
    expect(run).toHaveBeenCalledWith({}, call);
  });

  it.each<[string, { name: string; arguments: unknown }, string]>([
    ['is not there', { name: 'subtract', arguments: {} }, 'There is no tool \\"subtract\\"'],
    ['gets no JSON', { name: 'add', arguments: '{"left": 1' }, 'not JSON'],
    ['gets wrong arguments', { name: 'add', arguments: { left: 'one' } }, 'expected number'],
  ])('that %s gives a result the model can learn from', async (_, call, told) => {
    const { server, answer } = await asked([{ toolCalls: [call] }, ok]);
    expect(await answer()).toMatchObject({ kind: 'done' });
    expect(JSON.stringify(resultsIn(server.requests[1]!.messages))).toContain(told);
  });

  it('that throws gives a result, too', async () => {
    const broken = openaiTool({
      ...add,
      run: async () => {
        throw new RangeError('Out of numbers');
      },
    });
    const { server, answer } = await asked([addCall, ok], [broken]);
    expect(await answer()).toMatchObject({ kind: 'done' });
    const results = resultsIn(server.requests[1]!.messages);
    expect(results).toEqual([{ error: 'RangeError: Out of numbers' }]);
  });

  it.each<[string, unknown, string]>([
    ['says nothing', undefined, 'null'],
    ['gives what JSON cannot hold', new Map(), '"error":"The result cannot be shown: $ is a Map'],
    ['gives very much', 'x'.repeat(250), `"excerpt":"${'x'.repeat(200)}","leftOutCharacters":50`],
  ])('that %s', async (_, value, expected) => {
    const tool = openaiTool({ ...add, run: () => value });
    const options = { maxToolOutputCharacters: 200 };
    const { server, answer } = await asked([addCall, ok], [tool], options);
    await answer();
    expect(JSON.stringify(resultsIn(server.requests[1]!.messages))).toContain(expected);
  });

  it('may have parameters that strict mode does not support', async () => {
    const greet = openaiTool({
      name: 'greet',
      description: 'Greets',
      parameters: z.object({ name: z.string().optional() }),
      run: ({ name = 'you' }) => `Hello ${name}`,
    });
    const call = { toolCalls: [{ name: 'greet', arguments: {} }] };
    const { server, answer } = await asked([call, ok], [greet]);
    await answer();
    expect(server.requests[0]!.body['tools']).toMatchObject([{ function: { strict: false } }]);
    expect(resultsIn(server.requests[1]!.messages)).toEqual(['Hello you']);
  });

  it('is not started after an abort', async () => {
    const controller = new AbortController();
    const run = vi.fn(() => {
      controller.abort();
      throw new Error('Interrupted');
    });
    const twice = { toolCalls: [addCall.toolCalls[0]!, addCall.toolCalls[0]!] };
    const { answer } = await asked([twice, ok], [{ ...add, run }]);
    const failure = await answer(agentCall({ signal: controller.signal })).catch(
      (error: unknown) => error,
    );
    expect(OpenAiRequestError.isInstance(failure) && failure.code).toBe('aborted');
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('that ignores its signal delays nothing after an abort', async () => {
    const deaf = openaiTool({ ...add, run: () => new Promise(() => undefined) });
    const { server, answer } = await asked([addCall, ok], [deaf]);
    const controller = new AbortController();
    const pending = answer(agentCall({ signal: controller.signal })).catch(
      (error: unknown) => error,
    );
    await vi.waitUntil(() => server.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort();
    const failure = await pending;
    expect(OpenAiRequestError.isInstance(failure) && failure.code).toBe('aborted');
    expect(server.requests).toHaveLength(1);
  });
});

describe('a round of tools', () => {
  it('runs one call after the other, and not more than sixteen', async () => {
    const order: number[] = [];
    const slow = openaiTool({
      name: 'slow',
      description: 'Takes its time',
      parameters: z.object({ turn: z.number() }),
      run: async ({ turn }) => {
        await new Promise((resolve) => setTimeout(resolve, 3 - (turn % 3)));
        order.push(turn);
        return turn;
      },
    });
    const calls = Array.from({ length: 18 }, (_, turn) => ({ name: 'slow', arguments: { turn } }));
    const { server, answer } = await asked([{ toolCalls: calls }, ok], [slow]);
    await answer();
    expect(order).toEqual(Array.from({ length: 16 }, (_, turn) => turn));
    const results = resultsIn(server.requests[1]!.messages);
    expect(results).toHaveLength(18);
    expect(results.slice(16)).toEqual([
      { error: 'Not done: at most 16 tool calls at once' },
      { error: 'Not done: at most 16 tool calls at once' },
    ]);
  });

  it('is the last one when the bound is reached: then the model has to answer', async () => {
    const { server, answer } = await asked([addCall, addCall, ok], [add], { maxToolRounds: 2 });
    expect(await answer()).toMatchObject({ kind: 'done' });
    expect(server.requests.map(({ body }) => body['tool_choice'])).toEqual([
      undefined,
      undefined,
      'none',
    ]);
  });

  it('without an end is a failed attempt, and counts its tokens', async () => {
    const run = vi.fn(() => 3);
    const { server, answer } = await asked([addCall], [{ ...add, run }]);
    const failure = await answerFailure(answer(), 'tool-rounds-exceeded');
    expect(failure.message).toContain('at most 8 rounds of tools (maxToolRounds)');
    expect(run).toHaveBeenCalledTimes(8);
    expect(server.requests).toHaveLength(9);
    expect(failure.usage.inputTokens).toBeGreaterThan(1_000);
  });

  it('is not offered in the repair, which is about the form of the answer', async () => {
    const { server, answer } = await asked([addCall, { text: '3' }, addCall]);
    await answerFailure(answer(), 'tool-rounds-exceeded');
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]!.body['tool_choice']).toBe('none');
  });

  it('counts for the usage of the report', async () => {
    const { server, answer } = await asked([addCall, addCall, ok]);
    const { usage } = (await answer()) as { usage: Usage };
    const sent = server.requests.map(({ messages }) =>
      Math.ceil(JSON.stringify(messages).length / 4),
    );
    expect(usage.inputTokens).toBe(sent.reduce((sum, tokens) => sum + tokens, 0));
  });

  it('leaves no listener on the signal, however many there are', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', onWarning);
    const rounds = Array.from({ length: 20 }, () => addCall);
    const { answer } = await asked([...rounds, ok], [add], { maxToolRounds: 20 });
    await answer(agentCall({ signal: new AbortController().signal }));
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('comes before the JSON format where servers do not support both', async () => {
    const { server, answer } = await asked([addCall, { text: 'It is 3' }, ok], [add], {
      structuredOutputs: 'json',
    });
    expect(await answer()).toMatchObject({ kind: 'done' });
    const [first, second, third] = server.requests.map(({ body }) => body);
    for (const body of [first!, second!]) {
      expect(body).toHaveProperty('tools');
      expect(body).not.toHaveProperty('response_format');
    }
    expect(third).not.toHaveProperty('tools');
    expect(third!['response_format']).toEqual({ type: 'json_object' });
  });
});

describe('a long conversation', () => {
  it('keeps its question and the latest rounds, and says what is missing', async () => {
    const rounds = Array.from({ length: 6 }, (_, turn) => ({
      toolCalls: [{ name: 'add', arguments: { left: turn, right: 0 } }],
    }));
    const { server, answer } = await asked([...rounds, ok], [add], { context: { maxMessages: 7 } });
    await answer();
    const { messages } = server.requests.at(-1)!;
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(messages[1]!.content).toContain('[4 earlier rounds of tool use are left out here.]');
    expect(resultsIn(messages)).toEqual([4, 5]);
    // The question was complete until then.
    expect(promptOf(server.requests[2]!)).not.toContain('left out');
  });

  it('always keeps the last round, with an answer to each of its calls', async () => {
    const three = { toolCalls: Array.from({ length: 3 }, () => addCall.toolCalls[0]!) };
    const { server, answer } = await asked([three, ok], [add], { context: { maxMessages: 1 } });
    await answer();
    expect(resultsIn(server.requests[1]!.messages)).toEqual([3, 3, 3]);
  });
});
