import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { publishing } from '../../examples/publishing.js';
import { createService } from '../../examples/service.js';
import type { Fact, RunReport } from '../../src/index.js';
import { createOrchestrator, defineAgent, StoreUnavailableError } from '../../src/index.js';
import { memoryStore } from '../../src/services/stores/index.js';

/* The service of docs/embedding.md on a real port, driven by its clients. */

const asAda = () => ({ tenant: 'ada' });
const server = createService(publishing, asAda);
let address = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(address + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const startRun = async (): Promise<string> => {
  const response = await post('/runs', { goal: 'statecharts' });
  expect(response.status).toBe(201);
  return ((await response.json()) as { runId: string }).runId;
};

/** The facts of a run, as they arrive over the wire. */
async function* factsOf(runId: string, headers: Record<string, string> = {}): AsyncGenerator<Fact> {
  const response = await fetch(`${address}/runs/${runId}/facts`, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n');
    text = events.pop()!;
    for (const event of events) {
      if (event.startsWith(':')) continue;
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(event)!;
      const fact = JSON.parse(data!) as Fact;
      expect(fact.sequence).toBe(Number(id));
      yield fact;
    }
  }
}

const allOf = async (facts: AsyncIterable<Fact>): Promise<Fact[]> => {
  const all: Fact[] = [];
  for await (const fact of facts) all.push(fact);
  return all;
};

const questionOf = async (runId: string): Promise<string> => {
  for await (const fact of factsOf(runId)) {
    if (fact.type === 'approval.requested') return fact.requestId;
  }
  throw new Error('Nobody was asked');
};

describe('the service', () => {
  it('starts a run, streams its facts, takes the approval and returns the report', async () => {
    const runId = await startRun();
    const commands = `/runs/${runId}/commands`;
    const types: string[] = [];
    for await (const fact of factsOf(runId)) {
      types.push(fact.type);
      if (fact.type !== 'approval.requested') continue;
      const approval = await post(commands, { type: 'approve', requestId: fact.requestId });
      expect(await approval.json()).toEqual({ accepted: true });
    }
    expect(types.at(0)).toBe('run.started');
    expect(types.at(-1)).toBe('run.ended');

    const report = await fetch(`${address}/runs/${runId}/report`);
    const { status, steps } = (await report.json()) as RunReport;
    expect(status).toBe('completed');
    expect(steps.at(-1)?.output).toEqual({ published: 'All about statecharts' });
    const record = await fetch(`${address}/runs/${runId}`);
    expect(await record.json()).toMatchObject({ runId, status: 'completed' });
  });

  it('continues after the last fact that a client has seen', async () => {
    const runId = await startRun();
    await questionOf(runId);
    await post(`/runs/${runId}/commands`, { type: 'abort', reason: 'Enough' });
    const all = await allOf(factsOf(runId));
    const rest = await allOf(factsOf(runId, { 'last-event-id': '3' }));
    expect(rest).toEqual(all.slice(3));
    expect(rest.at(-1)).toMatchObject({ type: 'run.ended', status: 'aborted', reason: 'Enough' });
  });

  it('answers 409 when the run id is in use, and 503 when the store cannot be reached', async () => {
    const runId = await startRun();
    const again = await post('/runs', { goal: 'statecharts', runId });
    expect(again.status).toBe(409);
    expect(await again.json()).toEqual({ code: 'run-conflict' });
    await post(`/runs/${runId}/commands`, { type: 'abort' });

    const store = {
      ...memoryStore(),
      create: () => Promise.reject(new StoreUnavailableError('The network is gone')),
    };
    const echo = defineAgent({ name: 'echo', description: 'Repeats', run: ({ task }) => task });
    const away = createService(
      createOrchestrator({
        agents: [echo],
        planner: () => ({ steps: [{ id: 'say', agent: 'echo', task: 'Say it' }] }),
        store,
        durability: { storeRetryMs: 0 },
      }),
      asAda,
    );
    away.listen(0, '127.0.0.1');
    await once(away, 'listening');
    const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}/runs`;
    const refused = await fetch(url, { method: 'POST', body: '{ "goal": "statecharts" }' });
    expect(refused.status).toBe(503);
    away.closeAllConnections();
    away.close();
  });

  it('returns the result of a command: accepted, or refused with the reason', async () => {
    const runId = await startRun();
    const commands = `/runs/${runId}/commands`;
    const requestId = await questionOf(runId);
    const say = await post(commands, { type: 'say', text: 'Be quick' });
    expect(say.status).toBe(200);
    const notPaused = await post(commands, { type: 'unpause' });
    expect(notPaused.status).toBe(409);
    expect(await notPaused.json()).toEqual({ accepted: false, reason: 'not-paused' });
    const rejection = await post(commands, { type: 'reject', requestId, reason: 'Not good' });
    expect(rejection.status).toBe(200);
    await post(commands, { type: 'abort' });
    const late = await post(commands, { type: 'abort' });
    expect(await late.json()).toEqual({ accepted: false, reason: 'run-ended' });
  });

  it.each([
    { name: 'no JSON', path: '/runs', body: '{', issue: { message: 'Expected JSON' } },
    { name: 'no goal', path: '/runs', body: {}, issue: { path: ['goal'] } },
    { name: 'a blank goal', path: '/runs', body: { goal: ' ' }, issue: { code: 'invalid-goal' } },
    {
      name: 'a body beyond the limit',
      path: '/runs',
      body: { goal: 'x'.repeat(1_000_001) },
      issue: { message: 'Expected JSON' },
    },
  ])('answers 400 with the issues: $name', async ({ path, body, issue }) => {
    const response = await post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ issues: [issue] });
  });

  it('answers 400 with the issues of an invalid command', async () => {
    const runId = await startRun();
    for (const body of [{ type: 'explode' }, { type: 'approve' }, '']) {
      const response = await post(`/runs/${runId}/commands`, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ issues: [{ path: expect.any(Array) as [] }] });
    }
    await post(`/runs/${runId}/commands`, { type: 'abort' });
  });

  it.each(['/', '/runs/unknown', '/runs/unknown/facts', '/walks/1'])(
    'answers 404 for an unknown path: %s',
    async (path) => {
      expect((await fetch(address + path)).status).toBe(404);
    },
  );

  it('answers 404 for an unknown part of a run', async () => {
    const runId = await startRun();
    expect((await fetch(`${address}/runs/${runId}/secrets`)).status).toBe(404);
    await post(`/runs/${runId}/commands`, { type: 'abort' });
  });
});
