import { describe, expect, it } from 'vitest';

import type { PlanRequest, ReviewRequest } from '../../src/index.js';
import {
  openaiPlanner,
  openaiSummarizer,
  openaiSupervisor,
  openaiTester,
} from '../../src/services/openai/index.js';
import {
  goodPlan,
  goodVerdict,
  planRequest,
  reviewRequest,
  summaryRequest,
  testRequest,
} from './requests.js';
import { blocksIn, promptOf, serverSaying } from './servers.js';

/* What the roles of the orchestrator are told, and how their answers are used. */

describe('the planner', () => {
  const planned = async (parts = {}, options = {}) => {
    const server = await serverSaying({ json: goodPlan });
    const plan = openaiPlanner({ client: server.client, model: 'scripted', ...options });
    const answer = await plan(planRequest(parts));
    const [request] = server.requests;
    return { answer, request: request!, prompt: promptOf(request!) };
  };

  it('gives a plan in the orchestrator’s form, with its usage', async () => {
    const { answer } = await planned();
    expect(answer).toMatchObject({
      analysis: 'Two steps',
      scope: 'simple',
      steps: [
        { id: 'write', agent: 'coder', dependsOn: [], complexity: 'simple' },
        { id: 'review', agent: 'reviewer', dependsOn: ['write'], complexity: 'simple' },
      ],
      usage: { inputTokens: expect.any(Number) as number },
    });
    expect(answer).not.toHaveProperty('successCriteria');
    expect(answer.steps[0]).not.toHaveProperty('reason');
  });

  it('may only name agents of the team, and votes only where they are allowed', async () => {
    const { request } = await planned();
    const schema = JSON.stringify(request.body['response_format']);
    expect(schema).toContain('"enum":["coder","reviewer"]');
    expect(schema).not.toContain('votes');
    const limits = { maxSteps: 15, maxReplans: 3, maxVotes: 5 };
    const voting = await planned({ limits });
    expect(JSON.stringify(voting.request.body['response_format'])).toContain('2 to 5');
  });

  it('leaves the refusal of an unknown agent to the orchestrator', async () => {
    const [first, second] = goodPlan.steps;
    const steps = [{ ...first!, agent: 'nobody' }, second!];
    const server = await serverSaying({ json: { ...goodPlan, steps } });
    const plan = openaiPlanner({ client: server.client, model: 'scripted' });
    expect(await plan(planRequest())).toMatchObject({ steps: [{ agent: 'nobody' }, {}] });
    expect(server.requests).toHaveLength(1);
  });

  it('is told the guidelines: agents by scope, steps, tasks, tests first, checks', async () => {
    const everybody = ['analyst', 'architect', 'developer', 'reviewer'];
    const agents = everybody.map((name) => ({ name, description: name }));
    const { prompt } = await planned({ agents });
    expect(prompt).toContain('trivial (a typo, a setting): developer, reviewer');
    expect(prompt).toContain('a bug to investigate: analyst, developer, reviewer');
    expect(prompt).toContain('a clear feature: architect, developer, reviewer');
    expect(prompt).toContain('analyst, architect, developer, reviewer');
    expect(prompt).toContain('2 to 15 steps');
    expect(prompt).toContain('15 to 200 characters');
    expect(prompt).toContain('simple, medium or complex');
    expect(prompt).toContain('writes them first');
    expect(prompt).toContain('every file, step and agent you name exists');
  });

  it('is told of no agent outside the team', async () => {
    const { prompt } = await planned();
    expect(prompt).toContain('trivial (a typo, a setting): coder, reviewer');
    expect(prompt).not.toMatch(/analyst|architect|developer/);
    const other = await planned({ agents: [{ name: 'poet', description: 'Writes poems' }] });
    expect(other.prompt).not.toContain('Which agents for which work');
  });

  it.each<[PlanRequest['merge'], string]>([
    ['replacePending', 'replace the pending ones: plan again'],
    ['replaceAll', 'and those that were running'],
    ['append', 'come after them: plan only what is missing'],
    ['appendNext', 'come before them: plan only what is missing'],
  ])('is told at a replan what happens to the pending steps: %s', async (merge, told) => {
    const first = await planned({ merge });
    expect(first.prompt).not.toContain(told);
    const later = await planned({ merge, revision: 1, analysis: 'First the model, then the view' });
    expect(later.prompt).toContain(told);
    expect(blocksIn(later.prompt, 'analysis')).toEqual(['First the model, then the view']);
  });

  it('has the same beginning in every prompt, so that a server can cache it', async () => {
    const options = { instructions: 'Prefer small steps' };
    const system = async (parts: Partial<PlanRequest>): Promise<string> =>
      (await planned(parts, options)).request.messages[0]?.content ?? '';
    const first = await system({});
    expect(first.length).toBeGreaterThan(1_000);
    expect(await system({ goal: 'Another goal' })).toBe(first);
    expect((await system({ revision: 1 })).startsWith(first)).toBe(true);
    expect((await system({ depth: 1 })).startsWith(first)).toBe(true);
  });

  it('is told at a replan what was done, what failed, what is pending and who asked', async () => {
    const { prompt } = await planned({
      revision: 1,
      completed: [{ stepId: 's1', agent: 'coder', output: 'x'.repeat(201) }],
      pending: [{ stepId: 's2', agent: 'reviewer', task: 'Review it' }],
      requests: [
        {
          kind: 'needsContext',
          stepId: 's1',
          agent: 'coder',
          reason: 'Which greeting?',
          agents: ['researcher'],
          confidence: null,
        },
      ],
      conversation: ['Please be quick'],
    });
    expect(blocksIn(prompt, 'completed-steps')).toEqual([
      [
        {
          stepId: 's1',
          agent: 'coder',
          output: { excerpt: 'x'.repeat(200), leftOutCharacters: 1 },
        },
      ],
    ]);
    expect(blocksIn(prompt, 'failed-steps')).toEqual(['none']);
    expect(blocksIn(prompt, 'pending-steps')).toEqual([
      [{ stepId: 's2', agent: 'reviewer', task: 'Review it' }],
    ]);
    expect(blocksIn(prompt, 'requests')).toMatchObject([
      [{ kind: 'needsContext', reason: 'Which greeting?', suggestedAgents: ['researcher'] }],
    ]);
    expect(blocksIn(prompt, 'conversation')).toEqual([['Please be quick']]);
    expect(prompt).toContain('do not plan them again');
    expect(prompt).toContain('Add agents when the work has grown');
    expect(prompt).toContain('not the first plan');
    expect((await planned()).prompt).not.toContain('not the first plan');
  });

  it('is told why its first plan was refused, though there is no revision yet', async () => {
    const rejected = { kind: 'planRejected', stepId: null, agent: null, reason: 'No tests' };
    const { prompt } = await planned({ requests: [{ ...rejected, agents: [], confidence: null }] });
    expect(blocksIn(prompt, 'requests')).toMatchObject([[{ reason: 'No tests' }]]);
    expect(prompt).toContain('not the first plan');
  });

  it('is told as much of results as the policy allows, and the failures', async () => {
    const { prompt } = await planned(
      {
        revision: 1,
        completed: [{ stepId: 's1', agent: 'coder', output: 'abcdef' }],
        failed: [{ stepId: 's0', agent: 'coder', reason: 'threw: Too hard' }],
      },
      { context: { summaryCharacters: 3 } },
    );
    expect(prompt).toContain('{"excerpt":"abc","leftOutCharacters":3}');
    expect(blocksIn(prompt, 'failed-steps')).toEqual([
      [{ stepId: 's0', agent: 'coder', reason: { excerpt: 'thr', leftOutCharacters: 12 } }],
    ]);
  });

  it('is told what was wrong with its last plan, and that a sub-plan is one', async () => {
    const issues = [{ code: 'unknown-agent', path: 'steps[0].agent', message: 'Unknown' }];
    const { prompt } = await planned({ issues, depth: 1 });
    expect(blocksIn(prompt, 'issues')).toEqual([issues]);
    expect(prompt).toContain('one step of a larger plan');
  });

  it('includes the instructions of the project', async () => {
    const { request } = await planned({}, { instructions: 'Never plan on Fridays.' });
    expect(request.messages[0]!.content).toContain('Never plan on Fridays.');
  });
});

describe('the supervisor', () => {
  const judged = async (parts: Partial<ReviewRequest>, verdict: unknown = goodVerdict) => {
    const server = await serverSaying({ json: verdict });
    const supervise = openaiSupervisor({ client: server.client, model: 'scripted' });
    const answer = await supervise(reviewRequest(parts));
    return { answer, prompt: promptOf(server.requests[0]!) };
  };

  it('gives a verdict without its reasoning, and cannot report its usage', async () => {
    const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
    const { answer } = await judged({}, { ...goodVerdict, usage });
    expect(answer).toEqual({
      score: 85,
      issues: [],
      feedback: 'Go on',
      usage: {
        inputTokens: expect.any(Number) as number,
        outputTokens: expect.any(Number) as number,
      },
    });
    expect(answer.usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each<[ReviewRequest['subject'], string]>([
    ['plan', 'The dependencies can be satisfied'],
    ['code', 'no critical security problem'],
    ['step', 'Its tests pass'],
    ['goal', 'what failed does not matter for the goal'],
  ])('judges a %s by its own criteria', async (subject, criterion) => {
    const { prompt } = await judged({ subject, threshold: 61 });
    expect(prompt).toContain(criterion);
    expect(prompt).toContain('A score of 61 or more');
    expect(prompt).toContain(`Judge the ${subject}.`);
  });

  it('is shown the plan, the outputs and the failures', async () => {
    const plan = { analysis: '', steps: [{ id: 's1', agent: 'coder', task: 'Write it' }] };
    const failed = [{ stepId: 's2', agent: 'coder', reason: 'threw' }];
    const { prompt } = await judged({ subject: 'goal', step: null, plan, failed });
    expect(blocksIn(prompt, 'plan')).toEqual([plan]);
    expect(blocksIn(prompt, 'outputs')).toEqual([
      [{ stepId: 's1', agent: 'coder', output: 'Hello' }],
    ]);
    expect(blocksIn(prompt, 'failed-steps')).toEqual([failed]);
    expect(blocksIn(prompt, 'task')).toEqual([]);
  });

  it('is shown the tester’s result, when there is one', async () => {
    const tests = { passed: false, failures: ['Expected 0, got 1'] };
    const { prompt } = await judged({ tests });
    expect(blocksIn(prompt, 'test-result')).toEqual([tests]);
    expect(blocksIn((await judged({})).prompt, 'test-result')).toEqual([]);
  });

  it('is shown as much of an output as the policy allows', async () => {
    const results = [
      { stepId: 's1', agent: 'coder', output: 'x'.repeat(8_001), isWhole: true as const },
    ];
    const { prompt } = await judged({ results });
    expect(prompt).toContain('"leftOutCharacters":1');
  });
});

describe('the tester', () => {
  it('gives a result with a fix plan', async () => {
    const fixPlan = { summary: 'Off by one', steps: ['Start at 0'] };
    const result = { passed: false, failures: ['Expected 0, got 1'], fixPlan };
    const server = await serverSaying({ json: result });
    const test = openaiTester({ client: server.client, model: 'scripted' });
    expect(await test(testRequest({ cycle: 2 }))).toMatchObject(result);
    const prompt = promptOf(server.requests[0]!);
    expect(prompt).toContain('after fix number 2');
    expect(prompt).toContain('You have no tools');
    expect(blocksIn(prompt, 'output')).toEqual(['Hello']);
  });

  it('omits the fix plan when there is none', async () => {
    const server = await serverSaying({ json: { passed: true, failures: [], fixPlan: null } });
    const test = openaiTester({ client: server.client, model: 'scripted' });
    expect(await test(testRequest())).not.toHaveProperty('fixPlan');
  });
});

describe('the summarizer', () => {
  it('is told of tasks, results, failures and skipped steps', async () => {
    const server = await serverSaying({ text: 'Done.' });
    const summarize = openaiSummarizer({ client: server.client, model: 'scripted' });
    const failed = [{ stepId: 's3', agent: 'coder', reason: 'threw' }];
    expect(await summarize(summaryRequest({ failed }))).toMatchObject({ text: 'Done.' });
    const prompt = promptOf(server.requests[0]!);
    expect(blocksIn(prompt, 'tasks')).toMatchObject([[{ stepId: 's1' }, { stepId: 's2' }]]);
    expect(blocksIn(prompt, 'outputs')).toMatchObject([[{ output: 'Hello' }, { stepId: 's2' }]]);
    expect(blocksIn(prompt, 'failed-steps')).toEqual([failed]);
    expect(blocksIn(prompt, 'skipped-steps')).toEqual(['none']);
  });
});
