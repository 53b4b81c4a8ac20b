import { describe, expect, it } from 'vitest';

import type { RoleOptions } from '../../src/services/openai/index.js';
import {
  openaiSummarizer,
  openaiSupervisor,
  openaiTester,
} from '../../src/services/openai/index.js';
import { answerFailure } from './failures.js';
import { goodVerdict, reviewRequest, summaryRequest, testRequest } from './requests.js';
import type { Answers, TestServer } from './servers.js';
import { blocksIn, promptOf, serverSaying } from './servers.js';

/* Unusable answers, the one repair try, and its cost. */

const ok = { json: goodVerdict };

const ask = async (
  answers: readonly Answers[],
  options: Partial<RoleOptions> = {},
): Promise<{ readonly server: TestServer; readonly verdict: unknown }> => {
  const server = await serverSaying(...answers);
  const supervise = openaiSupervisor({ client: server.client, model: 'scripted', ...options });
  return { server, verdict: await Promise.resolve(supervise(reviewRequest())) };
};

/** The usage that the server reports. */
const billedIn = ({ requests }: TestServer): number =>
  requests.reduce((sum, { messages }) => sum + Math.ceil(JSON.stringify(messages).length / 4), 0);

const failing = async (
  code: Parameters<typeof answerFailure>[1],
  answers: readonly Answers[],
  options: Partial<RoleOptions> = {},
) => {
  const server = await serverSaying(...answers);
  const supervise = openaiSupervisor({ client: server.client, model: 'scripted', ...options });
  return { server, failure: await answerFailure(supervise(reviewRequest()), code) };
};

describe('an unusable answer', () => {
  it.each<[string, Answers, string]>([
    ['is not JSON', { text: 'Looks good to me!' }, 'Not valid JSON'],
    ['has the wrong shape', { json: { verdict: 'good' } }, 'expected number'],
    ['has a value out of range', { json: { ...goodVerdict, score: 850 } }, '<=100'],
    ['is cut off', { text: '{"reasoning": "W', finishReason: 'length' }, 'cut off'],
    ['is empty', { text: '  ' }, 'got an empty text'],
  ])('because it %s is sent back once with the issues', async (_, bad, told) => {
    const { server, verdict } = await ask([bad, ok]);
    expect(verdict).toMatchObject({ score: 85 });
    expect(server.requests).toHaveLength(2);
    const [, , said, repair] = server.requests[1]!.messages;
    expect([said!.role, repair!.role]).toEqual(['assistant', 'user']);
    expect(JSON.stringify(blocksIn(repair!.content!, 'issues'))).toContain(told);
    expect(repair!.content).toContain('last try');
  });

  it('is quoted to the model in its own words', async () => {
    const { server } = await ask([{ text: 'Looks good to me!' }, ok]);
    expect(server.requests[1]!.messages[2]!.content).toBe('Looks good to me!');
  });

  it('is not quoted when it is very long', async () => {
    const { server } = await ask([{ text: 'x'.repeat(8_001) }, ok]);
    expect(server.requests[1]!.messages[2]!.content).toBe('(this answer is left out)');
  });

  it.each<[Parameters<typeof answerFailure>[1], Answers]>([
    ['invalid-json', { text: 'Looks good to me!' }],
    ['wrong-shape', { json: { verdict: 'good' } }],
    ['truncated', { text: '{"reasoning": "W', finishReason: 'length' }],
    ['no-answer', { text: '' }],
  ])('twice is a failed attempt: %s', async (code, bad) => {
    const { server, failure } = await failing(code, [bad]);
    expect(server.requests).toHaveLength(2);
    expect(failure.issues.length).toBeGreaterThan(0);
    expect(failure.message).toContain('also after one repair');
  });

  it('fails with the issue of the last answer', async () => {
    const { failure } = await failing('wrong-shape', [{ text: 'Good!' }, { json: {} }]);
    expect(failure.issues.map(({ path }) => path)).toContain('score');
    expect(failure.message).toContain('- score: Invalid input');
  });

  it('that is too long is not read, and the model is told the bound', async () => {
    const long = { json: { ...goodVerdict, reasoning: 'x'.repeat(2_000) } };
    const { server, failure } = await failing('too-long', [long], { maxAnswerCharacters: 1_000 });
    expect(server.requests).toHaveLength(2);
    expect(failure.message).toContain('at most 1000 characters');
    expect(promptOf(server.requests[1]!)).not.toContain('xxx');
  });

  it('that is nested too deep is sent back with that reason', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const { failure } = await failing('invalid-json', [{ text: deep }]);
    expect(failure.message).toContain('deeper than 200 levels');
  });

  it('still counts its tokens', async () => {
    const { failure } = await failing('invalid-json', [{ text: 'Good!' }]);
    expect(failure.usage.inputTokens).toBeGreaterThan(100);
    expect(failure.usage.outputTokens).toBeGreaterThan(0);
  });
});

describe('a refusal', () => {
  it('is not sent back', async () => {
    const { server, failure } = await failing('refused', [{ refusal: 'I cannot help' }, ok]);
    expect(server.requests).toHaveLength(1);
    expect(failure.message).toContain('I cannot help');
    expect(failure.message).not.toContain('also after');
  });

  it('may come from a content filter', async () => {
    const filtered = { text: 'Par', finishReason: 'content_filter' } as const;
    const { failure } = await failing('refused', [filtered, ok]);
    expect(failure.message).toContain('content filter');
  });
});

describe('usage', () => {
  it('is the sum of all rounds', async () => {
    const { server, verdict } = await ask([{ text: 'Good!' }, ok]);
    const [first, second] = server.requests.map(({ messages }) => JSON.stringify(messages).length);
    const inputTokens = Math.ceil(first! / 4) + Math.ceil(second! / 4);
    const usage = (verdict as { usage: { inputTokens: number; outputTokens: number } }).usage;
    expect(usage.inputTokens).toBe(inputTokens);
    const { verdict: atOnce } = await ask([ok]);
    const single = (atOnce as { usage: { outputTokens: number } }).usage;
    expect(usage.outputTokens).toBeGreaterThan(single.outputTokens);
  });

  it('carries the cost when the prices are known', async () => {
    const pricing = { inputUsdPerMillionTokens: 2, outputUsdPerMillionTokens: 8 };
    const { verdict } = await ask([ok], { pricing });
    const { inputTokens, outputTokens, costUsd } = (
      verdict as { usage: Record<'inputTokens' | 'outputTokens' | 'costUsd', number> }
    ).usage;
    expect(costUsd).toBeCloseTo((inputTokens * 2 + outputTokens * 8) / 1_000_000, 12);
  });
});

describe('structured outputs', () => {
  it('are requested by a strict schema', async () => {
    const { server } = await ask([ok], { maxOutputTokens: 500, temperature: 0 });
    const { body } = server.requests[0]!;
    expect(body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: {
        name: 'verdict',
        strict: true,
        schema: {
          required: ['reasoning', 'score', 'issues', 'feedback'],
          additionalProperties: false,
        },
      },
    });
    expect(body).toMatchObject({ max_completion_tokens: 500, temperature: 0, stream: false });
    expect(body).not.toHaveProperty('max_tokens');
  });

  it('are requested in the prompt where servers support no schemas', async () => {
    const { server, verdict } = await ask([ok], {
      structuredOutputs: 'json',
      maxOutputTokens: 500,
    });
    expect(verdict).toMatchObject({ score: 85 });
    const { body, messages } = server.requests[0]!;
    expect(body['response_format']).toEqual({ type: 'json_object' });
    expect(body).toMatchObject({ max_tokens: 500 });
    expect(body).not.toHaveProperty('max_completion_tokens');
    expect(messages[0]!.content).toContain('"score":{"type":"number"');
  });

  it.each([
    ['a code fence', `\`\`\`json\n${JSON.stringify(goodVerdict)}\n\`\`\``],
    ['thoughts', `<think>Is it {good}?</think>\n${JSON.stringify(goodVerdict)}`],
  ])('may have %s around them', async (_, text) => {
    const { server, verdict } = await ask([{ text }], { structuredOutputs: 'json' });
    expect(verdict).toMatchObject({ score: 85 });
    expect(server.requests).toHaveLength(1);
  });

  it('add no parameters that were not requested', async () => {
    const { server } = await ask([ok]);
    const { body } = server.requests[0]!;
    expect(Object.keys(body).sort()).toEqual(['messages', 'model', 'response_format', 'stream']);
  });

  it('pass extra parameters on, which override nothing that is decided here', async () => {
    const extraParameters = { reasoning_effort: 'low', model: 'other', stream: true, messages: [] };
    const { server } = await ask([ok], { extraParameters });
    const { body } = server.requests[0]!;
    expect(body).toMatchObject({ reasoning_effort: 'low', model: 'scripted', stream: false });
    expect(body['messages']).toHaveLength(2);
  });
});

describe('a test result', () => {
  const failed = { passed: false, failures: ['Expected 2, got 3'], fixPlan: null };

  it.each([
    ['passed with failures', { ...failed, passed: true }, 'passed is true'],
    ['failed without any', { ...failed, failures: [] }, 'passed is false'],
  ])('that has %s is sent back', async (_, contradiction, told) => {
    const server = await serverSaying({ json: contradiction }, { json: failed });
    const test = openaiTester({ client: server.client, model: 'scripted' });
    expect(await test(testRequest())).toMatchObject({ passed: false });
    expect(promptOf(server.requests[1]!)).toContain(told);
  });
});

describe('prose', () => {
  it('is accepted unchanged, without a format', async () => {
    const server = await serverSaying({ text: '\nAll **done**.\n' });
    const summarize = openaiSummarizer({ client: server.client, model: 'scripted' });
    const summary = await summarize(summaryRequest());
    expect(summary).toMatchObject({
      text: 'All **done**.',
      usage: { inputTokens: billedIn(server) },
    });
    expect(server.requests[0]!.body).not.toHaveProperty('response_format');
  });

  it('that is cut off is requested again, shorter', async () => {
    const server = await serverSaying(
      { text: 'All is', finishReason: 'length' },
      { text: 'Done.' },
    );
    const summarize = openaiSummarizer({ client: server.client, model: 'scripted' });
    const summary = await summarize(summaryRequest());
    // Both answers were paid for.
    expect(summary).toMatchObject({ text: 'Done.', usage: { inputTokens: billedIn(server) } });
    expect(promptOf(server.requests[1]!)).toContain('use fewer words');
  });
});
