import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

import type {
  ScriptedAnswer,
  ScriptedRequest,
} from '../../examples/supervised-run/scripted-server.js';
import type { RunReport } from '../../src/index.js';
import { createOrchestrator, presets } from '../../src/index.js';
import { openaiTool, softwareTeam } from '../../src/services/openai/index.js';
import { goodVerdict, planRequest } from './requests.js';
import { asked, modelsByMember, plan, report, serverFor, step } from './scripts.js';
import { blocksIn, promptOf, serverSaying } from './servers.js';

vi.setConfig({ testTimeout: 30_000 }); // real servers and real waits, on a machine that may be busy

/* The software team at work: scripted answers, and everything else as in production. */

const wrote = report({ summary: 'Wrote it', files: ['greet.mjs'], tests: [] });
const write = (text: string): ScriptedAnswer => ({
  toolCalls: [{ name: 'write_source', arguments: { text } }],
});
const runTests: ScriptedAnswer = { toolCalls: [{ name: 'run_tests', arguments: {} }] };

/** A folder with one source file, a tool that writes it and a tool that tests it. */
const project = () => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-openai-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'greet.mjs');
  let version = 0;
  const writeSource = openaiTool({
    name: 'write_source',
    description: 'Writes the source file',
    parameters: z.object({ text: z.string() }),
    run: async ({ text }, { signal }) => {
      await writeFile(file, text, { signal });
      return `${text.length} characters written`;
    },
  });
  const runSuite = openaiTool({
    name: 'run_tests',
    description: 'Runs the tests',
    parameters: z.object({}),
    run: async () => {
      version += 1;
      const url = `${pathToFileURL(file).href}?version=${version}`;
      const { greet } = (await import(url)) as { greet: (name: string) => string };
      const said = greet('Ada');
      return said === 'Hello, Ada' ? '1 passed' : `1 failed: expected "Hello, Ada", got "${said}"`;
    },
  });
  return { file, writeSource, runSuite };
};

describe('a supervised run of the software team', () => {
  it('plans, replans, writes, tests, fixes, reviews, verifies and sums up', async () => {
    const { file, writeSource, runSuite } = project();
    const score = (points: number): ScriptedAnswer => ({
      json: { ...goodVerdict, score: points, issues: points < 70 ? ['No review'] : [] },
    });
    const server = await serverFor({
      planner: [
        plan(step('write', 'coder', 'Write greet.mjs with its test')),
        plan(
          step('build', 'coder', 'Write greet.mjs with its test'),
          step('look', 'reviewer', 'Review greet.mjs and its test', ['build']),
        ),
      ],
      // Plan, plan again, code and step of both steps, goal.
      supervisor: [score(40), ...Array.from({ length: 6 }, () => score(90))],
      coder: [
        write('export const greet = (name) => `Hello ${name}`;'),
        wrote,
        write('export const greet = (name) => `Hello, ${name}`;'),
        wrote,
      ],
      tester: [
        runTests,
        {
          json: {
            passed: false,
            failures: ['Expected "Hello, Ada", got "Hello Ada"'],
            fixPlan: { summary: 'The comma is missing', steps: ['Add a comma after Hello'] },
          },
        },
        runTests,
        { json: { passed: true, failures: [], fixPlan: null } },
        { json: { passed: true, failures: [], fixPlan: null } },
      ],
      // The first try is refused: it is a failed attempt, and it is paid for.
      reviewer: [
        { refusal: 'I would rather not' },
        report({ approved: true, summary: 'Good', findings: [] }),
      ],
      summarizer: [{ text: 'There is a greeting now, with its comma.' }],
    });
    const orchestrator = createOrchestrator({
      ...softwareTeam({
        client: server.client,
        model: 'nobody',
        models: modelsByMember,
        roles: ['coder', 'reviewer', 'fixer'],
        tools: { coder: [writeSource], tester: [runSuite] },
      }),
      policy: presets.supervised({ time: { limitMs: 60_000 }, retry: { backoffMs: 1 } }),
    });
    const result = await orchestrator.start({ goal: 'Greet people by name' }).done;

    expect(result).toMatchObject({ status: 'completed', allSucceeded: true, replans: 1 });
    expect(result.successfulSteps).toEqual(['build', 'look']);
    expect(result.summary).toBe('There is a greeting now, with its comma.');
    expect(result.metrics).toMatchObject({ fixCycles: 1 });
    expect(await readFile(file, 'utf8')).toContain('Hello, ${name}');
    expect(result.usage).toMatchObject(usageBilled(server.requests));

    // The tester saw what the tests really printed, and the coder saw the tester's result.
    const [, failing, , passing] = asked(server.requests, 'tester');
    expect(blocksIn(promptOf(failing!), 'tool-result')).toEqual([
      '1 failed: expected "Hello, Ada", got "Hello Ada"',
    ]);
    expect(blocksIn(promptOf(passing!), 'tool-result')).toEqual(['1 passed']);
    const fix = promptOf(asked(server.requests, 'coder')[2]!);
    expect(JSON.stringify(blocksIn(fix, 'feedback'))).toContain('Add a comma after Hello');
    // The second plan was made with the reason why the first was refused.
    const second = promptOf(asked(server.requests, 'planner')[1]!);
    expect(JSON.stringify(blocksIn(second, 'requests'))).toContain('planRejected');
  });

  it('counts unusable answers as failed attempts, and continues', async () => {
    const server = await serverFor({
      planner: [plan(step('write', 'coder', 'Write the greeting down'))],
      coder: [{ text: 'Sure!' }, { text: 'Here it is!' }, wrote],
    });
    const { agents, planner } = softwareTeam({
      client: server.client,
      model: 'nobody',
      models: modelsByMember,
      roles: ['coder', 'reviewer', 'fixer'],
    });
    const policy = presets.boundedReplan({ retry: { attempts: 2, backoffMs: 1 } });
    const run = createOrchestrator({ agents, planner, policy }).start({ goal: 'Greet' });
    const failures: string[] = [];
    run.subscribe((fact) => {
      if (fact.type === 'agent.failed') failures.push(`${fact.code}: ${fact.reason}`);
    });
    const result = await run.done;
    expect(result).toMatchObject({ status: 'completed', allSucceeded: true });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('threw: OpenAiAnswerError: The answer is not JSON, also after');
  });

  it('ends a call that hangs by the timeout of its attempt', async () => {
    const hanging: ScriptedAnswer = { respond: () => undefined };
    const server = await serverFor({
      planner: [plan(step('write', 'coder', 'Write the greeting down'))],
      coder: [hanging, wrote],
    });
    const { agents, planner } = softwareTeam({
      client: server.client,
      model: 'nobody',
      models: modelsByMember,
      roles: ['coder', 'reviewer', 'fixer'],
    });
    const policy = presets.boundedReplan({
      time: { stepTimeoutMs: 2_000 },
      retry: { attempts: 1 },
      failure: { onStepFailure: 'continue' },
    });
    const run = createOrchestrator({ agents, planner, policy }).start({ goal: 'Greet' });
    const result: RunReport = await run.done;
    expect(result.steps).toMatchObject([{ id: 'write', status: 'failed' }]);
    expect(result.steps[0]?.reason).toBe('No answer in time');
    expect(asked(server.requests, 'coder')).toHaveLength(1);
  });
});

describe('the software team', () => {
  it('is the eight agents of the seeds with planner, supervisor, tester and summarizer', async () => {
    const { client } = await serverSaying({ json: {} });
    const team = softwareTeam({ client, model: 'any' });
    expect(team.agents.map(({ name }) => name).sort()).toEqual([
      'analyst',
      'architect',
      'coder',
      'developer',
      'fixer',
      'researcher',
      'reviewer',
      'security_reviewer',
    ]);
    expect(createOrchestrator({ ...team, policy: presets.supervised() }).bounds()).toBeDefined();
  });

  it('calls every member with its own model, tools and instructions', async () => {
    const server = await serverSaying(plan(step('write', 'coder', 'Write the greeting down')));
    const { writeSource } = project();
    const { planner } = softwareTeam({
      client: server.client,
      model: 'quick',
      models: { planner: 'strong' },
      tools: { planner: [writeSource] },
      instructions: { planner: 'We write British English.' },
    });
    await planner(planRequest());
    const [request] = server.requests;
    expect(request!.model).toBe('strong');
    expect(request!.body['tools']).toHaveLength(1);
    expect(promptOf(request!)).toContain('We write British English.');
  });

  it('hands off only within the team', async () => {
    const server = await serverSaying(report({ approved: true, summary: 'Good', findings: [] }));
    const schemaFor = async (roles: readonly ('reviewer' | 'fixer')[]) => {
      const { agents } = softwareTeam({ client: server.client, model: 'any', roles });
      await agents[0]!.run({
        ...planRequest(),
        task: 'Review',
        step: { id: 's1', position: 'Step 1 of 1', attempt: 1, depth: 0, vote: null },
        mode: 'work',
        maxTokens: null,
        dependencies: [],
        feedback: [],
        summary: '',
      });
      return JSON.stringify(server.requests.at(-1)!.body['response_format']);
    };
    expect(await schemaFor(['reviewer'])).not.toContain('handOff');
    expect(await schemaFor(['reviewer', 'fixer'])).toContain('"enum":["fixer"]');
  });
});

/** What the server has billed: for every answer of every member, usable or not. */
const usageBilled = (requests: readonly ScriptedRequest[]) => ({
  inputTokens: requests.reduce(
    (sum, { messages }) => sum + Math.ceil(JSON.stringify(messages).length / 4),
    0,
  ),
});
