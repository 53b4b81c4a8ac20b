import { inspect } from 'node:util';

import { describe, expect, it, vi } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { openaiAgent, openaiSummarizer } from '../../src/services/openai/index.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import type { EchoServer, Respond } from './canary-server.js';
import { echoServer } from './canary-server.js';
import type { Leak } from './leaks.js';
import { CANARY, ELSEWHERE, LEAKS } from './leaks.js';
import { OpenAI } from 'openai';

/* A real server returns the key in every way; every byte that a run leaves is searched for it. */

expectNothingUnhandled();
vi.setConfig({ testTimeout: 60_000 });

const policy = definePolicy({
  limits: { maxAttempts: 1, maxDepth: 0, maxReplans: 0 },
  retry: { attempts: 1 },
});

/** The server of a leak, and the one it redirects clients to. */
const serversOf = async ({ respond, redirectsTo }: Leak) => {
  const second = redirectsTo === undefined ? undefined : await echoServer(redirectsTo);
  const leading: Respond = (response, request) => {
    const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => unknown;
    Object.assign(response, {
      writeHead: (...given: unknown[]) => {
        const headers = given.at(-1) as { location?: string };
        if (second !== undefined && headers.location !== undefined) {
          headers.location = headers.location.replace(ELSEWHERE, second.origin);
        }
        return writeHead(...given);
      },
    });
    respond(response, request);
  };
  return { first: await echoServer(leading), second };
};

const clientOf = ({ client }: Leak, server: EchoServer): OpenAI =>
  client?.(server) ?? new OpenAI({ baseURL: server.baseURL, apiKey: CANARY, maxRetries: 0 });

/** Everything in a value, as a logger would show it. */
const shown = (value: unknown): string =>
  inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null });

/**
 * Every byte outside the agents: journal, facts, record, report, explanations, errors, onError, stdout and stderr.
 */
const everyByteOf = async (leak: Leak): Promise<string> => {
  const { first, second } = await serversOf(leak);
  const client = clientOf(leak, first);
  const logged: unknown[] = [];
  const tap = (chunk: unknown): boolean => logged.push(chunk) > 0;
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(tap),
    vi.spyOn(process.stderr, 'write').mockImplementation(tap),
    ...(['log', 'debug', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...given) => void logged.push(...given)),
    ),
  ];
  try {
    const store = memoryStore();
    const agent = openaiAgent({
      name: 'worker',
      description: 'Asks a model',
      instructions: 'Work',
      model: 'm',
      structuredOutputs: 'json',
      ...leak.agent,
      client,
    });
    const orchestrator = composeOrchestrator(
      {
        agents: [agent],
        summarizer: openaiSummarizer({ client, model: 'm' }),
        policy,
        store,
        onError: (error) => logged.push(error),
      },
      undefined,
    );
    const plan = {
      steps: ['a', 'b'].map((id) => ({ id, agent: 'worker', task: 'Do what is to be done' })),
    };
    const run = orchestrator.start({ goal: 'G', runId: 'run', plan });
    const told: unknown[] = [];
    run.subscribe((fact) => {
      told.push(fact);
      if (fact.type === 'approval.requested') void run.approve(fact.requestId, 'Yes');
    });
    const report = await run.done;
    const explained = await orchestrator.explain('run', 'a');
    const direct = await askedDirectly(agent);
    const atSecond = second?.requests.map(({ url, headers }) => ({ url, headers }));
    const written = [await store.read('run'), told, run.record(), report, explained];
    return [JSON.stringify(written), ...[...written, direct, logged, atSecond].map(shown)].join(
      '\n',
    );
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};

/** The result of calling the agent without an orchestrator: also the error with all its properties. */
const askedDirectly = async (agent: { readonly run: (call: never) => unknown }) => {
  const call = {
    goal: 'G',
    task: 'T',
    step: { id: 'a', position: 'Step 1 of 1', attempt: 1, depth: 0, vote: null },
    mode: 'work',
    dependencies: [],
    feedback: [],
    conversation: [],
    summary: '',
    key: 'k',
    signal: new AbortController().signal,
  };
  try {
    return await agent.run(call as never);
  } catch (error) {
    return error;
  }
};

/** The key itself, and the forms from which it can be decoded. */
const formsIn = (bytes: string, secret: string): string[] => {
  const hidden = inspect(secret).slice(1, -1);
  const forms = [
    secret,
    hidden,
    JSON.stringify(secret).slice(1, -1),
    ...(secret.length < 8
      ? []
      : [
          encodeURIComponent(secret),
          secret.replaceAll('&', '&amp;'),
          Buffer.from(secret).toString('hex'),
          ...[0, 1, 2].map((before) =>
            Buffer.from('x'.repeat(before) + secret)
              .toString('base64')
              .slice(4, 20),
          ),
          ...[0, 1, 2].map((before) =>
            Buffer.from('x'.repeat(before) + secret)
              .toString('base64url')
              .slice(4, 20),
          ),
          // Half of it is a leak, too.
          secret.slice(0, 12),
          secret.slice(-12),
        ]),
  ];
  return forms.filter((form) => bytes.includes(form));
};

describe('an API key', () => {
  it('does not leak by any of 12 ways out of a client', async () => {
    const open: string[] = [];
    for (const [way, leaks] of Object.entries(LEAKS)) {
      for (const [index, leak] of leaks.entries()) {
        const found = formsIn(await everyByteOf(leak), leak.secret ?? CANARY);
        if (found.length > 0) open.push(`${way} (${index}): ${found.join(' ')}`);
      }
    }
    const ways = Object.keys(LEAKS);
    const closed = ways.filter((way) => !open.some((line) => line.startsWith(way)));
    expect(open).toEqual([]);
    const told = `${closed.length} of ${ways.length} ways to leak a key closed`;
    expect(told).toBe('12 of 12 ways to leak a key closed');
  });

  it('would be found by this search: a text that is not a secret leaks by the same ways', async () => {
    const harmless = new Set<string>();
    for (const [way, leaks] of Object.entries(LEAKS)) {
      for (const leak of leaks) {
        if (leak.client !== undefined) continue;
        const client = ({ baseURL }: EchoServer): OpenAI =>
          new OpenAI({ baseURL, apiKey: 'sk-another-key', maxRetries: 0 });
        if (formsIn(await everyByteOf({ ...leak, client }), CANARY).length > 0) harmless.add(way);
      }
    }
    expect([...harmless]).toEqual([
      'an error body',
      'status 200 that is no completion',
      'an answer',
      'an answer that cannot be used',
      'the arguments of a tool call',
      'another form of the key',
    ]);
  });
});
