import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createOrchestrator } from '../../src/index.js';
import { openaiAgent } from '../../src/services/openai/index.js';
import { answerFailure } from './failures.js';
import { agentCall, doneReport } from './requests.js';
import type { Answers } from './servers.js';
import { blocksIn, promptOf, serverSaying } from './servers.js';

/* An agent that asks a model: its prompt, and every answer it can give. */

const reporting = async (answers: readonly Answers[], options: Record<string, unknown> = {}) => {
  const server = await serverSaying(...answers);
  const agent = openaiAgent({
    client: server.client,
    model: 'scripted',
    name: 'worker',
    description: 'Works',
    instructions: 'Work hard.',
    handOffTo: ['fixer', 'researcher'],
    ...options,
  });
  return { server, agent, answer: (call = agentCall()) => Promise.resolve(agent.run(call)) };
};

const said = (report: unknown): Answers => ({ json: { report } });

describe('an answer', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['done', { output: 'Hi', confidence: 0.8 }, { output: 'Hi', confidence: 0.8 }],
    [
      'needsContext',
      { suggestion: 'Which one?', partial: 'Half', confidence: null },
      { suggestion: 'Which one?', output: 'Half' },
    ],
    [
      'requestReplan',
      { reason: 'Too large', agents: ['researcher'], partial: null, confidence: 0.3 },
      { reason: 'Too large', agents: ['researcher'], confidence: 0.3 },
    ],
    [
      'handOff',
      { agent: 'fixer', task: 'Fix the injection', partial: 'Found it', confidence: null },
      { agent: 'fixer', task: 'Fix the injection', output: 'Found it' },
    ],
    ['blocked', { reason: 'No access' }, { reason: 'No access' }],
    [
      'askHuman',
      { question: 'Delete it?', payload: 'All 100 records' },
      { question: 'Delete it?', payload: 'All 100 records' },
    ],
  ])('may be %s', async (kind, wire, expected) => {
    const { answer } = await reporting([said({ kind, ...wire })]);
    const report = await answer();
    expect(report).toMatchObject({ kind, ...expected });
    expect(report).toHaveProperty('usage.inputTokens');
    if (wire['confidence'] === null) expect(report).not.toHaveProperty('confidence');
  });

  it.each<[string, unknown, string]>([
    [
      'to an agent that is not on the list',
      { kind: 'handOff', agent: 'boss', task: 'Go' },
      'fixer',
    ],
    ['without a task', { kind: 'handOff', agent: 'fixer', task: '' }, 'Too small'],
    ['of a kind that is not there', { kind: 'approved' }, 'kind'],
    ['with a confidence in percent', { kind: 'done', output: 'Hi', confidence: 80 }, '<=1'],
  ])('%s is sent back', async (_, wire, told) => {
    const { server, answer } = await reporting([said(wire), { json: doneReport() }]);
    expect(await answer()).toMatchObject({ kind: 'done' });
    expect(JSON.stringify(blocksIn(promptOf(server.requests[1]!), 'issues'))).toContain(told);
  });

  it('cannot be a hand-off where the agent may hand off to no other agent', async () => {
    const handOff = said({ kind: 'handOff', agent: 'fixer', task: 'Go' });
    const { server, answer } = await reporting([handOff], { handOffTo: [] });
    await answerFailure(answer(), 'wrong-shape');
    expect(JSON.stringify(server.requests[0]!.body)).not.toContain('handOff');
  });
});

describe('an output', () => {
  const count = z.object({ count: z.number(), note: z.string().nullable() });

  it('must match its schema, which the server enforces strictly within the answer', async () => {
    const { server, agent, answer } = await reporting(
      [{ json: doneReport({ count: 1, note: null }) }],
      { output: count },
    );
    expect(await answer()).toMatchObject({ output: { count: 1, note: null } });
    expect(agent.output).toBe(count);
    const { json_schema: sent } = server.requests[0]!.body['response_format'] as {
      json_schema: { strict: boolean; schema: object };
    };
    expect(sent.strict).toBe(true);
    expect(JSON.stringify(sent.schema)).toContain('"count":{"type":"number"}');
  });

  it('that does not match its schema is sent back once, and then fails the attempt', async () => {
    const wrong = { json: doneReport({ count: 'one', note: null }) };
    const { server, answer } = await reporting([wrong], { output: count });
    const failure = await answerFailure(answer(), 'wrong-shape');
    expect(failure.issues).toMatchObject([{ path: 'report.output.count' }]);
    expect(server.requests).toHaveLength(2);
  });

  it('may have a schema that strict mode does not support', async () => {
    const output = z.object({
      sizes: z.record(z.string(), z.number()),
      hint: z.string().optional(),
    });
    const { server, answer } = await reporting([{ json: doneReport({ sizes: { a: 1 } }) }], {
      output,
    });
    expect(await answer()).toMatchObject({ output: { sizes: { a: 1 } } });
    expect(server.requests[0]!.body['response_format']).toMatchObject({
      json_schema: { strict: false },
    });
  });

  it('is transformed by its schema once, by the orchestrator', async () => {
    const output = z.object({ text: z.string().transform((text) => `${text}!`) });
    const { client } = await serverSaying({ json: doneReport({ text: 'Hello' }) });
    const about = { name: 'worker', description: 'Works', instructions: 'Work.' } as const;
    const agent = openaiAgent({ client, model: 'scripted', ...about, output });
    const plan = { steps: [{ id: 's1', agent: 'worker', task: 'Greet the world' }] } as const;
    const run = createOrchestrator({ agents: [agent] }).start({ goal: 'Go', plan });
    const report = await run.done;
    expect(report.steps[0]?.output).toEqual({ text: 'Hello!' });
    expect(report.usage.inputTokens).toBeGreaterThan(0);
  });
});

describe('a prompt', () => {
  it('shows the task and its context', async () => {
    const { server, answer } = await reporting([{ json: doneReport() }]);
    await answer(
      agentCall({
        summary: 'Two steps',
        dependencies: [
          { stepId: 's0', agent: 'analyst', output: { found: 'x'.repeat(9_000) }, isWhole: true },
        ],
        conversation: ['Use British English'],
      }),
    );
    const prompt = promptOf(server.requests[0]!);
    expect(prompt).toContain('You are worker, an agent in a team.');
    expect(prompt).toContain('Work hard.');
    expect(prompt).toContain('one of fixer, researcher should do something next');
    expect(prompt).toContain('Step 1 of 2, attempt 1. Do the task.');
    expect(blocksIn(prompt, 'task')).toEqual(['Write the greeting']);
    expect(blocksIn(prompt, 'analysis-of-the-planner')).toEqual(['Two steps']);
    expect(blocksIn(prompt, 'conversation')).toEqual([['Use British English']]);
    const [[dependency]] = blocksIn(prompt, 'outputs') as [[{ output: { excerpt: string } }]];
    // 2000 tokens of four characters.
    expect(dependency.output.excerpt).toHaveLength(8_000);
  });

  it('asks for the fixes, and shows the fix plan', async () => {
    const { server, answer } = await reporting([{ json: doneReport() }]);
    const details = { passed: false, failures: ['Wrong'], fixPlan: { summary: 'Turn it' } };
    await answer(
      agentCall({ mode: 'fix', feedback: [{ from: 'tester', text: '1 failure', details }] }),
    );
    const prompt = promptOf(server.requests[0]!);
    expect(prompt).toContain('apply the fix plan in the feedback');
    expect(blocksIn(prompt, 'feedback')).toEqual([
      [{ from: 'tester', text: '1 failure', details }],
    ]);
  });
});
