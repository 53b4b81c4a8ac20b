import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Fact, RunRecord, RunReport } from '../../src/index.js';

/* The service of docs/embedding.md in processes of its own: killed, restarted, stopped, and two on one store. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = join(import.meta.dirname, '../..');

const cleanUps: (() => unknown)[] = [];
let file = '';

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-service-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'runs.db');
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

interface Instance {
  readonly child: ChildProcess;
  readonly url: string;
  /** Sends a signal, and waits for the end of the process. Returns its exit code; null after a kill. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

const startService = async (leaseMs = 1_000): Promise<Instance> => {
  const environment = { ...process.env, RUNS_FILE: file, LEASE_MS: String(leaseMs), PORT: '0' };
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'examples/service.ts')], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const end: Instance['end'] = async (signal) => {
    child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  };
  cleanUps.push(() => (child.exitCode === null && child.signalCode === null ? end('SIGKILL') : 0));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const port = /^Listening on port (?<port>\d+)$/.exec(line)?.groups?.['port'] ?? line;
  return { child, url: `http://127.0.0.1:${port}`, end };
};

const as = (tenant: string): Record<string, string> => ({
  authorization: `Bearer secret-of-${tenant}`,
});

const asked = (url: string, headers = as('ada')): Promise<Response> => fetch(url, { headers });

const post = (url: string, body: unknown, headers = as('ada')): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

const startRun = async ({ url }: Instance, runId: string): Promise<void> => {
  const response = await post(`${url}/runs`, { goal: 'statecharts', runId });
  expect(response.status).toBe(201);
};

/** Facts from the wire until one of this type, or until the connection breaks. */
const factsUntil = async (
  { url }: Instance,
  runId: string,
  type: Fact['type'],
  lastSeen = 0,
): Promise<Fact[]> => {
  const headers = { ...as('ada'), ...(lastSeen > 0 ? { 'last-event-id': String(lastSeen) } : {}) };
  const facts: Fact[] = [];
  const response = await asked(`${url}/runs/${runId}/facts`, headers);
  let text = '';
  if (response.body === null) throw new Error('The stream has no body');
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^id: \d+\ndata: (?<data>.*)$/.exec(event)?.groups?.['data'];
      if (data === undefined) continue;
      const fact = JSON.parse(data) as Fact;
      facts.push(fact);
      if (fact.type === type) return facts;
    }
  }
  return facts;
};

const requestIn = (facts: readonly Fact[]): string => {
  const request = facts.find((fact) => fact.type === 'approval.requested');
  if (request?.type !== 'approval.requested') throw new Error('There was no approval request');
  return request.requestId;
};

const approve = async ({ url }: Instance, runId: string, requestId: string): Promise<unknown> => {
  const response = await post(`${url}/runs/${runId}/commands`, { type: 'approve', requestId });
  expect(response.status).toBe(200);
  return response.json();
};

const reportOf = async ({ url }: Instance, runId: string): Promise<RunReport> =>
  (await (await asked(`${url}/runs/${runId}/report`)).json()) as RunReport;

/** Every fact was told once, and no answered call was made again. */
const expectWhole = (facts: readonly Fact[]): void => {
  expect(facts.map(({ sequence }) => sequence)).toEqual(facts.map((_, index) => index + 1));
  const calls = facts.filter((fact) => fact.type === 'agent.called').map(({ key }) => key);
  expect(new Set(calls).size).toBe(calls.length);
  expect(facts.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
};

describe('the service in its own process', () => {
  it('continues after kill -9 and an immediate restart, for a client that comes back with Last-Event-ID', async () => {
    const first = await startService();
    await startRun(first, 'killed');
    const before = await factsUntil(first, 'killed', 'approval.requested');
    await first.end('SIGKILL');

    const second = await startService();
    // The lease of the dead process may not have ended: the record is there, and the approval waits in the store.
    const record = (await (await asked(`${second.url}/runs/killed`)).json()) as RunRecord;
    expect(record.openApprovals.map(({ requestId }) => requestId)).toEqual([requestIn(before)]);
    const rest = factsUntil(second, 'killed', 'run.ended', before.at(-1)?.sequence);
    expect(await approve(second, 'killed', requestIn(before))).toMatchObject({ accepted: true });
    expectWhole([...before, ...(await rest)]);
    const report = await reportOf(second, 'killed');
    expect(report.steps.at(-1)?.output).toEqual({ published: 'All about statecharts' });
  });

  it('serves a run of another instance, and takes it over when that one is killed', async () => {
    const [owner, other] = await Promise.all([startService(), startService()]);
    await startRun(owner, 'shared');
    const asOwner = factsUntil(owner, 'shared', 'run.ended');
    const seen = await factsUntil(other, 'shared', 'approval.requested');
    expect(await approve(other, 'shared', requestIn(seen))).toEqual({ accepted: true });
    const rest = await factsUntil(other, 'shared', 'run.ended', seen.at(-1)?.sequence);
    expectWhole([...seen, ...rest]);
    expect(await asOwner).toEqual([...seen, ...rest]);
    expect(await reportOf(other, 'shared')).toEqual(await reportOf(owner, 'shared'));

    await startRun(owner, 'orphan');
    const before = await factsUntil(other, 'orphan', 'approval.requested');
    const following = factsUntil(other, 'orphan', 'run.ended', before.at(-1)?.sequence);
    await owner.end('SIGKILL');
    expect(await approve(other, 'orphan', requestIn(before))).toMatchObject({ accepted: true });
    expectWhole([...before, ...(await following)]);
  });

  it('releases its runs on SIGTERM: the next process continues them long before the lease would end', async () => {
    const first = await startService(3_600_000);
    await startRun(first, 'deployed');
    const before = await factsUntil(first, 'deployed', 'approval.requested');
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await startService(3_600_000);
    expect(await approve(second, 'deployed', requestIn(before))).toMatchObject({ accepted: true });
    expect((await reportOf(second, 'deployed')).status).toBe('completed');
  });

  it('refuses callers that the hook does not know, and hides the runs of other tenants', async () => {
    const service = await startService();
    await startRun(service, 'private');
    const paths = ['', '/facts', '/report'].map((part) => `${service.url}/runs/private${part}`);
    for (const path of paths) {
      expect((await asked(path, {})).status).toBe(401);
      expect((await asked(path, as('eve'))).status).toBe(404);
    }
    const commands = `${service.url}/runs/private/commands`;
    expect((await post(commands, { type: 'abort' }, {})).status).toBe(401);
    expect((await post(commands, { type: 'abort' }, as('eve'))).status).toBe(404);
    expect((await post(`${service.url}/runs`, { goal: 'x' }, {})).status).toBe(401);
    const listFor = async (tenant: string): Promise<unknown> =>
      (await asked(`${service.url}/runs`, as(tenant))).json();
    expect(await listFor('ada')).toMatchObject({ runs: [{ runId: 'private' }] });
    expect(await listFor('eve')).toMatchObject({ runs: [] });
    expect(await (await asked(`${service.url}/runs/private`)).json()).toMatchObject({
      status: 'running',
      labels: { tenant: 'ada' },
    });
  });
});
